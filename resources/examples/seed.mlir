// y = ln x1 + x1 x2 - sin x2, as StableHLO.
module @seed {
  func.func public @main(%x1: tensor<f32>, %x2: tensor<f32>) -> tensor<f32> {
    %v1 = stablehlo.log %x1 : tensor<f32>
    %v2 = stablehlo.multiply %x1, %x2 : tensor<f32>
    %v3 = stablehlo.sine %x2 : tensor<f32>
    %v4 = stablehlo.add %v1, %v2 : tensor<f32>
    %y = stablehlo.subtract %v4, %v3 : tensor<f32>
    return %y : tensor<f32>
  }
}
