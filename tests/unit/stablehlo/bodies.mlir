func.func @reduce() {
  %x = stablehlo.constant dense<[[0, 1, 2], [5, 4, 3]]> : tensor<2x3xi64>
  %z = stablehlo.constant dense<1> : tensor<i64>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi64>, tensor<i64>) -> tensor<2xi64>
  check.expect_eq_const %0, dense<[4, 13]> : tensor<2xi64>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi64>
  %m = stablehlo.constant dense<-1> : tensor<i64>
  %1:2 = stablehlo.reduce(%x init: %m), (%i init: %m) across dimensions = [1] : (tensor<2x3xi64>, tensor<2x3xi64>, tensor<i64>, tensor<i64>) -> (tensor<2xi64>, tensor<2xi64>)
   reducer(%a: tensor<i64>, %c: tensor<i64>) (%b: tensor<i64>, %d: tensor<i64>) {
    %p = stablehlo.compare GE, %a, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %c : tensor<i1>, tensor<i64>
    %w = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i64>
    stablehlo.return %v, %w : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %1#0, dense<[2, 5]> : tensor<2xi64>
  check.expect_eq_const %1#1, dense<[2, 0]> : tensor<2xi64>
  func.return
}
func.func @windows() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %1 : tensor<i64>
  }) : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  check.expect_eq_const %0, dense<[[0, 0], [3, 4]]> : tensor<2x2xi64>
  %s = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
  func.return
}
func.func @select_and_scatter() {
  %x = stablehlo.constant dense<[[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [4.0, 4.0]]> : tensor<4x2xf32>
  %s = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  check.expect_eq_const %0, dense<[[0.0, 0.0], [0.0, 0.0], [5.0, 14.0], [7.0, 0.0]]> : tensor<4x2xf32>
  func.return
}
func.func @select_and_scatter_integers() {
  %x = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi32>
  %s = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>
  check.expect_eq_const %0, dense<[[5, 6], [0, 0], [7, 0], [0, 8]]> : tensor<4x2xi32>
  func.return
}
func.func @while() {
  %i = stablehlo.constant dense<0> : tensor<i64>
  %o = stablehlo.constant dense<1> : tensor<i64>
  %t = stablehlo.constant dense<10> : tensor<i64>
  %0:2 = stablehlo.while(%a = %i, %b = %i) : tensor<i64>, tensor<i64>
   cond {
    %1 = stablehlo.compare LT, %a, %t : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %a, %o : tensor<i64>
    %2 = func.call @twice(%b) : (tensor<i64>) -> tensor<i64>
    %3 = stablehlo.add %2, %o : tensor<i64>
    stablehlo.return %1, %3 : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %0#1, dense<1023> : tensor<i64>
  func.return
}
func.func private @twice(%x: tensor<i64>) -> tensor<i64> {
  %0 = stablehlo.add %x, %x : tensor<i64>
  func.return %0 : tensor<i64>
}
func.func @case() {
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %x = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xi64>
  }, {
    %1 = stablehlo.add %x, %x : tensor<2xi64>
    stablehlo.return %1 : tensor<2xi64>
  }, {
    %1 = stablehlo.multiply %x, %x : tensor<2xi64>
    stablehlo.return %1 : tensor<2xi64>
  }) : (tensor<i32>) -> tensor<2xi64>
  check.expect_eq_const %0, dense<[9, 16]> : tensor<2xi64>
  func.return
}
func.func @composite() {
  %x = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.composite "my.twice" %x {
    composite_attributes = { n = 2 : i64 }, decomposition = @pair
  } : (tensor<2xi64>) -> tensor<2xi64>
  check.expect_eq_const %0, dense<[6, 8]> : tensor<2xi64>
  func.return
}
func.func private @pair(%x: tensor<2xi64>) -> tensor<2xi64> {
  %0 = stablehlo.add %x, %x : tensor<2xi64>
  func.return %0 : tensor<2xi64>
}
