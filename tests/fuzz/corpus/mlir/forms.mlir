#map = affine_map<(d0, d1) -> (d0 * 2 + d1)>
!t = tensor<?x4xf32>
module {
  func.func @a(%arg0: !t, %n: tensor<i32>) -> (!t, tensor<i32>) {
    %0:2 = stablehlo.while(%i = %n, %s = %arg0) : tensor<i32>, !t
     cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<"0x01000000"> : tensor<i32>
      %1 = stablehlo.add %i, %c : tensor<i32>
      stablehlo.return %1, %s : tensor<i32>, !t
    }
    return %0#1, %0#0 : !t, tensor<i32>
  }
  func.func @b(%x: tensor<2x3x9xf32>, %w: tensor<12x1x3xf32>) -> tensor<f32> {
    %z = stablehlo.constant dense_resource<blob> : tensor<f32>
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[1, 0]], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x3x9xf32>, tensor<12x1x3xf32>) -> tensor<2x12x3xf32>
    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x12x3xf32>, tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.gather"(%x, %w) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0]>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3x9xf32>, tensor<12x1x3xf32>) -> tensor<2x3xf32>
    %3 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %4 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }) : (tensor<2x3x9xf32>) -> tensor<2x3x9xf32>
    %5 = stablehlo.slice %x [0:2, 0:3:2, 1:9] : (tensor<2x3x9xf32>) -> tensor<2x2x8xf32>
    %6 = stablehlo.uniform_quantize %x : (tensor<2x3x9xf32>) -> tensor<2x3x9x!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.custom_call @check.expect_eq(%1, %1) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    return %1 : tensor<f32>
  }
}
{-#
  dialect_resources: { builtin: { blob: "0x040000000000803F" } }
#-}
// -----
func.func @c(%m: memref<4xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c0 {
    %0 = memref.load %m[%i] : memref<4xf32>
    "unknown.op"(%0)[^bb1] {map = #map} : (f32) -> ()
  }
  cf.cond_br %p, ^bb1(%c0 : index), ^bb2
^bb1(%k: index):
  my.op <weird> %k with {flag} {
    my.inner %k, %lost
  }
  cf.br ^bb2
^bb2:
  return
}
