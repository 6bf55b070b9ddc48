/* rnn-build.c: recurrent layers out of simpler operators: for their gradients.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/rnn.h"

#define AXIS(n_) ph_attr_new_int ("axis", n_)

static PhValue *
number (PhBuilder *b, const PhValue *like, double value)
{
  return ph_build_scalar (b, like != NULL && like->type != NULL ? like->type->dtype : PH_FLOAT, value);
}

static PhValue *
build_activation (PhBuilder *b, const PhRecurrent *cell, guint i, PhValue *x)
{
  const PhRecurrentActivation *f = &cell->f[i];

  if (x != NULL && cell->clip > 0)
    x = PH_BUILD (b, Clip, x, number (b, x, -cell->clip), number (b, x, cell->clip));
  if (g_str_equal (f->name, "Relu"))
    return PH_BUILD (b, Relu, x);
  if (g_str_equal (f->name, "Tanh"))
    return PH_BUILD (b, Tanh, x);
  if (g_str_equal (f->name, "Affine"))
    return PH_BUILD (b, Add, PH_BUILD (b, Mul, x, number (b, x, f->alpha)), number (b, x, f->beta));
  if (g_str_equal (f->name, "ScaledTanh"))
    return PH_BUILD (b, Mul, PH_BUILD (b, Tanh, PH_BUILD (b, Mul, x, number (b, x, f->beta))), number (b, x, f->alpha));
  if (g_str_equal (f->name, "LeakyRelu"))
    return PH_BUILD_WITH (b, LeakyRelu, PH_ATTRS (ph_attr_new_float ("alpha", f->alpha)), x);
  if (g_str_equal (f->name, "ThresholdedRelu"))
    return PH_BUILD_WITH (b, ThresholdedRelu, PH_ATTRS (ph_attr_new_float ("alpha", f->alpha)), x);
  if (g_str_equal (f->name, "Elu"))
    return PH_BUILD_WITH (b, Elu, PH_ATTRS (ph_attr_new_float ("alpha", f->alpha)), x);
  if (g_str_equal (f->name, "HardSigmoid"))
    return PH_BUILD_WITH (b, HardSigmoid, PH_ATTRS (ph_attr_new_float ("alpha", f->alpha), ph_attr_new_float ("beta", f->beta)),
                          x);
  if (g_str_equal (f->name, "Softsign"))
    return PH_BUILD (b, Softsign, x);
  if (g_str_equal (f->name, "Softplus"))
    return PH_BUILD (b, Softplus, x);
  return PH_BUILD (b, Sigmoid, x);
}

/* Parts of equal size along the last axis. */
static gboolean
split (PhBuilder *b, PhValue *x, guint n, PhValue **parts)
{
  PhValue *first = ph_build_node (b, &ph_op_Split, &x, 1, PH_ATTRS (AXIS (-1), ph_attr_new_int ("num_outputs", n)), n);

  for (guint i = 0; first != NULL && i < n; i++)
    parts[i] = ph_node_output (first->producer, i);
  return first != NULL;
}

/* Rows @from to @to of @x along its first axis. */
static PhValue *
rows (PhBuilder *b, PhValue *x, gint64 from, gint64 to)
{
  return PH_BUILD (b, Slice, x, ph_build_ints (b, &from, 1), ph_build_ints (b, &to, 1), ph_build_ints (b, (gint64[]) { 0 }, 1));
}

/* The weights of one direction, prepared outside of the body: R transposed, biases and peepholes as vectors. */
typedef struct
{
  PhValue *r, *r_hidden, *bias, *bias_hidden, *p[3];
} Weights;

