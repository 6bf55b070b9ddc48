/* rnn.c: RNN, GRU and LSTM.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/rnn.h"

#include <math.h>

/* The activations that ONNX names, with their default parameters. */
/* clang-format off */
static const PhRecurrentActivation activations[] = {
  { "Relu", 0, 0 }, { "Tanh", 0, 0 }, { "Sigmoid", 0, 0 }, { "Affine", 1, 0 }, { "LeakyRelu", 0.01, 0 },
  { "ThresholdedRelu", 1, 0 }, { "ScaledTanh", 1, 1 }, { "HardSigmoid", 0.2, 0.5 }, { "Elu", 1, 0 }, { "Softsign", 0, 0 },
  { "Softplus", 0, 0 },
};
/* clang-format on */
#define ACTIVATIONS "Relu|Tanh|Sigmoid|Affine|LeakyRelu|ThresholdedRelu|ScaledTanh|HardSigmoid|Elu|Softsign|Softplus"

static double
activate (const PhRecurrentActivation *f, double x)
{
  switch (f->name[0])
    {
    case 'R': return x > 0 || isnan (x) ? x : 0;
    case 'A': return f->alpha * x + f->beta;
    case 'L': return x < 0 ? f->alpha * x : x;
    case 'H': return CLAMP (f->alpha * x + f->beta, 0, 1);
    case 'E': return x < 0 ? f->alpha * expm1 (x) : x;
    case 'T': return f->name[1] == 'h' ? (x > f->alpha ? x : 0) : tanh (x);
    default: break;
    }
  if (g_str_equal (f->name, "ScaledTanh"))
    return f->alpha * tanh (f->beta * x);
  if (g_str_equal (f->name, "Softsign"))
    return x / (1 + fabs (x));
  if (g_str_equal (f->name, "Softplus"))
    return log1p (exp (x));
  return 1 / (1 + exp (-x));
}

static guint
default_activation (char kind, guint i)
{
  /* indices into the table: 1 Tanh, 2 Sigmoid */
  return kind != 'R' && i == 0 ? 2 : 1;
}

/* Returns NULL, or a text with the fault. */
const char *
ph_recurrent_init (PhRecurrent *cell, const PhNode *node)
{
  const char *direction = ph_node_attr_string (node, "direction", "forward");
  PhAttr *names = ph_node_attr (node, "activations"), *alphas = ph_node_attr (node, "activation_alpha"),
         *betas = ph_node_attr (node, "activation_beta");

  cell->kind = node->op_type[0];
  cell->gates = cell->kind == 'R' ? 1 : cell->kind == 'G' ? 3 : 4;
  cell->per_direction = cell->kind == 'R' ? 1 : cell->kind == 'G' ? 2 : 3;
  cell->directions = g_str_equal (direction, "bidirectional") ? 2 : 1;
  cell->reverse = g_str_equal (direction, "reverse");
  cell->batch_first = ph_node_attr_int (node, "layout", 0) != 0;
  cell->coupled = ph_node_attr_int (node, "input_forget", 0) != 0;
  cell->linear_before_reset = ph_node_attr_int (node, "linear_before_reset", 0) != 0;
  cell->clip = ph_node_attr_float (node, "clip", 0);
  /* The default that ONNX states for RNN names one for each of two directions, and ONNX Runtime writes it out for one direction too. */
  if (names != NULL && names->n != cell->per_direction * (gsize) cell->directions && !(cell->kind == 'R' && names->n == 2))
    return "activations does not name one for each gate and direction";
  for (guint i = 0; i < cell->per_direction * cell->directions; i++)
    {
      const PhRecurrentActivation *found = names == NULL ? &activations[default_activation (cell->kind, i % cell->per_direction)]
                                                         : NULL;

      for (guint k = 0; found == NULL && k < G_N_ELEMENTS (activations); k++)
        {
          gsize length;
          const char *name = g_bytes_get_data (names->strings[i], &length);

          if (length == strlen (activations[k].name) && g_ascii_strncasecmp (name, activations[k].name, length) == 0)
            found = &activations[k];
        }
      if (found == NULL)
        return "activations names one that ONNX does not have";
      cell->f[i] = *found;
      if (alphas != NULL && i < alphas->n)
        cell->f[i].alpha = alphas->floats[i];
      if (betas != NULL && i < betas->n)
        cell->f[i].beta = betas->floats[i];
    }
  return NULL;
}

