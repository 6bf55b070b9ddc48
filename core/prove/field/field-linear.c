/* field-linear.c: matrix products and convolutions over the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"

#include "core/tensor/broadcast.h"

static void
multiply_parts (PhField *field, gsize m, gsize n, gsize k, const PhFieldTensor *a, gsize at_a, const PhFieldTensor *b, gsize at_b,
                PhFieldTensor *c, gsize at_c)
{
  ph_field_product (m, n, k, a->p + at_a, b->p + at_b, c->p + at_c, PH_FIELD_P);
  if (c->q != NULL)
    ph_field_product (m, n, k, a->q + at_a, b->q + at_b, c->q + at_c, PH_FIELD_Q);
  ph_field_work (field, (double) m * n * k);
}

/* The sum of @terms products. */
static void
set_degree (PhFieldTensor *out, const PhFieldTensor *a, const PhFieldTensor *b, double terms)
{
  const double under = a->under + b->under;

  out->over = a->over + b->over + (terms - 1) * under;
  out->under = under * terms;
}

/* Returns TRUE if no operand contains an infinity or is an integer, which could wrap around. */
static gboolean
can_multiply (PhFieldNode *self, guint n)
{
  for (guint i = 0; i < n; i++)
    if (ph_field_in (self, i) != NULL
        && (!ph_dtype_is_float (self->in[i]->dtype) || ph_field_any_special (self->field, self->in[i])))
      return FALSE;
  return TRUE;
}

/* ── MatMul, Gemm ── */

static gboolean
run_matmul (PhFieldNode *self, gconstpointer data)
{
  PhField *field = self->field;
  PhFieldTensor *a = ph_field_in (self, 0), *b = ph_field_in (self, 1), *out;
  gint64 dims[PH_MAX_RANK + 2], a_dims[PH_MAX_RANK + 1], b_dims[PH_MAX_RANK + 1];
  guint a_rank, b_rank, rank = 0, shown = 0;
  gsize m, n, k;
  PhWalk walk;

  if (a == NULL || b == NULL || a->rank == 0 || b->rank == 0 || MAX (a->rank, b->rank) > PH_MAX_RANK - 1)
    return ph_field_fail (self, "its operands are no matrices");
  if (!can_multiply (self, 2))
    return ph_field_opaque (self, NULL);
  a_rank = MAX (a->rank, 2);
  b_rank = MAX (b->rank, 2);
  a_dims[0] = b_dims[1] = 1;
  memcpy (a_dims + (a_rank - a->rank), a->dims, a->rank * sizeof *a_dims);
  memcpy (b_dims, b->dims, b->rank * sizeof *b_dims);
  m = a_dims[a_rank - 2];
  k = a_dims[a_rank - 1];
  n = b_dims[b_rank - 1];
  if ((gint64) k != b_dims[b_rank - 2] || !ph_broadcast_dims (a_rank - 2, a_dims, b_rank - 2, b_dims, &rank, dims))
    return ph_field_fail (self, "the shapes of its inputs do not fit");
  ph_walk_init (&walk, rank, dims);
  ph_walk_add (&walk, a_rank - 2, a_dims);
  ph_walk_add (&walk, b_rank - 2, b_dims);
  shown = rank;
  if (a->rank > 1)
    dims[shown++] = m;
  if (b->rank > 1)
    dims[shown++] = n;
  out = self->out[0] = ph_field_tensor_new (field, a->dtype, shown, dims);
  if (out == NULL)
    return FALSE;
  if (walk.count > 0)
    do
      {
        multiply_parts (field, m, n, k, a, (gsize) walk.offset[0] * m * k, b, (gsize) walk.offset[1] * k * n, out,
                        walk.index * m * n);
        if (field->why != NULL)
          return FALSE;
      }
    while (ph_walk_next (&walk));
  set_degree (out, a, b, (double) k);
  return TRUE;
}

