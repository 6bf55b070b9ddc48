# y = W x + b, z = SeLU (y), as TVM's Relax: what print (module.script ()) prints.
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8, 4), dtype="float32"), W: R.Tensor((3, 4), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((8, 3), dtype="float32"):
        with R.dataflow():
            columns: R.Tensor((4, 3), dtype="float32") = R.permute_dims(W, axes=None)
            product: R.Tensor((8, 3), dtype="float32") = R.matmul(x, columns, out_dtype="void")
            y: R.Tensor((8, 3), dtype="float32") = R.add(product, b)
            z: R.Tensor((8, 3), dtype="float32") = R.nn.selu(y)
            R.output(z)
        return z