static gboolean
infer_rnn (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *x = ph_infer_ranked (infer, 0), *r = ph_infer_type (infer, 2), *like = x != NULL ? x : r;
  gint64 attr = ph_node_attr_int (node, "hidden_size", -1);
  PhDim hidden = attr > 0 ? PH_DIM (attr) : r != NULL && r->has_rank && r->rank == 3 ? r->dims[2] : PH_DIM_UNKNOWN, steps, batch;
  PhDim directions;
  const char *wrong;
  PhRecurrent cell;

  wrong = ph_recurrent_init (&cell, node);
  if (wrong != NULL)
    return ph_infer_fail (infer, error, "%s", wrong);
  if (like == NULL)
    return TRUE;
  if (x != NULL && x->rank != 3)
    return ph_infer_fail (infer, error, "the input has rank %u, must have 3", x->rank);
  if (attr > 0 && r != NULL && r->has_rank && r->rank == 3 && ph_dim_known (r->dims[2]) && r->dims[2].size != attr)
    return ph_infer_fail (infer, error, "hidden_size is %" G_GINT64_FORMAT ", but R is for %" G_GINT64_FORMAT, attr,
                          r->dims[2].size);
  directions = PH_DIM (cell.directions);
  steps = x != NULL ? x->dims[cell.batch_first ? 1 : 0] : PH_DIM_UNKNOWN;
  batch = x != NULL ? x->dims[cell.batch_first ? 0 : 1] : PH_DIM_UNKNOWN;
  if (cell.batch_first)
    {
      ph_infer_set_shape (infer, 0, like->dtype, 4, (PhDim[]) { batch, steps, directions, hidden });
      for (guint i = 1; i < 3; i++)
        ph_infer_set_shape (infer, i, like->dtype, 3, (PhDim[]) { batch, directions, hidden });
    }
  else
    {
      ph_infer_set_shape (infer, 0, like->dtype, 4, (PhDim[]) { steps, directions, batch, hidden });
      for (guint i = 1; i < 3; i++)
        ph_infer_set_shape (infer, i, like->dtype, 3, (PhDim[]) { directions, batch, hidden });
    }
  return TRUE;
}

/* sum += matrix (rows x columns) * vector */
static void
add_product (gint64 rows, gint64 columns, const double *matrix, const double *vector, double *sum)
{
  for (gint64 r = 0; r < rows; r++)
    {
      double dot = 0;

      for (gint64 c = 0; c < columns; c++)
        dot += matrix[r * columns + c] * vector[c];
      sum[r] += dot;
    }
}

static double
clipped (const PhRecurrent *cell, double x)
{
  return cell->clip > 0 ? CLAMP (x, -cell->clip, cell->clip) : x;
}

/* Computes one step of one sequence in one direction. @wb, @rb: the biases; @p: peepholes, each nullable. Updates @h and @c in place. */
static void
step (const PhRecurrent *cell, guint d, const double *x, const double *w, const double *r, const double *wb, const double *rb,
      const double *p, double *h, double *c, double *gate, double *recur)
{
  gint64 n = cell->hidden;
  const PhRecurrentActivation *f = &cell->f[d * cell->per_direction];

  for (gint64 i = 0; i < cell->gates * n; i++)
    {
      gate[i] = wb != NULL ? wb[i] : 0;
      recur[i] = rb != NULL ? rb[i] : 0;
    }
  add_product (cell->gates * n, cell->input, w, x, gate);
  if (cell->kind == 'R')
    {
      add_product (n, n, r, h, recur);
      for (gint64 i = 0; i < n; i++)
        h[i] = activate (&f[0], clipped (cell, gate[i] + recur[i]));
    }
  else if (cell->kind == 'G') /* gates z, r, h */
    {
      double *hidden = gate + 2 * n;

      add_product (2 * n, n, r, h, recur);
      for (gint64 i = 0; i < 2 * n; i++)
        gate[i] = activate (&f[0], clipped (cell, gate[i] + recur[i]));
      if (cell->linear_before_reset)
        {
          add_product (n, n, r + 2 * n * n, h, recur + 2 * n);
          for (gint64 i = 0; i < n; i++)
            hidden[i] += gate[n + i] * recur[2 * n + i];
        }
      else
        {
          for (gint64 i = 0; i < n; i++)
            recur[i] = gate[n + i] * h[i];
          add_product (n, n, r + 2 * n * n, recur, recur + 2 * n);
          for (gint64 i = 0; i < n; i++)
            hidden[i] += recur[2 * n + i];
        }
      for (gint64 i = 0; i < n; i++)
        h[i] = (1 - gate[i]) * activate (&f[1], clipped (cell, hidden[i])) + gate[i] * h[i];
    }
  else /* gates i, o, f, c */
    {
      add_product (4 * n, n, r, h, recur);
      for (gint64 k = 0; k < n; k++)
        {
          double in = gate[k] + recur[k] + (p != NULL ? p[k] * c[k] : 0);
          double forget = gate[2 * n + k] + recur[2 * n + k] + (p != NULL ? p[2 * n + k] * c[k] : 0), out;

          in = activate (&f[0], clipped (cell, in));
          forget = cell->coupled ? 1 - in : activate (&f[0], clipped (cell, forget));
          c[k] = forget * c[k] + in * activate (&f[1], clipped (cell, gate[3 * n + k] + recur[3 * n + k]));
          out = gate[n + k] + recur[n + k] + (p != NULL ? p[n + k] * c[k] : 0);
          h[k] = activate (&f[0], clipped (cell, out)) * activate (&f[2], c[k]);
        }
    }
}

