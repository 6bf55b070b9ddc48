def forward(self, x):
  y **=__torch__.torch.nn.functional.dropout
  y = y(x, 0.5, False)
  return y
