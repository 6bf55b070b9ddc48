/* transformer.c: a made-up transformer of any size, for benchmarks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/transformer.h"

#include "core/ops/op.h"

typedef struct
{
  PhGraph *graph;
  guint block;
  gboolean scoped;
  guint n;
  const PhType *type;
} Maker;

static PhValue *
make (Maker *maker, const char *scope, const char *op_type, PhValue *a, PhValue *b)
{
  PhValue *inputs[2] = { a, b };
  g_autofree char *name = maker->scoped ? g_strdup_printf ("/h.%u/%s/%s_%u", maker->block, scope, op_type, maker->n)
                                        : g_strdup_printf ("%s_%u", op_type, maker->n);
  g_autoptr (GError) error = NULL;
  /* clang-format off */
  const PhNodeSpec spec = {
    .op = ph_op_find ("", op_type), .op_type = op_type, .domain = "", .name = name, .inputs = inputs,
    .n_inputs = b != NULL ? 2 : 1, .n_outputs = 1, .output_types = &maker->type
  };
  /* clang-format on */
  PhNode *node = ph_graph_add_node (maker->graph, &spec, &error);

  g_assert_no_error (error);
  maker->n++;
  return node->outputs->pdata[0];
}

/* Normalisation as an exporter writes it: 9 operators. */
static PhValue *
norm (Maker *maker, const char *scope, PhValue *x)
{
  PhValue *mean = make (maker, scope, "Identity", x, NULL), *centred = make (maker, scope, "Sub", x, mean);
  PhValue *square = make (maker, scope, "Mul", centred, centred), *variance = make (maker, scope, "Abs", square, NULL);
  PhValue *root = make (maker, scope, "Sqrt", make (maker, scope, "Abs", variance, NULL), NULL);
  PhValue *scaled = make (maker, scope, "Div", centred, root);

  return make (maker, scope, "Abs", make (maker, scope, "Neg", scaled, NULL), NULL);
}

static PhValue *
chain (Maker *maker, const char *scope, PhValue *x, const char *const *ops)
{
  for (; *ops != NULL; ops++)
    x = make (maker, scope, *ops, x, NULL);
  return x;
}

static PhValue *
block (Maker *maker, PhValue *x, PhValue *mask)
{
  static const char *const project[] = { "Neg", "Abs", "Identity", "Neg", NULL };
  static const char *const out[] = { "Identity", "Neg", "Abs", NULL };
  static const char *const gelu[] = { "Tanh", "Exp", "Sqrt", "Log", "Neg", "Abs", NULL };
  PhValue *n = norm (maker, "ln_1", x);
  PhValue *q = chain (maker, "attn", n, project), *k = chain (maker, "attn", n, project), *v = chain (maker, "attn", n, project);
  PhValue *scores = make (maker, "attn", "Mul", q, k);

  if (mask != NULL)
    scores = make (maker, "attn", "Add", scores, mask);
  scores = make (maker, "attn", "Sigmoid", scores, NULL);
  x = make (maker, "attn", "Add", x, chain (maker, "attn", make (maker, "attn", "Mul", scores, v), out));
  n = norm (maker, "ln_2", x);
  n = chain (maker, "mlp", n, gelu);
  return make (maker, "mlp", "Add", x, n);
}

PhModel *
ph_bench_transformer (guint n_nodes, gboolean mask, gboolean scoped)
{
  PhModel *model = ph_model_new ();
  Maker maker = { model->graph, 0, scoped, 0, ph_type_static (PH_FLOAT, 3, (gint64[]) { 1, 128, 768 }) };
  g_autoptr (GError) error = NULL;
  PhValue *x = ph_graph_add_input (model->graph, "x", maker.type, NULL, G_MAXUINT, &error);
  PhValue *m = mask ? ph_graph_add_input (model->graph, "mask", maker.type, NULL, G_MAXUINT, &error) : NULL;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  if (m != NULL)
    {
      maker.scoped = FALSE;
      m = make (&maker, "", "Neg", m, NULL);
      maker.scoped = scoped;
    }
  for (; maker.n < n_nodes; maker.block++)
    x = block (&maker, x, m);
  ph_graph_set_output (model->graph, 0, x, &error);
  g_assert_no_error (error);
  return model;
}
