// y = W x + b, z = SeLU (y), as StableHLO: what jax.jit (f).lower (x, W, b).as_text () prints.
#loc1 = loc("linear_selu.py":4:9)
#loc2 = loc("linear_selu.py":5:9)
module @linear_selu {
  func.func public @main(%x: tensor<8x4xf32>, %W: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<8x3xf32> {
    %0 = stablehlo.dot_general %x, %W, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32> loc(#loc1)
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32> loc(#loc1)
    %y = stablehlo.add %0, %1 : tensor<8x3xf32> loc(#loc1)
    %z = call @selu(%y) : (tensor<8x3xf32>) -> tensor<8x3xf32> loc(#loc2)
    return %z : tensor<8x3xf32>
  }
  func.func private @selu(%y: tensor<8x3xf32>) -> tensor<8x3xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<8x3xf32>
    %alpha = stablehlo.constant dense<1.67326319> : tensor<8x3xf32>
    %scale = stablehlo.constant dense<1.05070102> : tensor<8x3xf32>
    %0 = stablehlo.compare GT, %y, %zero, FLOAT : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xi1>
    %1 = stablehlo.exponential_minus_one %y : tensor<8x3xf32>
    %2 = stablehlo.multiply %alpha, %1 : tensor<8x3xf32>
    %3 = stablehlo.select %0, %y, %2 : tensor<8x3xi1>, tensor<8x3xf32>
    %4 = stablehlo.multiply %scale, %3 : tensor<8x3xf32>
    return %4 : tensor<8x3xf32>
  }
}