/* Reads input @i as doubles with the dimensions @a, @b, @c (-1: none), or as NULL if absent. Returns FALSE with @error if its shape
 * differs. */
static gboolean
weights (PhKernel *kernel, guint i, gint64 a, gint64 b, gint64 c, PhTensor **tensor, const double **data, GError **error)
{
  const gint64 dims[3] = { a, b, c };
  const guint rank = c < 0 ? 2 : 3;

  *data = NULL;
  if (ph_kernel_input (kernel, i) == NULL)
    return TRUE;
  *tensor = ph_kernel_input_as (kernel, i, PH_DOUBLE, error);
  if (*tensor == NULL)
    return FALSE;
  if (ph_tensor_rank (*tensor) != rank || memcmp (ph_tensor_dims (*tensor), dims, rank * sizeof (gint64)) != 0)
    {
      g_autofree char *shape = ph_tensor_to_string (ph_kernel_input (kernel, i), 0),
                      *last = c < 0 ? g_strdup ("") : g_strdup_printf (",%" G_GINT64_FORMAT, c);

      return ph_kernel_fail (kernel, error, "input %u is %s, must have the shape [%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "%s]",
                             i, shape, a, b, last);
    }
  *data = ph_tensor_data (*tensor);
  return TRUE;
}

static gboolean
run_cells (PhKernel *kernel, PhRecurrent *cell, PhTensor **keep, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *r_tensor = ph_kernel_input (kernel, 2);
  gint64 n, g, dirs = cell->directions, y_dims[4], h_dims[3];
  const double *xs, *w, *r, *bias, *h0, *c0 = NULL, *p = NULL;
  PhDType dtype = ph_tensor_dtype (x);
  g_autofree gint64 *lengths = NULL;
  g_autofree double *gate = NULL, *recur = NULL;
  g_autoptr (PhTensor) y = NULL, y_h = NULL, y_c = NULL;
  gsize n_lengths;
  double *ys, *hs, *cs;

  if (ph_tensor_rank (x) != 3 || r_tensor == NULL || ph_tensor_rank (r_tensor) != 3)
    return ph_kernel_fail (kernel, error, "X and R must have rank 3");
  cell->steps = ph_tensor_dims (x)[cell->batch_first ? 1 : 0];
  cell->batch = ph_tensor_dims (x)[cell->batch_first ? 0 : 1];
  cell->input = ph_tensor_dims (x)[2];
  n = cell->hidden = ph_tensor_dims (r_tensor)[2];
  if (ph_node_attr_int (kernel->node, "hidden_size", n) != n)
    return ph_kernel_fail (kernel, error, "hidden_size is not what R is for, %" G_GINT64_FORMAT, n);
  g = cell->gates;
  h_dims[cell->batch_first ? 1 : 0] = dirs;
  h_dims[cell->batch_first ? 0 : 1] = cell->batch;
  h_dims[2] = n;
  if (!weights (kernel, 0, ph_tensor_dims (x)[0], ph_tensor_dims (x)[1], cell->input, &keep[0], &xs, error)
      || !weights (kernel, 1, dirs, g * n, cell->input, &keep[1], &w, error)
      || !weights (kernel, 2, dirs, g * n, n, &keep[2], &r, error)
      || !weights (kernel, 3, dirs, 2 * g * n, -1, &keep[3], &bias, error)
      || !weights (kernel, 5, h_dims[0], h_dims[1], n, &keep[5], &h0, error)
      || (cell->kind == 'L'
          && (!weights (kernel, 6, h_dims[0], h_dims[1], n, &keep[6], &c0, error)
              || !weights (kernel, 7, dirs, 3 * n, -1, &keep[7], &p, error))))
    return FALSE;
  lengths = ph_kernel_ints (kernel, 4, &n_lengths);
  if (lengths != NULL && ((gint64) n_lengths != cell->batch || ph_tensor_rank (ph_kernel_input (kernel, 4)) != 1))
    return ph_kernel_fail (kernel, error, "%zu sequence_lens for a batch of %" G_GINT64_FORMAT, n_lengths, cell->batch);

  y_dims[cell->batch_first ? 1 : 0] = cell->steps;
  y_dims[cell->batch_first ? 0 : 2] = cell->batch;
  y_dims[cell->batch_first ? 2 : 1] = dirs;
  y_dims[3] = n;
  y = ph_tensor_new (PH_DOUBLE, 4, y_dims);
  y_h = ph_tensor_new (PH_DOUBLE, 3, h_dims);
  y_c = ph_tensor_new (PH_DOUBLE, 3, h_dims);
  if (y == NULL || y_h == NULL || y_c == NULL)
    return ph_kernel_exceed (kernel, error, "the output is too large for memory");
  ys = ph_tensor_writable (y);
  hs = ph_tensor_writable (y_h);
  cs = ph_tensor_writable (y_c);
  gate = g_new (double, g *n + 1);
  recur = g_new (double, g *n + 1);
  for (gint64 d = 0; d < dirs; d++)
    for (gint64 b = 0; b < cell->batch; b++)
      {
        gint64 state = (cell->batch_first ? b * dirs + d : d * cell->batch + b) * n;
        gint64 length = lengths != NULL ? CLAMP (lengths[b], 0, cell->steps) : cell->steps;
        double *h = hs + state, *c = cs + state;

        if (h0 != NULL)
          memcpy (h, h0 + state, n * sizeof (double));
        if (c0 != NULL)
          memcpy (c, c0 + state, n * sizeof (double));
        for (gint64 s = 0; s < length; s++)
          {
            gint64 t = cell->reverse || d == 1 ? length - 1 - s : s;
            gint64 in = (cell->batch_first ? b * cell->steps + t : t * cell->batch + b) * cell->input;
            gint64 out = (cell->batch_first ? (b * cell->steps + t) * dirs + d : (t * dirs + d) * cell->batch + b) * n;

            step (cell, d, xs + in, w + d * g * n * cell->input, r + d * g * n * n, bias != NULL ? bias + d * 2 * g * n : NULL,
                  bias != NULL ? bias + (d * 2 + 1) * g * n : NULL, p != NULL ? p + d * 3 * n : NULL, h, c, gate, recur);
            memcpy (ys + out, h, n * sizeof (double));
          }
        if (ph_kernel_cancelled (kernel, error))
          return FALSE;
      }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&y), dtype, error)
         && ph_kernel_take_as (kernel, 1, g_steal_pointer (&y_h), dtype, error)
         && (cell->kind != 'L' || ph_kernel_take_as (kernel, 2, g_steal_pointer (&y_c), dtype, error));
}