static PhFieldTensor *
transposed (PhField *field, PhFieldTensor *tensor, gboolean wanted)
{
  PhFieldTensor *out;

  if (!wanted)
    return ph_field_tensor_ref (tensor);
  out = ph_field_tensor_new (field, tensor->dtype, 2, (gint64[]) { tensor->dims[1], tensor->dims[0] });
  for (gint64 i = 0; out != NULL && i < tensor->dims[0]; i++)
    for (gint64 j = 0; j < tensor->dims[1]; j++)
      ph_field_put (out, j * tensor->dims[0] + i, ph_field_at (tensor, i * tensor->dims[1] + j));
  if (out != NULL)
    {
      out->over = tensor->over;
      out->under = tensor->under;
    }
  return out;
}

typedef struct
{
  PhNum alpha, beta;
} Gemm;

static PhNum
scaled_sum (PhField *field, const PhNum *in, gconstpointer data)
{
  const Gemm *gemm = data;

  return ph_num_add (ph_num_mul (gemm->alpha, in[0]), ph_num_mul (gemm->beta, in[1]));
}

static PhNum
scaled (PhField *field, const PhNum *in, gconstpointer data)
{
  return ph_num_mul (((const Gemm *) data)->alpha, in[0]);
}

static gboolean
run_gemm (PhFieldNode *self, gconstpointer data)
{
  PhField *field = self->field;
  const PhNode *node = self->node;
  PhFieldTensor *c = ph_field_in (self, 2), *both[2];
  g_autoptr (PhFieldTensor) a = NULL, b = NULL, product = NULL;
  const Gemm gemm = { ph_field_double (field, ph_node_attr_float (node, "alpha", 1)),
                      ph_field_double (field, ph_node_attr_float (node, "beta", 1)) };

  if (ph_field_in (self, 0) == NULL || ph_field_in (self, 1) == NULL || self->in[0]->rank != 2 || self->in[1]->rank != 2)
    return ph_field_fail (self, "its operands are no matrices");
  if (!can_multiply (self, 3))
    return ph_field_opaque (self, NULL);
  a = transposed (field, self->in[0], ph_node_attr_int (node, "transA", 0) != 0);
  b = transposed (field, self->in[1], ph_node_attr_int (node, "transB", 0) != 0);
  if (a == NULL || b == NULL || a->dims[1] != b->dims[0])
    return ph_field_fail (self, "the shapes of its inputs do not fit");
  product = ph_field_tensor_new (field, a->dtype, 2, (gint64[]) { a->dims[0], b->dims[1] });
  if (product == NULL)
    return FALSE;
  multiply_parts (field, a->dims[0], b->dims[1], a->dims[1], a, 0, b, 0, product, 0);
  set_degree (product, a, b, (double) a->dims[1]);
  both[0] = product;
  both[1] = c;
  self->out[0] = ph_field_map (self, both, c != NULL ? 2 : 1, a->dtype, c != NULL ? scaled_sum : scaled, &gemm);
  if (self->out[0] == NULL)
    return FALSE;
  self->out[0]->over = product->over + (c != NULL ? c->under : 0);
  if (c != NULL)
    {
      self->out[0]->over = MAX (self->out[0]->over, c->over + product->under);
      self->out[0]->under = product->under + c->under;
    }
  return TRUE;
}

/* ── convolutions ── */

typedef struct
{
  PhWindow w;
  gint64 groups, in_channels, out_channels, taps, places, elements; /* of the window, the result, the input */
  gint64 channels, features;                                        /* of one group                         */
} Shape;

static gboolean
read_shape (PhFieldNode *self, Shape *shape)
{
  const PhFieldTensor *x = ph_field_in (self, 0), *weight = ph_field_in (self, 1);
  const gboolean backwards = self->node->op == &ph_op_ConvTranspose;
  const char *wrong;

  if (x == NULL || weight == NULL || x->rank < 3 || x->rank > 2 + PH_WINDOW_MAX || weight->rank != x->rank)
    return ph_field_fail (self, "its operands are no channels");
  wrong = (backwards ? ph_window_init_transposed : ph_window_init) (&shape->w, self->node, x->rank - 2, x->dims + 2,
                                                                    weight->dims + 2);
  if (wrong != NULL)
    return ph_field_fail (self, "%s", wrong);
  shape->groups = ph_node_attr_int (self->node, "group", 1);
  if (self->field->sizes != NULL)
    shape->groups = ph_field_sizes_fewer (self->field->sizes, shape->groups);
  if (shape->groups < 1)
    return ph_field_fail (self, "has no groups");
  shape->in_channels = x->dims[1];
  shape->out_channels = backwards ? weight->dims[1] * shape->groups : weight->dims[0];
  shape->taps = ph_window_kernel_count (&shape->w);
  shape->places = ph_dims_product (shape->w.out, 0, shape->w.n);
  shape->elements = ph_dims_product (shape->w.in, 0, shape->w.n);
  if (shape->out_channels % shape->groups != 0 || shape->in_channels % shape->groups != 0
      || shape->in_channels != (backwards ? weight->dims[0] : weight->dims[1] * shape->groups)
      || (ph_field_in (self, 2) != NULL && (gint64) self->in[2]->count != shape->out_channels))
    return ph_field_fail (self, "channels and groups do not fit");
  return TRUE;
}

