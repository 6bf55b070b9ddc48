# y = Wx + b, z = SeLU(y), as Relax prints it, and a kernel.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True, "op_pattern": 0})
        for i in T.thread_binding(4, thread="threadIdx.x"):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                if vi < 3:
                    B[vi] = B[vi] + A[vi] * T.float32(2)
                else:
                    B[vi] = A[vi] if vi == 3 else T.exp(A[vi])
        T.evaluate(T.tvm_storage_sync("shared"))

    @R.function
    def pair(x: R.Tensor(("n",), "float32"), p: R.Prim("int64")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor):
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n * 2,), "float32"))
        return (x, y)

    @R.function(pure=False)
    def main(x: R.Tensor((3,), dtype="float32"), W: R.Tensor((4, 3), "float32"), b: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1, "note": "seed"})
        cls = Module
        @R.function
        def inner(v: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            w: R.Tensor((4,), "float32") = R.add(v, b)
            return w

        with R.dataflow():
            lv: R.Tensor((4,), dtype="float32") = R.matmul(W, x, out_dtype="void")
            y = lv + b
            lv1 = R.nn.selu(y)
            lv2 = R.call_tir(cls.double, (lv1,), out_ty=R.Tensor((4,), "float32"))
            lv3 = R.call_tir(cls.double, (lv1,), out_ty=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
            lv4: R.Tensor((4,), "float32") = lv3[0]
            lv5 = cls.pair(lv4, R.prim_value(4))
            a, d = lv5
            R.output(lv2, a)
        if c:
            r: R.Tensor((4,), "float32") = inner(lv2)
        else:
            r: R.Tensor((4,), "float32") = R.multiply(a, R.const([1, 2, 3, 4.5], "float32"))
        _ = R.print(r, format="{}")
        _1 = R.call_packed("vm.check", r, ty_args=[R.Tensor((4,), "float32")])
        z = r
        return z