static gboolean
run_rnn (PhKernel *kernel, GError **error)
{
  PhTensor *keep[8] = { NULL };
  PhRecurrent cell;
  const char *wrong = ph_recurrent_init (&cell, kernel->node);
  gboolean ok = wrong == NULL ? run_cells (kernel, &cell, keep, error) : ph_kernel_fail (kernel, error, "%s", wrong);

  for (guint i = 0; i < G_N_ELEMENTS (keep); i++)
    g_clear_pointer (&keep[i], ph_tensor_unref);
  return ok;
}

/* Two operations per weight, for each step of each sequence. */
static gint64
rnn_flops (const PhNode *node)
{
  const PhValue *x = ph_node_input (node, 0), *w = ph_node_input (node, 1), *r = ph_node_input (node, 2);
  gint64 weights_count, recurrent;

  if (x == NULL || x->type == NULL || !ph_type_is_static (x->type) || x->type->rank != 3 || w == NULL || w->type == NULL
      || r == NULL || r->type == NULL)
    return -1;
  weights_count = ph_type_count (w->type);
  recurrent = ph_type_count (r->type);
  return weights_count < 0 || recurrent < 0 ? -1
                                            : 2 * (weights_count + recurrent) * x->type->dims[0].size * x->type->dims[1].size;
}

