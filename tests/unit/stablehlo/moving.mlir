func.func @pad() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %0 = stablehlo.pad %x, %z, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xi64>, tensor<i64>) -> tensor<5x9xi64>
  check.expect_eq_const %0, dense<[[0, 1, 0, 0, 2, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 4, 0, 0, 5, 0, 0, 6, 0],
                                   [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<5x9xi64>
  %1 = stablehlo.pad %x, %z, low = [-1, 0], high = [0, -2], interior = [0, 1] : (tensor<2x3xi64>, tensor<i64>) -> tensor<1x3xi64>
  check.expect_eq_const %1, dense<[[4, 0, 5]]> : tensor<1x3xi64>
  func.return
}
func.func @slices() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi32>
  %a = stablehlo.constant dense<-1> : tensor<i64>
  %b = stablehlo.constant dense<3> : tensor<i64>
  %0 = stablehlo.dynamic_slice %x, %a, %b, sizes = [2, 2] : (tensor<2x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[2, 3], [6, 7]]> : tensor<2x2xi32>
  %u = stablehlo.constant dense<[[9, 8]]> : tensor<1x2xi32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %b, %b : (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<2x4xi32>
  check.expect_eq_const %1, dense<[[0, 1, 2, 3], [4, 5, 9, 8]]> : tensor<2x4xi32>
  %2 = stablehlo.reverse %x, dims = [1] : tensor<2x4xi32>
  check.expect_eq_const %2, dense<[[3, 2, 1, 0], [7, 6, 5, 4]]> : tensor<2x4xi32>
  %3 = stablehlo.broadcast_in_dim %4, dims = [2, 0] : (tensor<1x3xi32>) -> tensor<3x2x2xi32>
  %4 = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  check.expect_eq_const %3, dense<[[[1, 1], [1, 1]], [[2, 2], [2, 2]], [[3, 3], [3, 3]]]> : tensor<3x2x2xi32>
  %5 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  check.expect_eq_const %5, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  func.return
}
func.func @gather() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12], [13, 14], [15, 16]], [[17, 18], [19, 20], [21, 22], [23, 24]]]> : tensor<3x4x2xi32>
  %i = stablehlo.constant dense<[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]> : tensor<2x3x2xi64>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = false}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
  check.expect_eq_const %0, dense<[[[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]],
                                   [[[9, 10], [11, 12]], [[11, 12], [13, 14]], [[17, 18], [19, 20]]]]> : tensor<2x3x2x2xi32>
  %j = stablehlo.constant dense<[2, -1, 9]> : tensor<3xi32>
  %1 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 1, 2>}> : (tensor<3x4x2xi32>, tensor<3xi32>) -> tensor<3x3x2xi32>
  %2 = stablehlo.slice %1 [1:2, 0:3, 0:2] : (tensor<3x3x2xi32>) -> tensor<1x3x2xi32>
  check.expect_eq_const %2, dense<[[[13, 14], [9, 10], [15, 16]]]> : tensor<1x3x2xi32>
  func.return
}
func.func @scatter() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %i = stablehlo.constant dense<[[0, 1], [1, 3], [0, 1]]> : tensor<3x2xi64>
  %u = stablehlo.constant dense<[[10, 20], [30, 40], [1, 1]]> : tensor<3x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2x4xi32>, tensor<3x2xi64>, tensor<3x2xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %0, dense<[[1, 13, 24, 4], [5, 6, 7, 38]]> : tensor<2x4xi32>
  func.return
}
func.func @sort() {
  %k = stablehlo.constant dense<[[1, 2, 3], [3, 2, 1]]> : tensor<2x3xi64>
  %v = stablehlo.constant dense<[[3, 2, 1], [1, 2, 3]]> : tensor<2x3xi64>
  %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>):
    %p = stablehlo.compare GT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x3xi64>, tensor<2x3xi64>) -> (tensor<2x3xi64>, tensor<2x3xi64>)
  check.expect_eq_const %0#0, dense<[[3, 2, 3], [1, 2, 1]]> : tensor<2x3xi64>
  check.expect_eq_const %0#1, dense<[[1, 2, 1], [3, 2, 3]]> : tensor<2x3xi64>
  func.return
}

