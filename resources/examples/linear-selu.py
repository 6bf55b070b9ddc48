# y = W x + b, z = SeLU (y), as FX: what torch.export.export (f, (x, W, b)).run_decompositions () prints as its code.
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8, 4]", W: "f32[3, 4]", b: "f32[3]"):
        # File: linear_selu.py:4 in f, code: y = x @ W.T + b
        permute: "f32[4, 3]" = torch.ops.aten.permute.default(W, [1, 0]);  W = None
        y: "f32[8, 3]" = torch.ops.aten.addmm.default(b, x, permute);  b = x = permute = None

        # File: linear_selu.py:5 in f, code: z = selu (y)
        z: "f32[8, 3]" = torch.ops.aten.elu.default(y, 1.6732632423543772, 1.0507009873554805);  y = None
        return (z,)