/* clang-format off */
#define RNN_INPUTS \
  { "X", 'T', PH_FLOATS }, { "W", 'T', PH_FLOATS }, { "R", 'T', PH_FLOATS }, { "B", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, \
  { "sequence_lens", 0, PH_T (INT32), PH_ARG_OPTIONAL }, { "initial_h", 'T', PH_FLOATS, PH_ARG_OPTIONAL }
#define RNN_OUTPUTS { "Y", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "Y_h", 'T', PH_FLOATS, PH_ARG_OPTIONAL }
#define RNN_ATTRS \
  { "activation_alpha", PH_ATTR_FLOATS }, { "activation_beta", PH_ATTR_FLOATS }, { "activations", PH_ATTR_STRINGS, .words = ACTIVATIONS, .any_case = TRUE }, \
  { "clip", PH_ATTR_FLOAT }, { "direction", PH_ATTR_STRING, "\"forward\"", .words = "forward|reverse|bidirectional" }, { "hidden_size", PH_ATTR_INT }, \
  { "layout", PH_ATTR_INT, "0" }

const PhOp ph_op_RNN = {
  .name = "RNN", .since = 22,
  .family = PH_FAMILY_LINEAR, .main_attrs = { "hidden_size", "direction" },
  .doc = "A simple recurrent layer: h = f (W x + R h + b) at each step.",
  .inputs = { RNN_INPUTS }, .outputs = { RNN_OUTPUTS }, .attrs = { RNN_ATTRS },
  .infer = infer_rnn, .kernel = run_rnn, .grad_build = ph_grad_recurrent, .flops = rnn_flops,
  .no_grad = 1 << 4,
  .grad_text = "dX = the cell's gradient, from the last step to the first; dW = sum over steps of g^T @ X; dR = sum over "
               "steps of g^T @ h; dB = sum(g), g the gradient at the gates; dinitial_h = what is left at the first step",
};

const PhOp ph_op_GRU = {
  .name = "GRU", .since = 22,
  .family = PH_FAMILY_LINEAR, .main_attrs = { "hidden_size", "direction" },
  .doc = "A gated recurrent layer: an update and a reset gate decide what is kept of the state.",
  .inputs = { RNN_INPUTS }, .outputs = { RNN_OUTPUTS }, .attrs = { RNN_ATTRS, { "linear_before_reset", PH_ATTR_INT, "0" } },
  .infer = infer_rnn, .kernel = run_rnn, .grad_build = ph_grad_recurrent, .flops = rnn_flops,
  .no_grad = 1 << 4,
  .grad_text = "dX = the cell's gradient, from the last step to the first; dW = sum over steps of g^T @ X; dR = sum over "
               "steps of g^T @ h; dB = sum(g), g the gradient at the gates; dinitial_h = what is left at the first step",
};

const PhOp ph_op_LSTM = {
  .name = "LSTM", .since = 22,
  .family = PH_FAMILY_LINEAR, .main_attrs = { "hidden_size", "direction" },
  .doc = "A recurrent layer with a cell: input, output and forget gates decide what it keeps and shows.",
  .inputs = { RNN_INPUTS, { "initial_c", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "P", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { RNN_OUTPUTS, { "Y_c", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { RNN_ATTRS, { "input_forget", PH_ATTR_INT, "0" } },
  .infer = infer_rnn, .kernel = run_rnn, .grad_build = ph_grad_recurrent, .flops = rnn_flops,
  .no_grad = 1 << 4,
  .grad_text = "dX = the cell's gradient, from the last step to the first; dW = sum over steps of g^T @ X; dR = sum over "
               "steps of g^T @ h; dB = sum(g), g the gradient at the gates; dinitial_h = what is left at the first step; "
               "dinitial_c = what is left of the cell at the first step; dP = sum over steps of g * c",
};
/* clang-format on */