/* Builds one step of @cell in direction @d: from the state and the weighted input to the new state. */
static gboolean
build_step (PhBuilder *b, const PhRecurrent *cell, guint d, const Weights *w, PhValue *xw, PhValue *h, PhValue *c,
            PhValue **new_h, PhValue **new_c)
{
  guint f = d * cell->per_direction;
  PhValue *x[4] = { NULL }, *r[4] = { NULL }, *g[4] = { NULL }, *one = number (b, h, 1), *hw;

  hw = PH_BUILD (b, MatMul, h, w->r);
  if (w->bias != NULL)
    hw = PH_BUILD (b, Add, hw, w->bias);
  if (cell->kind == 'R')
    {
      *new_h = build_activation (b, cell, f, PH_BUILD (b, Add, xw, hw));
      return b->error == NULL;
    }
  if (cell->kind == 'G')
    {
      if (!split (b, xw, 3, x) || !split (b, hw, cell->linear_before_reset ? 3 : 2, r))
        return FALSE;
      g[0] = build_activation (b, cell, f, PH_BUILD (b, Add, x[0], r[0]));
      g[1] = build_activation (b, cell, f, PH_BUILD (b, Add, x[1], r[1]));
      if (cell->linear_before_reset)
        hw = PH_BUILD (b, Mul, g[1], r[2]);
      else
        {
          hw = PH_BUILD (b, MatMul, PH_BUILD (b, Mul, g[1], h), w->r_hidden);
          if (w->bias_hidden != NULL)
            hw = PH_BUILD (b, Add, hw, w->bias_hidden);
        }
      g[2] = build_activation (b, cell, f + 1, PH_BUILD (b, Add, x[2], hw));
      *new_h = PH_BUILD (b, Add, PH_BUILD (b, Mul, PH_BUILD (b, Sub, one, g[0]), g[2]), PH_BUILD (b, Mul, g[0], h));
      return b->error == NULL;
    }
  if (!split (b, PH_BUILD (b, Add, xw, hw), 4, g)) /* i, o, f, c */
    return FALSE;
  if (w->p[0] != NULL)
    {
      g[0] = PH_BUILD (b, Add, g[0], PH_BUILD (b, Mul, w->p[0], c));
      g[2] = PH_BUILD (b, Add, g[2], PH_BUILD (b, Mul, w->p[2], c));
    }
  g[0] = build_activation (b, cell, f, g[0]);
  g[2] = cell->coupled ? PH_BUILD (b, Sub, one, g[0]) : build_activation (b, cell, f, g[2]);
  *new_c = PH_BUILD (b, Add, PH_BUILD (b, Mul, g[2], c), PH_BUILD (b, Mul, g[0], build_activation (b, cell, f + 1, g[3])));
  if (w->p[1] != NULL)
    g[1] = PH_BUILD (b, Add, g[1], PH_BUILD (b, Mul, w->p[1], *new_c));
  PhRecurrent unclipped = *cell;

  unclipped.clip = 0;
  *new_h = PH_BUILD (b, Mul, build_activation (b, cell, f, g[1]), build_activation (b, &unclipped, f + 2, *new_c));
  return b->error == NULL;
}

/* Adds an output to the body; outputs must be distinct and computed in it. */
static gboolean
hand_out (PhBuilder *b, PhGraph *body, PhValue *value)
{
  value = PH_BUILD (b, Identity, value);
  return value != NULL && ph_graph_set_output (body, body->outputs->len, value, &b->error);
}

