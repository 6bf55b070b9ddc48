// z = SeLU(W x + b), as StableHLO.
#loc1 = loc("selu.py":3:4)
module @selu attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<3xf32>, %W: tensor<2x3xf32>, %b: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = ""}) {
    %0 = stablehlo.dot_general %W, %x, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32> loc("dot"(#loc1))
    %1 = stablehlo.add %0, %b : tensor<2xf32> loc(#loc1)
    %2 = call @selu(%1) : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
  func.func private @selu(%y: tensor<2xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
    %alpha = stablehlo.constant dense<1.6732632> : tensor<2xf32>
    %scale = stablehlo.constant dense<[1.05070102, 0x3F867D5F]> : tensor<2xf32>
    %0 = stablehlo.compare  GT, %y, %zero,  FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %1 = stablehlo.exponential_minus_one %y : tensor<2xf32>
    %2 = stablehlo.multiply %alpha, %1 : tensor<2xf32>
    %3 = stablehlo.select %0, %y, %2 : tensor<2xi1>, tensor<2xf32>
    %4 = stablehlo.multiply %scale, %3 : tensor<2xf32>
    return %4 : tensor<2xf32>
  }
}
