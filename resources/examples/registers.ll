; Two products of the same registers, one of them through a slot on the stack: mem2reg takes the slot away, gvn one product,
; instcombine the rest.
define i32 @difference(i32 %a, i32 %b) {
entry:
  %slot = alloca i32, align 4
  store i32 %a, ptr %slot, align 4
  %v = load i32, ptr %slot, align 4
  %e = mul i32 %v, %b
  %f = mul i32 %a, %b
  %s = sub i32 %e, %f
  %r = add i32 %s, %b
  ret i32 %r
}
