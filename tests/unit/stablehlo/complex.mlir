// Complex numbers: what numpy computes of them.
func.func @add() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.add %z, %w : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(1.0, 0.0), (1.25, 0.5), (-1.75, -0.75)], [(1.5, -1.25), (-0.5, 0.75), (0.5, -1.25)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @multiply() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.multiply %z, %w : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.875, -0.65625), (0.34375, 0.3125), (0.875, 0.65625)], [(0.71875, -0.75), (-0.09375, -0.1875), (-2.71875, 1.3125)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @divide() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.divide %z, %w : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(-0.428571429, -0.571428571), (1.07692308, 0.384615385), (0.428571429, -0.571428571)], [(0.923076923, -2.38461538), (1.2, 0.6), (-0.509803922, -0.37254902)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @exponential() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.exponential %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.726344598, -0.869740732), (1.7384171, 0.684287172), (0.413609523, 0.0519721612)], [(0.46669569, -2.35304012), (0.639527912, 0.251735182), (0.250866857, -0.0315227092)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @log() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.log %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(-0.123430039, -1.42889927), (-0.316261279, 0.5404195), (-0.123430039, 2.9996956)], [(0.488457677, -1.00406711), (-0.634255663, 2.35619449), (0.322568981, -3.05093277)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @sqrt() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.sqrt %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.71024062, -0.615988424), (0.822760289, 0.227891407), (0.0666463671, 0.93778555)], [(1.11910692, -0.614329147), (0.278684486, 0.672803867), (0.053245315, -1.17381219)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @tanh() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.tanh %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.296087757, -1.15333328), (0.611393186, 0.26015627), (-0.709469336, 0.0629030315)], [(1.36792667, -0.187099183), (-0.405807359, 0.336383797), (-0.882927027, -0.0280433651)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @power() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.power %z, %w : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.66098297, -3.06342537), (0.733181908, 0.225378229), (-12.4697164, -8.99405761)], [(1.2981576, -0.825654457), (0.38548706, -0.227092475), (0.0579847045, 0.0117417832)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @negate() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.negate %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(-0.125, 0.875), (-0.625, -0.375), (0.875, -0.125)], [(-0.875, 1.375), (0.375, -0.375), (1.375, 0.125)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @reverse() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.reverse %z, dims = [1] : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(-0.875, 0.125), (0.625, 0.375), (0.125, -0.875)], [(-1.375, -0.125), (-0.375, 0.375), (0.875, -1.375)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @exponential_minus_one() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.exponential_minus_one %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(-0.273655402, -0.869740732), (0.738417103, 0.684287172), (-0.586390477, 0.0519721612)], [(-0.53330431, -2.35304012), (-0.360472088, 0.251735182), (-0.749133143, -0.0315227092)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @log_plus_one() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.log_plus_one %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.354325684, -0.661043169), (0.511450233, 0.226798848), (-1.73286795, 0.785398163)], [(0.843777846, -0.632748835), (-0.316261279, 0.5404195), (-0.928148995, -2.8198421)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @asin() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.asin %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.0940297079, -0.793087791), (0.604911109, 0.441422113), (-1.01825352, 0.235965905)], [(0.491821345, -1.22752986), (-0.355623742, 0.39006325), (-1.44032932, -0.853396112)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @acos() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.acos %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(1.47676662, 0.793087791), (0.965885218, -0.441422113), (2.58904985, -0.235965905)], [(1.07897498, 1.22752986), (1.92642007, -0.39006325), (3.01112565, 0.853396112)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @atan() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.atan %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.425983164, -1.18184695), (0.606012828, 0.267895904), (-0.723220666, 0.0706417429)], [(1.16433925, -0.488928537), (-0.403335775, 0.335293481), (-0.944566963, -0.0431173151)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @asinh() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.asinh %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.235965905, -1.01825352), (0.618021971, 0.318611911), (-0.793087791, 0.0940297079)], [(1.15288033, -0.910063525), (-0.39006325, 0.355623742), (-1.12554964, -0.073457645)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @acosh() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.acosh %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.793087791, -1.47676662), (0.441422113, 0.965885218), (0.235965905, 2.58904985)], [(1.22752986, -1.07897498), (0.39006325, 1.92642007), (0.853396112, -3.01112565)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @atanh() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.atanh %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.0706417429, -0.723220666), (0.572852948, 0.506098506), (-1.18184695, 0.425983164)], [(0.260604433, -1.05644264), (-0.335293481, 0.403335775), (-0.89726478, -1.43621258)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @sinh() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.sinh %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.0803334282, -0.773547748), (0.620176132, 0.440169364), (-0.983274474, 0.175525649)], [(0.19279807, -1.38096859), (-0.357176344, 0.392329284), (-1.83667552, -0.262310423)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @cosh() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.cosh %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.64601117, -0.0961929844), (1.11824097, 0.244117807), (1.396884, -0.123553488)], [(0.27389762, -0.97207153), (0.996704257, -0.140594101), (2.08754238, 0.230787713)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @tan() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = chlo.tan %z : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.0629030315, -0.709469336), (0.589429373, 0.510753943), (-1.15333328, 0.296087757)], [(0.128206073, -1.01489481), (-0.336383797, 0.405807359), (-3.563238, -2.35842233)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @sine() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.sine %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(0.175525649, -0.983274474), (0.626721296, 0.311289059), (-0.773547748, 0.0803334282)], [(1.61487941, -1.18656118), (-0.392329284, 0.357176344), (-0.988566267, -0.0243818423)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @cosine() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.cosine %z : tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(1.396884, 0.123553488), (0.868655317, -0.224590213), (0.64601117, 0.0961929844)], [(1.34863057, 1.42081403), (0.996704257, 0.140594101), (0.196069592, -0.122931183)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @fft() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.fft %z, type = FFT, length = [3] : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(-0.125, -0.375), (0.466506351, -2.42403811), (0.0334936491, 0.174038106)], [(-0.875, -1.125), (2.1830127, -2.3660254), (1.3169873, -0.633974596)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
func.func @ifft() {
  %z = stablehlo.constant dense<[[(0.125, -0.875), (0.625, 0.375), (-0.875, 0.125)], [(0.875, -1.375), (-0.375, 0.375), (-1.375, -0.125)]]> : tensor<2x3xcomplex<f32>>
  %w = stablehlo.constant dense<[[(0.875, 0.875), (0.625, 0.125), (-0.875, -0.875)], [(0.625, 0.125), (-0.125, 0.375), (1.875, -1.125)]]> : tensor<2x3xcomplex<f32>>
  %r = stablehlo.fft %z, type = IFFT, length = [2, 3] : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  %e = stablehlo.constant dense<[[(-0.166666667, -0.25), (0.225080158, -0.0766560818), (0.441586509, -0.798343918)], [(0.125, 0.125), (-0.213915608, 0.134668784), (-0.286084392, -0.00966878365)]]> : tensor<2x3xcomplex<f32>>
  stablehlo.custom_call @check.expect_close(%r, %e) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
  return
}