/* Builds the Scan of one direction; @lengths and @places: (nullable) the sequences' lengths and the numbers 0, 1, ... of the steps. */
static PhNode *
build_scan (PhBuilder *b, const PhRecurrent *cell, guint d, const Weights *w, PhValue *xw, PhValue *h, PhValue *c,
            PhValue *lengths, PhValue *places)
{
  gboolean backwards = lengths == NULL && (cell->reverse || d == 1), has_c = cell->kind == 'L';
  PhValue *inputs[4], *new_h = NULL, *new_c = NULL, *state_h, *state_c = NULL, *in, *place = NULL, *y;
  PhValue *names[] = { h, c };
  gint64 direction[2] = { backwards, 0 };
  guint n = 0, n_scans = places != NULL ? 2 : 1;
  PhDim dims[PH_MAX_RANK];
  PhAttr *attrs[4];
  PhBuilder inner = *b;
  PhGraph *body;
  PhNode *node;

  if (b->error != NULL)
    return NULL;
  inputs[n++] = h;
  if (has_c)
    inputs[n++] = c;
  inputs[n++] = xw;
  if (places != NULL)
    inputs[n++] = places;
  attrs[0] = ph_attr_new_int ("num_scan_inputs", n_scans);
  attrs[1] = ph_attr_new_ints ("scan_input_directions", direction, n_scans);
  attrs[2] = ph_attr_new_ints ("scan_output_directions", direction, 1);
  node = ph_graph_add_node (b->graph,
                            &(PhNodeSpec) { .op = &ph_op_Scan,
                                            .op_type = "Scan",
                                            .domain = "",
                                            .name = b->name,
                                            .inputs = inputs,
                                            .n_inputs = n,
                                            .n_outputs = has_c ? 3 : 2,
                                            .attrs = attrs,
                                            .n_attrs = 3,
                                            .before = b->before,
                                            .role = b->role,
                                            .partner = b->partner,
                                            .device = b->device },
                            &b->error);
  for (guint i = 0; i < 3; i++)
    ph_attr_unref (attrs[i]);
  body = node != NULL ? ph_node_add_graph (node, "body", NULL, &b->error) : NULL;
  if (body == NULL)
    return NULL;
  inner.graph = body;
  inner.before = NULL;
  for (guint i = 0; i < (has_c ? 2 : 1); i++)
    {
      PhValue *state = ph_graph_add_input (body, i == 0 ? "h" : "c", names[i]->type, NULL, G_MAXUINT, &b->error);

      if (state == NULL)
        return NULL;
      *(i == 0 ? &state_h : &state_c) = state;
    }
  for (guint i = 1; i < 3; i++)
    dims[i - 1] = xw->type != NULL && xw->type->has_rank && xw->type->rank == 3 ? xw->type->dims[i] : PH_DIM_UNKNOWN;
  in = ph_graph_add_input (body, "x", ph_type_tensor (h->type->dtype, 2, dims), NULL, G_MAXUINT, &b->error);
  if (in != NULL && places != NULL)
    place = ph_graph_add_input (body, "t", ph_type_tensor (PH_INT64, 0, NULL), NULL, G_MAXUINT, &b->error);
  if (b->error != NULL || !build_step (&inner, cell, d, w, in, state_h, state_c, &new_h, &new_c))
    goto out;
  y = new_h;
  if (place != NULL)
    {
      /* Past a sequence's end the state stays and the output is zero. */
      PhValue *inside = PH_BUILD (&inner, Unsqueeze, PH_BUILD (&inner, Less, place, lengths),
                                  ph_build_ints (&inner, (gint64[]) { 1 }, 1));

      y = PH_BUILD (&inner, Where, inside, new_h, number (&inner, h, 0));
      new_h = PH_BUILD (&inner, Where, inside, new_h, state_h);
      if (has_c)
        new_c = PH_BUILD (&inner, Where, inside, new_c, state_c);
    }
  hand_out (&inner, body, new_h);
  if (has_c)
    hand_out (&inner, body, new_c);
  hand_out (&inner, body, y);
out:
  if (b->error == NULL && inner.error != NULL)
    b->error = g_steal_pointer (&inner.error);
  if (b->error != NULL || !ph_infer_one (node, &b->error))
    return NULL;
  return node;
}

static PhValue *
stack (PhBuilder *b, PhValue **parts, gint64 n, gint64 axis)
{
  for (gint64 i = 0; i < n; i++)
    parts[i] = PH_BUILD (b, Unsqueeze, parts[i], ph_build_ints (b, &axis, 1));
  return n == 1 ? parts[0] : ph_build_node (b, &ph_op_Concat, parts, n, PH_ATTRS (AXIS (axis)), 1);
}

static PhValue *
transpose (PhBuilder *b, PhValue *x, gint64 p0, gint64 p1, gint64 p2, gint64 p3)
{
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { p0, p1, p2, p3 }, p3 < 0 ? 3 : 4)), x);
}

static PhValue *
reverse (PhBuilder *b, PhValue *x, PhValue *lengths)
{
  return PH_BUILD_WITH (b, ReverseSequence, PH_ATTRS (ph_attr_new_int ("time_axis", 0), ph_attr_new_int ("batch_axis", 1)), x,
                        lengths);
}

/* Reshapes @value to three axes, its rank by definition, if its type has no rank. @last: the size of the third, or -1 if open. */
static PhValue *
of_three_axes (PhBuilder *b, PhValue *value, gint64 last)
{
  if (value == NULL || (value->type != NULL && value->type->has_rank))
    return value;
  return PH_BUILD (b, Reshape, value, ph_build_ints (b, (gint64[]) { 0, 0, last }, 3));
}

