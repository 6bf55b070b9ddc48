func.func @dot_general() {
  %a = stablehlo.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi64>
  %b = stablehlo.constant dense<[[[1, 0], [0, 1]], [[1, 0], [0, 1]]]> : tensor<2x2x2xi64>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>
  check.expect_eq %0, %a : tensor<2x2x2xi64>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [0, 2] x [0, 1] : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2xi64>
  check.expect_eq_const %1, dense<[[74, 88], [106, 128]]> : tensor<2x2xi64>
  func.return
}
func.func @convolution() {
  %x = stablehlo.constant dense<[[[[1], [2], [5], [6]], [[3], [4], [7], [8]], [[10], [11], [14], [15]], [[12], [13], [16], [17]]]]> : tensor<1x4x4x1xi64>
  %w = stablehlo.constant dense<1> : tensor<3x3x1x1xi64>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [4, 4], pad = [[0, 0], [0, 0]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [0, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>) -> tensor<1x2x2x1xi64>
  check.expect_eq_const %0, dense<[[[[10], [26]], [[46], [62]]]]> : tensor<1x2x2x1xi64>
  func.return
}
func.func @batch_groups() {
  %x = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[-1, 1]], reverse = [1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x1x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2xf32>
  check.expect_eq_const %0, dense<[[[2.0, 0.0], [40.0, 0.0]]]> : tensor<1x2x2xf32>
  func.return
}
func.func @triangles() {
  %a = stablehlo.constant dense<[[2.0, 0.0], [4.0, 8.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [12.0]]> : tensor<2x1xf32>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %0, dense<[[1.0], [1.0]]> : tensor<2x1xf32>
  %c = stablehlo.constant dense<[[4.0, 8.0], [8.0, 25.0]]> : tensor<2x2xf32>
  %1 = stablehlo.cholesky %c, lower = true : tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[2.0, 0.0], [4.0, 3.0]]> : tensor<2x2xf32>
  func.return
}
func.func @quantised() {
  %x = stablehlo.constant dense<[1.0, -1.0, 300.0]> : tensor<3xf32>
  %0 = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.add %0, %0 : tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[2.0, -2.0, 62.0]> : tensor<3xf32>
  func.return
}
func.func @ragged_rows() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %b = stablehlo.constant dense<[[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [[2.0, 0.0, 0.0], [0.0, 2.0, 1.0]]]> : tensor<2x2x3xf32>
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x2xf32>, tensor<2x2x3xf32>, tensor<2xi32>) -> tensor<4x3xf32>
  check.expect_eq_const %0, dense<[[1.0, 2.0, 3.0], [6.0, 8.0, 4.0], [10.0, 12.0, 6.0], [0.0, 0.0, 0.0]]> : tensor<4x3xf32>
  func.return
}
func.func @ragged_rows_of_each() {
  %a = stablehlo.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %b = stablehlo.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>
  %s = stablehlo.constant dense<[[1, 1], [2, 0]]> : tensor<2x2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x2x1xf32>, tensor<2x1x1xf32>, tensor<2x2xi32>) -> tensor<2x2x1xf32>
  check.expect_eq_const %0, dense<[[[10.0], [200.0]], [[30.0], [40.0]]]> : tensor<2x2x1xf32>
  func.return
}
func.func @ragged_sums() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %s = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}> : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2x2xf32>
  check.expect_eq_const %0, dense<[[[1.0, 2.0], [4.0, 5.0]], [[3.0, 3.0], [6.0, 6.0]]]> : tensor<2x2x2xf32>
  func.return
}
func.func @ragged_sums_of_each() {
  %a = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %b = stablehlo.constant dense<[[[1.0], [1.0]], [[1.0], [10.0]]]> : tensor<2x2x1xf32>
  %s = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>}> : (tensor<2x1x2xf32>, tensor<2x2x1xf32>, tensor<2x2xi32>) -> tensor<2x2x1x1xf32>
  check.expect_eq_const %0, dense<[[[[3.0]], [[3.0]]], [[[0.0]], [[40.0]]]]> : tensor<2x2x1x1xf32>
  func.return
}
// The bits of a quantised tensor are those of what is stored.
func.func @bits_of_quantised() {
  %x = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:-30, 0.25:-20}>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x!quant.uniform<i8:f32:0, {0.5:-30, 0.25:-20}>>) -> tensor<2xi8>
  check.expect_eq_const %1, dense<[-22, 40]> : tensor<2xi8>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  check.expect_eq_const %3, dense<[-12.5, 18.5]> : tensor<2xf32>
  func.return
}
// The generic form has the dimension numbers in an attribute of the dialect.
func.func @dimension_numbers() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %pad = stablehlo.constant dense<[[0, 1]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %pad) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2>} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x2x1xf32>
  check.expect_eq_const %0, dense<[[[21.0], [43.0]]]> : tensor<1x2x1xf32>
  func.return
}