// ONNX's Concat, Slice, Pad and Expand take no integers of 4 bits: they are moved in 8.
func.func @narrow() {
  %x = stablehlo.constant dense<[[1, -2, 3], [-4, 5, -6]]> : tensor<2x3xi4>
  %z = stablehlo.constant dense<-3> : tensor<i4>
  %0 = "stablehlo.concatenate"(%x, %x) {dimension = 0 : i64} : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<4x3xi4>
  check.expect_eq_const %0, dense<[[1, -2, 3], [-4, 5, -6], [1, -2, 3], [-4, 5, -6]]> : tensor<4x3xi4>
  %1 = stablehlo.slice %x [0:2, 1:3] : (tensor<2x3xi4>) -> tensor<2x2xi4>
  check.expect_eq_const %1, dense<[[-2, 3], [5, -6]]> : tensor<2x2xi4>
  %2 = stablehlo.pad %x, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xi4>, tensor<i4>) -> tensor<3x3xi4>
  check.expect_eq_const %2, dense<[[-3, -3, -3], [1, -2, 3], [-4, 5, -6]]> : tensor<3x3xi4>
  %3 = stablehlo.reverse %x, dims = [1] : tensor<2x3xi4>
  check.expect_eq_const %3, dense<[[3, -2, 1], [-6, 5, -4]]> : tensor<2x3xi4>
  return
}
func.func @spread_and_padded() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %zero = stablehlo.constant dense<-1> : tensor<i64>
  %low = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %high = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %between = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %x, %zero, %low, %high, %between : (tensor<2x2xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x3xi64>
  check.expect_eq_const %0, dense<[[-1, -1, -1], [-1, 2, -1], [-1, 4, -1]]> : tensor<3x3xi64>
  func.return
}
func.func @largest_of_bools() {
  %x = stablehlo.constant dense<[false, true, false]> : tensor<3xi1>
  %0:2 = chlo.top_k(%x, k = 2) : tensor<3xi1> -> (tensor<2xi1>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[true, false]> : tensor<2xi1>
  check.expect_eq_const %0#1, dense<[1, 0]> : tensor<2xi32>
  func.return
}
func.func @nothing() {
  %x = stablehlo.constant dense<1.0> : tensor<1x1x2xf32>
  %w = stablehlo.constant dense<1.0> : tensor<1x1x4xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x4xf32>) -> tensor<1x1x0xf32>
  check.expect_eq_const %0, dense<> : tensor<1x1x0xf32>
  func.return
}
// Windows of an image whose channels are last, and of one without a batch.
func.func @windows() {
  %x = stablehlo.constant dense<[[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]], [[7.0], [8.0], [9.0]]]]> : tensor<1x3x3x1xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %most = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %least) <{padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x3x3x1xf32>, tensor<f32>) -> tensor<1x2x3x1xf32>
  check.expect_eq_const %0, dense<[[[[2.0], [3.0], [3.0]], [[8.0], [9.0], [9.0]]]]> : tensor<1x2x3x1xf32>
  %1 = "stablehlo.reduce_window"(%x, %most) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_dilations = array<i64: 1, 2, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x3x3x1xf32>, tensor<f32>) -> tensor<1x1x2x1xf32>
  check.expect_eq_const %1, dense<[[[[1.0], [2.0]]]]> : tensor<1x1x2x1xf32>
  %y = stablehlo.reshape %x : (tensor<1x3x3x1xf32>) -> tensor<3x3xf32>
  %2 = "stablehlo.reduce_window"(%y, %zero) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x2xf32>
  check.expect_eq_const %2, dense<[[3.0, 5.0], [12.0, 16.0], [24.0, 28.0]]> : tensor<3x2xf32>
  func.return
}
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @spread() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {?}]> : tensor<2x2xi64>
  %1 = stablehlo.add %0, %x : tensor<2x2xi64>
  %2 = sdy.reshard %1 <@mesh, [{}, {"y"}]> : tensor<2x2xi64>
  check.expect_eq_const %2, dense<[[2, 4], [6, 8]]> : tensor<2x2xi64>
  func.return
}