/* Returns the element under tap @tap for position @place on the strided side; -1: padding. */
static gint64
seen_from (const PhWindow *w, const gint64 *places, const gint64 *elements, gint64 place, gint64 tap)
{
  gint64 coordinate[PH_WINDOW_MAX], at = 0;

  for (guint d = w->n; d-- > 0;)
    {
      coordinate[d] = place % places[d] * w->stride[d] - w->begin[d] + tap % w->kernel[d] * w->dilation[d];
      place /= places[d];
      tap /= w->kernel[d];
      if (coordinate[d] < 0 || coordinate[d] >= elements[d])
        return -1;
    }
  for (guint d = 0; d < w->n; d++)
    at = at * elements[d] + coordinate[d];
  return at;
}

/* Returns the map for each tap and place (tap-major). */
static gint64 *
window_map (const PhWindow *w, const gint64 *places, const gint64 *elements, gint64 taps, gint64 n_places)
{
  gint64 *map = g_new (gint64, taps * n_places + 1);

  for (gint64 tap = 0; tap < taps; tap++)
    for (gint64 place = 0; place < n_places; place++)
      map[tap * n_places + place] = seen_from (w, places, elements, place, tap);
  return map;
}

static void
add_bias (PhFieldNode *self, const Shape *shape)
{
  PhFieldTensor *bias = ph_field_in (self, 2), *out = self->out[0];

  if (bias == NULL)
    return;
  for (gsize i = 0; i < out->count; i++)
    ph_field_put (out, i, ph_num_add (ph_field_at (out, i), ph_field_at (bias, i / shape->places % shape->out_channels)));
  out->over = MAX (out->over + bias->under, bias->over + out->under);
  out->under += bias->under;
}

static PhFieldTensor *
new_result (PhFieldNode *self, const Shape *shape)
{
  gint64 dims[2 + PH_WINDOW_MAX] = { self->in[0]->dims[0], shape->out_channels };

  memcpy (dims + 2, shape->w.out, shape->w.n * sizeof *dims);
  return ph_field_tensor_new (self->field, self->in[0]->dtype, 2 + shape->w.n, dims);
}

/* Allocates the result. Returns FALSE on failure, or with @done set if the result is complete already. */
static gboolean
begin_convolution (PhFieldNode *self, Shape *shape, gboolean *done)
{
  *done = FALSE;
  if (!read_shape (self, shape))
    return FALSE;
  if (!can_multiply (self, 3))
    {
      *done = ph_field_opaque (self, NULL);
      return FALSE;
    }
  shape->channels = shape->in_channels / shape->groups;
  shape->features = shape->out_channels / shape->groups;
  self->out[0] = new_result (self, shape);
  return self->out[0] != NULL;
}

