# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(product: T.Buffer((T.int64(8), T.int64(3)), "float32"), b: T.Buffer((T.int64(3),), "float32"), T_add: T.Buffer((T.int64(8), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(8), T.int64(3)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(product[v_ax0, v_ax1], b[v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T_add[v_ax0, v_ax1] = product[v_ax0, v_ax1] + b[v_ax1]

    @T.prim_func(private=True)
    def matmul(x: T.Buffer((T.int64(8), T.int64(4)), "float32"), columns: T.Buffer((T.int64(4), T.int64(3)), "float32"), matmul: T.Buffer((T.int64(8), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(8), T.int64(3), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], columns[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * columns[v_k, v_i1]

    @T.prim_func(private=True)
    def selu(y: T.Buffer((T.int64(8), T.int64(3)), "float32"), compute: T.Buffer((T.int64(8), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(8), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(y[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.float32(1.0507009873554805) * T.if_then_else(T.float32(0.0) < y[v_i0, v_i1], y[v_i0, v_i1], T.float32(1.6732632423543772) * (T.exp(y[v_i0, v_i1]) - T.float32(1.0)))

    @T.prim_func(private=True)
    def transpose(W: T.Buffer((T.int64(3), T.int64(4)), "float32"), T_transpose: T.Buffer((T.int64(4), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for ax0, ax1 in T.grid(T.int64(4), T.int64(3)):
            with T.block("T_transpose"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(W[v_ax1, v_ax0])
                T.writes(T_transpose[v_ax0, v_ax1])
                T_transpose[v_ax0, v_ax1] = W[v_ax1, v_ax0]

    @R.function
    def main(x: R.Tensor((8, 4), dtype="float32"), W: R.Tensor((3, 4), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((8, 3), dtype="float32"):
        cls = Module
        with R.dataflow():
            columns = R.call_tir(cls.transpose, (W,), out_sinfo=R.Tensor((4, 3), dtype="float32"))
            product = R.call_tir(cls.matmul, (x, columns), out_sinfo=R.Tensor((8, 3), dtype="float32"))
            y = R.call_tir(cls.add, (product, b), out_sinfo=R.Tensor((8, 3), dtype="float32"))
            z = R.call_tir(cls.selu, (y,), out_sinfo=R.Tensor((8, 3), dtype="float32"))
            R.output(z)
        return z
