// The bits of a tensor become ONNX's BitCast, which is of opset 26.
func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
  %twice = stablehlo.add %x, %x : tensor<2xf32>
  %bits = stablehlo.bitcast_convert %twice : (tensor<2xf32>) -> tensor<2xi32>
  return %bits : tensor<2xi32>
}