/* Multiplies the windows of one group, as columns, by the weights, as rows. */
static gboolean
run_conv (PhFieldNode *self, gconstpointer data)
{
  PhField *field = self->field;
  PhFieldTensor *x = self->in[0], *weight = self->in[1], *out;
  g_autoptr (PhFieldTensor) columns = NULL;
  g_autofree gint64 *map = NULL;
  gint64 channels, features;
  gboolean done;
  Shape shape;

  if (!begin_convolution (self, &shape, &done))
    return done;
  channels = shape.channels;
  features = shape.features;
  out = self->out[0];
  columns = ph_field_tensor_new (field, x->dtype, 3, (gint64[]) { channels, shape.taps, shape.places });
  if (columns == NULL)
    return FALSE;
  map = window_map (&shape.w, shape.w.out, shape.w.in, shape.taps, shape.places);
  for (gint64 n = 0; n < x->dims[0]; n++)
    for (gint64 g = 0; g < shape.groups; g++)
      {
        for (gint64 c = 0; c < channels; c++)
          for (gint64 i = 0; i < shape.taps * shape.places; i++)
            ph_field_put (columns, c * shape.taps * shape.places + i,
                          map[i] < 0 ? (PhNum) { 0, 0 }
                                     : ph_field_at (x, ((n * shape.groups + g) * channels + c) * shape.elements + map[i]));
        multiply_parts (field, features, shape.places, channels * shape.taps, weight, g * features * channels * shape.taps,
                        columns, 0, out, (n * shape.groups + g) * features * shape.places);
        if (field->why != NULL)
          return FALSE;
      }
  set_degree (out, x, weight, (double) channels * shape.taps);
  add_bias (self, &shape);
  return TRUE;
}

/* Spreads each element over a window, the reverse of Conv's gathering. */
static gboolean
run_conv_transpose (PhFieldNode *self, gconstpointer data)
{
  PhField *field = self->field;
  PhFieldTensor *x = self->in[0], *weight = self->in[1], *out;
  g_autofree gint64 *map = NULL;
  gint64 channels, features;
  gboolean done;
  Shape shape;

  if (!begin_convolution (self, &shape, &done))
    return done;
  channels = shape.channels;
  features = shape.features;
  out = self->out[0];
  ph_field_work (field, (double) x->count * features * shape.taps);
  if (field->why != NULL)
    return FALSE;
  map = window_map (&shape.w, shape.w.in, shape.w.out, shape.taps, shape.elements);
  for (gint64 n = 0; n < x->dims[0]; n++)
    for (gint64 c = 0; c < shape.in_channels; c++)
      for (gint64 f = 0; f < features; f++)
        for (gint64 tap = 0; tap < shape.taps; tap++)
          {
            const PhNum factor = ph_field_at (weight, (c * features + f) * shape.taps + tap);
            const gsize to = (gsize) (n * shape.out_channels + c / channels * features + f) * shape.places;

            for (gint64 i = 0; i < shape.elements; i++)
              if (map[tap * shape.elements + i] >= 0)
                {
                  const gsize at = to + (gsize) map[tap * shape.elements + i];
                  const PhNum product = ph_num_mul (factor, ph_field_at (x, (n * shape.in_channels + c) * shape.elements + i));

                  ph_field_put (out, at, ph_num_add (ph_field_at (out, at), product));
                }
          }
  set_degree (out, x, weight, (double) channels * shape.taps);
  add_bias (self, &shape);
  return TRUE;
}

/* ── running the operator's kernel on integers: sums, and sums of products of two ── */

static PhTensor *
as_integers (const PhFieldTensor *tensor, const guint32 *part, guint shift, guint32 mask)
{
  PhTensor *out = ph_tensor_new (PH_INT64, tensor->rank, tensor->dims);
  gint64 *to = out != NULL ? ph_tensor_writable (out) : NULL;

  for (gsize i = 0; to != NULL && i < tensor->count; i++)
    to[i] = part[i] >> shift & mask;
  return out;
}

