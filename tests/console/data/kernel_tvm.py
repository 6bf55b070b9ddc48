from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = x[i] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")):
        a = R.add(x, x)
        b = R.call_tir(Module.double, (a,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return b
