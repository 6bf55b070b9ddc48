from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def half(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        with R.dataflow():
            y = R.multiply(x, R.const(0.5, "float32"))
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((4, 3), dtype="float32")):
        R.func_attr({"num_input": 1})
        cls = Module
        with R.dataflow():
            h = cls.half(x)
            wt = R.permute_dims(w, axes=[1, 0])
            y = R.matmul(h, wt, out_dtype="float32")
            parts = R.split(y, indices_or_sections=2, axis=1)
            a = parts[0]
            b = parts[1]
            s = R.add(a, b)
            R.output(s, a)
        return (s, a)
