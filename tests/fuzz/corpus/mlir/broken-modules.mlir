func.func @one(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
module @m {
  func.func @two(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.abs %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
// -----
  func.func @three(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.sqrt %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// -----
func.func @four(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func private @five(%x: tensor<2xf32) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @six(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
// -----
func.func @seven(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.log %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
