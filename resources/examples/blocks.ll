; A sum over an array, in the blocks that a front end makes: simplifycfg joins them, licm takes the product out of the loop,
; and each step is run on made-up numbers before and after.
define i32 @scaled_sum(ptr %p, i32 %n, i32 %a, i32 %b) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %s = phi i32 [ 0, %entry ], [ %s.next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done

body:
  %scale = mul i32 %a, %b
  %at = getelementptr inbounds i32, ptr %p, i32 %i
  br label %read

read:
  %v = load i32, ptr %at, align 4
  %w = mul i32 %v, %scale
  br label %latch

latch:
  %s.next = add i32 %s, %w
  %i.next = add nsw i32 %i, 1
  br label %head

done:
  ret i32 %s
}