/* Builds the layer from matrix products and a Scan per direction, with @inputs (8, nullable elements). */
static gboolean
build_recurrent (PhBuilder *b, const PhNode *node, PhValue *const *inputs, PhValue **outputs, GError **error)
{
  const PhType *r_type = inputs[2] != NULL ? inputs[2]->type : NULL, *w_type = inputs[1] != NULL ? inputs[1]->type : NULL;
  PhValue *x, *first[2], *lengths = NULL, *places = NULL, *y[2], *y_h[2], *y_c[2], *zeros = NULL;
  PhRecurrent cell;
  const char *wrong = ph_recurrent_init (&cell, node);
  gint64 n;

  if (wrong == NULL && (r_type == NULL || !r_type->has_rank || r_type->rank != 3 || !ph_dim_known (r_type->dims[2])))
    wrong = "the hidden size is not known: fix the shape of R first";
  if (wrong != NULL)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "%s", wrong);
  n = r_type->dims[2].size;
  x = of_three_axes (
      b, inputs[0],
      w_type != NULL && w_type->has_rank && w_type->rank == 3 && ph_dim_known (w_type->dims[2]) ? w_type->dims[2].size : -1);
  first[0] = of_three_axes (b, inputs[5], n);
  first[1] = cell.kind == 'L' ? of_three_axes (b, inputs[6], n) : NULL;
  if (cell.batch_first)
    x = transpose (b, x, 1, 0, 2, -1);
  if (inputs[4] != NULL)
    {
      PhValue *steps = PH_BUILD (b, Gather, PH_BUILD (b, Shape, x), ph_build_scalar (b, PH_INT64, 0));

      lengths = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_INT64)), inputs[4]);
      places = PH_BUILD (b, Range, ph_build_scalar (b, PH_INT64, 0), steps, ph_build_scalar (b, PH_INT64, 1));
    }
  if (inputs[5] == NULL || (cell.kind == 'L' && inputs[6] == NULL))
    zeros = PH_BUILD (
        b, Expand, number (b, x, 0),
        PH_BUILD_WITH (b, Concat, PH_ATTRS (AXIS (0)), rows (b, PH_BUILD (b, Shape, x), 1, 2), ph_build_ints (b, &n, 1)));
  for (gint64 d = 0; d < cell.directions; d++)
    {
      PhValue *at = ph_build_scalar (b, PH_INT64, d), *xw, *r, *bias = NULL, *h = zeros, *c = zeros;
      gint64 axis = cell.batch_first ? 1 : 0, g = cell.gates * n;
      gboolean turned = lengths != NULL && (cell.reverse || d == 1);
      Weights w = { NULL };
      PhNode *scan;

      xw = PH_BUILD (b, MatMul, x, PH_BUILD (b, Transpose, PH_BUILD (b, Gather, inputs[1], at)));
      r = PH_BUILD (b, Gather, inputs[2], at);
      if (inputs[3] != NULL)
        {
          bias = PH_BUILD (b, Gather, inputs[3], at);
          xw = PH_BUILD (b, Add, xw, rows (b, bias, 0, g));
          bias = rows (b, bias, g, 2 * g);
        }
      w.bias = bias;
      if (cell.kind == 'G' && !cell.linear_before_reset)
        {
          w.r_hidden = PH_BUILD (b, Transpose, rows (b, r, 2 * n, g));
          r = rows (b, r, 0, 2 * n);
          if (bias != NULL)
            {
              w.bias_hidden = rows (b, bias, 2 * n, g);
              w.bias = rows (b, bias, 0, 2 * n);
            }
        }
      w.r = PH_BUILD (b, Transpose, r);
      if (cell.kind == 'L' && inputs[7] != NULL)
        for (guint i = 0; i < 3; i++)
          w.p[i] = rows (b, PH_BUILD (b, Gather, inputs[7], at), i * n, (i + 1) * n);
      if (inputs[5] != NULL)
        h = PH_BUILD_WITH (b, Gather, PH_ATTRS (AXIS (axis)), first[0], at);
      if (cell.kind == 'L' && inputs[6] != NULL)
        c = PH_BUILD_WITH (b, Gather, PH_ATTRS (AXIS (axis)), first[1], at);
      if (turned)
        xw = reverse (b, xw, lengths);
      scan = build_scan (b, &cell, d, &w, xw, h, c, lengths, places);
      if (scan == NULL)
        return TRUE; /* the builder keeps the error */
      y_h[d] = ph_node_output (scan, 0);
      y_c[d] = ph_node_output (scan, 1);
      y[d] = ph_node_output (scan, cell.kind == 'L' ? 2 : 1);
      if (turned)
        y[d] = reverse (b, y[d], lengths);
    }
  outputs[0] = stack (b, y, cell.directions, 1);
  outputs[1] = stack (b, y_h, cell.directions, 0);
  outputs[2] = cell.kind == 'L' ? stack (b, y_c, cell.directions, 0) : NULL;
  if (cell.batch_first)
    {
      outputs[0] = transpose (b, outputs[0], 2, 0, 1, 3);
      for (guint i = 1; i < 3; i++)
        outputs[i] = outputs[i] != NULL ? transpose (b, outputs[i], 1, 0, 2, -1) : NULL;
    }
  return TRUE;
}

gboolean
ph_grad_recurrent (PhGrad *grad, GError **error)
{
  return ph_grad_through (grad, build_recurrent, error);
}