/* Adds @factor times the node's result for @part of its first operand, cut to 16 bits, to @to. */
static gboolean
add_run (PhFieldNode *self, gboolean use_q, guint shift, guint32 *to, gsize count)
{
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, self->n_in + 1), **outputs = g_new0 (PhTensor *, self->n_out + 1);
  const guint32 modulus = use_q ? PH_FIELD_Q : PH_FIELD_P;
  const guint64 factor = G_GUINT64_CONSTANT (1) << shift;
  gboolean ok = TRUE;

  for (guint i = 0; i < self->n_in && ok; i++)
    if (self->in[i] != NULL && ph_dtype_is_float (self->in[i]->dtype))
      ok = (inputs[i] = as_integers (self->in[i], use_q ? self->in[i]->q : self->in[i]->p, i == 0 ? shift : 0,
                                     i == 0 ? 0xffff : G_MAXUINT32))
           != NULL;
    else if (self->in[i] != NULL)
      ok = self->in[i]->known != NULL && (inputs[i] = ph_tensor_ref (self->in[i]->known)) != NULL;
  ok = ok && ph_field_run_on (self, inputs, outputs);
  for (gsize k = 0; ok && k < count; k++)
    to[k] = ph_mod_add (to[k], (guint32) ((guint64) ph_tensor_get_int (outputs[0], k) % modulus * factor % modulus), modulus);
  for (guint i = 0; i < self->n_in; i++)
    g_clear_pointer (&inputs[i], ph_tensor_unref);
  for (guint k = 0; k < self->n_out; k++)
    g_clear_pointer (&outputs[k], ph_tensor_unref);
  return ok;
}

/* Runs Einsum of one or two operands, or CumSum, with 16 bits of the first operand at a time, so that 2^16 products fit into 63 bits. */
static gboolean
run_on_integers (PhFieldNode *self, gconstpointer data)
{
  const PhValue *output = ph_node_output (self->node, 0);
  const guint n_floats = self->node->op == &ph_op_CumSum ? 1 : self->n_in;
  gint64 dims[PH_MAX_RANK];
  PhFieldTensor *out;
  double terms = 1;

  if (!can_multiply (self, n_floats) || n_floats > 2)
    return ph_field_opaque (self, NULL);
  if (output->type == NULL || output->type->dtype == PH_UNDEFINED)
    return ph_field_fail (self, "the type of its output is not known");
  {
    /* the shape of the result: of a run on nothing but zeros */
    g_autofree PhTensor **inputs = g_new0 (PhTensor *, self->n_in + 1), **outputs = g_new0 (PhTensor *, self->n_out + 1);
    static const guint8 zero[16] = { 0 };
    gboolean ok = TRUE;

    for (guint i = 0; i < self->n_in && ok; i++)
      if (i < n_floats)
        ok = (inputs[i] = ph_tensor_new_splat (PH_INT64, self->in[i]->rank, self->in[i]->dims, zero)) != NULL;
      else if (self->in[i] != NULL)
        ok = self->in[i]->known != NULL && (inputs[i] = ph_tensor_ref (self->in[i]->known)) != NULL;
    ok = ok && ph_field_run_on (self, inputs, outputs);
    out = NULL;
    if (ok)
      {
        memcpy (dims, ph_tensor_dims (outputs[0]), ph_tensor_rank (outputs[0]) * sizeof *dims);
        out = ph_field_tensor_new (self->field, self->in[0]->dtype, ph_tensor_rank (outputs[0]), dims);
      }
    for (guint i = 0; i < self->n_in; i++)
      g_clear_pointer (&inputs[i], ph_tensor_unref);
    for (guint k = 0; k < self->n_out; k++)
      g_clear_pointer (&outputs[k], ph_tensor_unref);
  }
  self->out[0] = out;
  if (out == NULL)
    return FALSE;
  for (guint i = 0; i < n_floats; i++)
    terms = MAX (terms, (double) self->in[i]->count);
  if (terms >= 65536)
    return ph_field_fail (self, "too many terms");
  for (guint shift = 0; shift < 32; shift += 16)
    if (!add_run (self, FALSE, shift, out->p, out->count) || (out->q != NULL && !add_run (self, TRUE, shift, out->q, out->count)))
      return FALSE;
  set_degree (out, self->in[0], self->in[n_floats - 1], terms);
  return TRUE;
}

/* clang-format off */
static const PhFieldKind kinds[] = {
  { &ph_op_MatMul, run_matmul }, { &ph_op_Gemm, run_gemm }, { &ph_op_Conv, run_conv }, { &ph_op_ConvTranspose, run_conv_transpose },
  { &ph_op_Einsum, run_on_integers }, { &ph_op_CumSum, run_on_integers },
};
/* clang-format on */

PhFieldRule
ph_field_linear_rule (const PhOp *op, gconstpointer *data)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].op == op)
      return kinds[i].rule;
  return NULL;
}
