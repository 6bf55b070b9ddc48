func.func @arithmetic() {
  %a = stablehlo.constant dense<[7, -7, 5, -128]> : tensor<4xi8>
  %b = stablehlo.constant dense<[2, 2, -3, 1]> : tensor<4xi8>
  %0 = stablehlo.divide %a, %b : tensor<4xi8>
  check.expect_eq_const %0, dense<[3, -3, -1, -128]> : tensor<4xi8>
  %1 = stablehlo.remainder %a, %b : tensor<4xi8>
  check.expect_eq_const %1, dense<[1, -1, 2, 0]> : tensor<4xi8>
  %2 = stablehlo.subtract %a, %b : tensor<4xi8>
  check.expect_eq_const %2, dense<[5, -9, 8, 127]> : tensor<4xi8>
  %3 = stablehlo.negate %a : tensor<4xi8>
  check.expect_eq_const %3, dense<[-7, 7, -5, -128]> : tensor<4xi8>
  func.return
}
func.func @narrow() {
  %a = stablehlo.constant dense<[7, -8, 3]> : tensor<3xi4>
  %b = stablehlo.constant dense<[1, -1, 2]> : tensor<3xi4>
  %0 = stablehlo.add %a, %b : tensor<3xi4>
  check.expect_eq_const %0, dense<[-8, 7, 5]> : tensor<3xi4>
  func.return
}
func.func @shifts() {
  %a = stablehlo.constant dense<[-1, 1, -128, 64]> : tensor<4xi8>
  %b = stablehlo.constant dense<[4, 7, 9, 1]> : tensor<4xi8>
  %0 = stablehlo.shift_left %a, %b : tensor<4xi8>
  check.expect_eq_const %0, dense<[-16, -128, 0, -128]> : tensor<4xi8>
  %1 = stablehlo.shift_right_logical %a, %b : tensor<4xi8>
  check.expect_eq_const %1, dense<[15, 0, 0, 32]> : tensor<4xi8>
  %2 = stablehlo.shift_right_arithmetic %a, %b : tensor<4xi8>
  check.expect_eq_const %2, dense<[-1, 0, -1, 32]> : tensor<4xi8>
  %3 = stablehlo.popcnt %a : tensor<4xi8>
  check.expect_eq_const %3, dense<[8, 1, 1, 1]> : tensor<4xi8>
  %4 = stablehlo.count_leading_zeros %a : tensor<4xi8>
  check.expect_eq_const %4, dense<[0, 7, 0, 1]> : tensor<4xi8>
  func.return
}
func.func @edges() {
  %x = stablehlo.constant dense<[-0.0, 0.0, 0x7FC00000, 0x7F800000, -2.5, 2.5]> : tensor<6xf32>
  %0 = stablehlo.sign %x : tensor<6xf32>
  check.expect_eq_const %0, dense<[-0.0, 0.0, 0x7FC00000, 1.0, -1.0, 1.0]> : tensor<6xf32>
  %1 = stablehlo.round_nearest_afz %x : tensor<6xf32>
  check.expect_eq_const %1, dense<[-0.0, 0.0, 0x7FC00000, 0x7F800000, -3.0, 3.0]> : tensor<6xf32>
  %2 = stablehlo.round_nearest_even %x : tensor<6xf32>
  check.expect_eq_const %2, dense<[-0.0, 0.0, 0x7FC00000, 0x7F800000, -2.0, 2.0]> : tensor<6xf32>
  %3 = stablehlo.is_finite %x : (tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %3, dense<[true, true, false, false, true, true]> : tensor<6xi1>
  %y = stablehlo.constant dense<[0.0, -0.0, 1.0, 0xFF800000, -2.5, -2.5]> : tensor<6xf32>
  %4 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %4, dense<[true, false, false, false, false, false]> : tensor<6xi1>
  %5 = stablehlo.atan2 %x, %y : tensor<6xf32>
  check.expect_close %5, %6 : tensor<6xf32>, tensor<6xf32>
  %6 = stablehlo.constant dense<[-0.0, 3.14159265, 0x7FC00000, 2.35619449, -2.35619449, 2.35619449]> : tensor<6xf32>
  func.return
}
func.func @small() {
  %x = stablehlo.constant dense<[1.0e-10, -1.0e-10, 2.0, 27.0]> : tensor<4xf32>
  %0 = stablehlo.exponential_minus_one %x : tensor<4xf32>
  check.expect_eq_const %1, dense<[1.0e-10, -1.0e-10]> : tensor<2xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %2 = stablehlo.log_plus_one %x : tensor<4xf32>
  %3 = stablehlo.slice %2 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  check.expect_eq_const %3, dense<[1.0e-10, -1.0e-10]> : tensor<2xf32>
  %4 = stablehlo.cbrt %x : tensor<4xf32>
  %5 = stablehlo.slice %4 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
  check.expect_eq_const %5, dense<3.0> : tensor<1xf32>
  %6 = stablehlo.reduce_precision %x, format = e8m2 : tensor<4xf32>
  %7 = stablehlo.slice %6 [2:4] : (tensor<4xf32>) -> tensor<2xf32>
  check.expect_eq_const %7, dense<[2.0, 28.0]> : tensor<2xf32>
  func.return
}
func.func @next_after_of_half() {
  %x = stablehlo.constant dense<[1.0, 0.0, -2.0]> : tensor<3xf16>
  %y = stablehlo.constant dense<[2.0, -1.0, -2.0]> : tensor<3xf16>
  %0 = chlo.next_after %x, %y : tensor<3xf16>, tensor<3xf16> -> tensor<3xf16>
  check.expect_eq_const %0, dense<[1.000977e+00, -5.960464e-08, -2.0]> : tensor<3xf16>
  func.return
}
func.func @bits_of_other_widths() {
  %a = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x4xui8>
  check.expect_eq_const %0, dense<[[0, 0, 128, 63], [0, 0, 0, 192]]> : tensor<2x4xui8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x4xui8>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[1.0, -2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[[1, -1], [-8, 7]]> : tensor<2x2xi4>
  %2 = stablehlo.bitcast_convert %b : (tensor<2x2xi4>) -> tensor<2xi8>
  check.expect_eq_const %2, dense<[-15, 120]> : tensor<2xi8>
  %3 = stablehlo.bitcast_convert %2 : (tensor<2xi8>) -> tensor<2x2xi4>
  check.expect_eq_const %3, dense<[[1, -1], [-8, 7]]> : tensor<2x2xi4>
  %c = stablehlo.constant dense<[[0, 1072693248], [-1, -1]]> : tensor<2x2xi32>
  %4 = stablehlo.bitcast_convert %c : (tensor<2x2xi32>) -> tensor<2xi64>
  check.expect_eq_const %4, dense<[4607182418800017408, -1]> : tensor<2xi64>
  %5 = stablehlo.bitcast_convert %4 : (tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %5, dense<[[0, 1072693248], [-1, -1]]> : tensor<2x2xi32>
  %d = stablehlo.constant dense<[258, -1]> : tensor<2xi16>
  %6 = stablehlo.bitcast_convert %d : (tensor<2xi16>) -> tensor<2x2xi8>
  check.expect_eq_const %6, dense<[[2, 1], [-1, -1]]> : tensor<2x2xi8>
  %7 = stablehlo.bitcast_convert %6 : (tensor<2x2xi8>) -> tensor<2xi16>
  check.expect_eq_const %7, dense<[258, -1]> : tensor<2xi16>
  func.return
}
// 1.2 keeps 10 bits; the greatest double and NaN go to infinity with no bit left; what a half cannot hold goes to 0 or infinity.
func.func @less_precision() {
  %x = stablehlo.constant dense<[1.2006864362520839, 65520.0, 1.0e-8, -1.0e300, 0.1]> : tensor<5xf64>
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<5xf64>
  check.expect_eq_const %0, dense<[1.201171875, 0x7FF0000000000000, 0.0, 0xFFF0000000000000, 0.0999755859375]> : tensor<5xf64>
  %1 = stablehlo.reduce_precision %x, format = e11m23 : tensor<5xf64>
  check.expect_eq_const %1, dense<[1.2006864547729492, 65520.0, 9.99999993922529e-09, -9.999999800371198e+299, 0.10000000149011612]> : tensor<5xf64>
  %y = stablehlo.constant dense<[0x7FEFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 5.0, 0x7FF0000000000000]> : tensor<4xf64>
  %2 = stablehlo.reduce_precision %y, format = e11m0 : tensor<4xf64>
  check.expect_eq_const %2, dense<[0x7FF0000000000000, 0x7FF0000000000000, 4.0, 0x7FF0000000000000]> : tensor<4xf64>
  func.return
}
func.func @bits_of_bools() {
  %x = stablehlo.constant dense<[[true, false, true, false, false, false, false, true], [true, true, true, true, true, true, true, false]]> : tensor<2x8xi1>
  %0 = stablehlo.bitcast_convert %x : (tensor<2x8xi1>) -> tensor<2xi8>
  check.expect_eq_const %0, dense<[-123, 127]> : tensor<2xi8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xi8>) -> tensor<2x8xi1>
  check.expect_eq %1, %x : tensor<2x8xi1>
  func.return
}
// What is close: so many steps of the type, or the given distance.
func.func @tolerances() {
  %x = stablehlo.constant dense<[1000.0, 1.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[1000.25, 1.0]> : tensor<2xf32>
  check.expect_close %x, %y, max_ulp_difference = 4096 : tensor<2xf32>, tensor<2xf32>
  check.expect_almost_eq_const %x, dense<[1000.25, 1.0]> : tensor<2xf32> {tolerance = 0.5 : f64}
  func.return
}
func.func @bessel() {
  %x = stablehlo.constant dense<[0.5, -3.0, 30.0, 0.0]> : tensor<4xf64>
  %0 = chlo.bessel_i1e %x : tensor<4xf64> -> tensor<4xf64>
  check.expect_almost_eq_const %0, dense<[0.15642080318487, -0.1968267132973, 0.071916330598648, 0.0]> : tensor<4xf64> {tolerance = 1.0e-12 : f64}
  func.return
}
