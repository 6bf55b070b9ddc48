// Bodies that compute with complex numbers: both parts go in and come out.
func.func @product() {
  %z = stablehlo.constant dense<[(1.0, 1.0), (0.0, 2.0), (3.0, -1.0)]> : tensor<3xcomplex<f32>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%z init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  check.expect_eq_const %0, dense<(-4.0, 8.0)> : tensor<complex<f32>>
  func.return
}
func.func @cumulative_product() {
  %z = stablehlo.constant dense<[(1.0, 1.0), (0.0, 2.0), (3.0, -1.0)]> : tensor<3xcomplex<f64>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %0 = "stablehlo.reduce_window"(%z, %one) <{padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
    %1 = stablehlo.multiply %a, %b : tensor<complex<f64>>
    stablehlo.return %1 : tensor<complex<f64>>
  }) : (tensor<3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
  check.expect_eq_const %0, dense<[(1.0, 1.0), (-2.0, 2.0), (-4.0, 8.0)]> : tensor<3xcomplex<f64>>
  func.return
}
// The greatest real part, and where it is: a complex operand beside one of integers.
func.func @greatest_and_place() {
  %z = stablehlo.constant dense<[(1.0, 5.0), (7.0, -2.0), (3.0, 9.0)]> : tensor<3xcomplex<f32>>
  %i = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
  %least = stablehlo.constant dense<(-100.0, 0.0)> : tensor<complex<f32>>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%z, %i, %least, %nowhere) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<complex<f32>>, %ai: tensor<i32>, %b: tensor<complex<f32>>, %bi: tensor<i32>):
    %ar = stablehlo.real %a : (tensor<complex<f32>>) -> tensor<f32>
    %br = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
    %p = stablehlo.compare GT, %ar, %br : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<complex<f32>>
    %w = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<complex<f32>>, tensor<i32>
  }) : (tensor<3xcomplex<f32>>, tensor<3xi32>, tensor<complex<f32>>, tensor<i32>) -> (tensor<complex<f32>>, tensor<i32>)
  check.expect_eq_const %0#0, dense<(7.0, -2.0)> : tensor<complex<f32>>
  check.expect_eq_const %0#1, dense<1> : tensor<i32>
  func.return
}
// By the imaginary part, downwards; constants of the body are its own.
func.func @sorted() {
  %z = stablehlo.constant dense<[(1.0, 5.0), (7.0, -2.0), (3.0, 9.0)]> : tensor<3xcomplex<f32>>
  %k = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %0:2 = "stablehlo.sort"(%z, %k) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>, %ak: tensor<i32>, %bk: tensor<i32>):
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %ai = stablehlo.imag %a : (tensor<complex<f32>>) -> tensor<f32>
    %bi = stablehlo.imag %b : (tensor<complex<f32>>) -> tensor<f32>
    %twice = stablehlo.multiply %ai, %two : tensor<f32>
    %other = stablehlo.multiply %bi, %two : tensor<f32>
    %p = stablehlo.compare GT, %twice, %other : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<3xcomplex<f32>>, tensor<3xi32>) -> (tensor<3xcomplex<f32>>, tensor<3xi32>)
  check.expect_eq_const %0#0, dense<[(3.0, 9.0), (1.0, 5.0), (7.0, -2.0)]> : tensor<3xcomplex<f32>>
  check.expect_eq_const %0#1, dense<[30, 10, 20]> : tensor<3xi32>
  func.return
}
func.func @sorted_alone() {
  %z = stablehlo.constant dense<[(1.0, 5.0), (7.0, -2.0), (3.0, 9.0)]> : tensor<3xcomplex<f32>>
  %0 = "stablehlo.sort"(%z) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %ar = stablehlo.real %a : (tensor<complex<f32>>) -> tensor<f32>
    %br = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
    %p = stablehlo.compare GT, %ar, %br : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_eq_const %0, dense<[(7.0, -2.0), (3.0, 9.0), (1.0, 5.0)]> : tensor<3xcomplex<f32>>
  func.return
}
// A loop that carries a complex number: (1 + i)^8 is 16.
func.func @powers() {
  %n = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %by = stablehlo.constant dense<(1.0, 1.0)> : tensor<complex<f32>>
  %0:2 = stablehlo.while(%i = %n, %z = %one) : tensor<i32>, tensor<complex<f32>>
    cond {
      %end = stablehlo.constant dense<8> : tensor<i32>
      %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %step = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %step : tensor<i32>
      %w = stablehlo.multiply %z, %by : tensor<complex<f32>>
      stablehlo.return %next, %w : tensor<i32>, tensor<complex<f32>>
    }
  check.expect_almost_eq_const %0#1, dense<(16.0, 0.0)> : tensor<complex<f32>>
  func.return
}
func.func @extremes() {
  %z = stablehlo.constant dense<[(1.0, 5.0), (7.0, -2.0), (3.0, 9.0)]> : tensor<3xcomplex<f32>>
  %w = stablehlo.constant dense<[(1.0, 6.0), (2.0, 8.0), (3.0, 9.0)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.maximum %z, %w : tensor<3xcomplex<f32>>
  check.expect_eq_const %0, dense<[(1.0, 6.0), (7.0, -2.0), (3.0, 9.0)]> : tensor<3xcomplex<f32>>
  %1 = stablehlo.minimum %z, %w : tensor<3xcomplex<f32>>
  check.expect_eq_const %1, dense<[(1.0, 5.0), (2.0, 8.0), (3.0, 9.0)]> : tensor<3xcomplex<f32>>
  func.return
}
// numpy: -1j * log ((w + 1j * z) / sqrt (w * w + z * z)), and z ** (1 / 3)
func.func @angle_and_root() {
  %z = stablehlo.constant dense<[(0.5, 0.25), (-1.0, 2.0)]> : tensor<2xcomplex<f64>>
  %w = stablehlo.constant dense<[(2.0, -0.5), (1.0, 1.0)]> : tensor<2xcomplex<f64>>
  %0 = stablehlo.atan2 %z, %w : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %0, dense<[(0.209112164790, 0.170722670098), (-1.864797628569, 0.641237339365)]> : tensor<2xcomplex<f64>>
  %1 = stablehlo.cbrt %z : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %1, dense<[(0.813955938275, 0.126807470979), (1.018322195143, 0.820363244884)]> : tensor<2xcomplex<f64>>
  func.return
}
func.func @bits() {
  %z = stablehlo.constant dense<[(1.0, -2.0), (0.5, 0.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[1.0, -2.0], [0.5, 0.0]]> : tensor<2x2xf32>
  %1 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<2xui64>
  check.expect_eq_const %1, dense<[13835058056347516928, 1056964608]> : tensor<2xui64>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2xui64>) -> tensor<2xcomplex<f32>>
  check.expect_eq %2, %z : tensor<2xcomplex<f32>>
  %3 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<complex<f64>>
  %4 = stablehlo.bitcast_convert %3 : (tensor<complex<f64>>) -> tensor<2xcomplex<f32>>
  check.expect_eq %4, %z : tensor<2xcomplex<f32>>
  %5 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  check.expect_eq %5, %z : tensor<2xcomplex<f32>>
  func.return
}
func.func @of_real_numbers() {
  %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf64>
  %0 = stablehlo.real %x : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_eq_const %0, dense<[1.5, -2.0]> : tensor<2xf64>
  %1 = stablehlo.imag %x : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_eq_const %1, dense<0.0> : tensor<2xf64>
  func.return
}
func.func @nothing() {
  %z = stablehlo.constant dense<> : tensor<2x0x3xcomplex<f32>>
  %0 = stablehlo.fft %z, type = IRFFT, length = [4] : (tensor<2x0x3xcomplex<f32>>) -> tensor<2x0x4xf32>
  check.expect_eq_const %0, dense<> : tensor<2x0x4xf32>
  %1 = stablehlo.fft %z, type = FFT, length = [3] : (tensor<2x0x3xcomplex<f32>>) -> tensor<2x0x3xcomplex<f32>>
  check.expect_eq %1, %z : tensor<2x0x3xcomplex<f32>>
  func.return
}
