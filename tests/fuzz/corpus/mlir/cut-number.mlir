func.func @f(%a: tensor<4xf32>) -> tensor<2xf32> {
  %0:12 = "x.y"(%a) : (tensor<4xf32>) -> tensor<2xf32> loc("a":10:12)
