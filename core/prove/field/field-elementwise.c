/* field-elementwise.c: operators that work element by element, over the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"
#include "core/tensor/broadcast.h"

/* ── the walk ── */

PhFieldTensor *
ph_field_map (PhFieldNode *self, PhFieldTensor *const *in, guint n, PhDType dtype, PhFieldFunction function, gconstpointer data)
{
  PhField *field = self->field;
  gint64 dims[PH_MAX_RANK] = { 0 };
  guint rank = 0;
  PhFieldTensor *out;
  PhNum numbers[PH_WALK_MAX];
  PhWalk walk;

  if (n > PH_WALK_MAX)
    return ph_field_fail (self, "has too many inputs"), NULL;
  for (guint i = 0; i < n; i++)
    {
      gint64 before[PH_MAX_RANK];

      ph_field_parts (field, in[i]);
      memcpy (before, dims, sizeof dims);
      if (!ph_broadcast_dims (rank, before, in[i]->rank, in[i]->dims, &rank, dims))
        return ph_field_fail (self, "the shapes of its inputs do not fit"), NULL;
    }
  out = ph_field_tensor_new (field, dtype, rank, dims);
  if (out == NULL)
    return NULL;
  ph_walk_init (&walk, rank, dims);
  for (guint i = 0; i < n; i++)
    ph_walk_add (&walk, in[i]->rank, in[i]->dims);
  ph_field_work (field, 40.0 * (double) walk.count); /* a power or a hash each, at worst */
  if (walk.count > 0 && field->why == NULL)
    do
      {
        for (guint i = 0; i < n; i++)
          numbers[i] = ph_field_at (in[i], (gsize) walk.offset[i]);
        ph_field_put (out, walk.index, function (field, numbers, data));
      }
    while (ph_walk_next (&walk));
  for (guint i = 0; i < n; i++)
    {
      out->over = MAX (out->over, in[i]->over);
      out->under = MAX (out->under, in[i]->under);
    }
  return out;
}

/* ── arithmetic: with an infinity or NaN it is an opaque function ── */

static gboolean
lost (PhField *field, const char *name, const PhNum *in, gboolean commutes, PhNum *result)
{
  guint64 hash;

  if (!ph_field_special (field, in[0]) && !ph_field_special (field, in[1]))
    return FALSE;
  hash = ph_field_salt (field, name);
  hash = commutes ? ph_mix (ph_mix (hash, MIN (in[0].p, in[1].p)), MAX (in[0].p, in[1].p))
                  : ph_mix (ph_mix (hash, in[0].p), in[1].p);
  *result = ph_field_hash (field, hash);
  return TRUE;
}

static PhNum
add (PhField *field, const PhNum *in, gconstpointer data)
{
  PhNum result;

  if (ph_field_special (field, in[0]) != ph_field_special (field, in[1])) /* a finite number more changes nothing */
    return ph_field_special (field, in[0]) ? in[0] : in[1];
  return lost (field, "Add", in, TRUE, &result) ? result : ph_num_add (in[0], in[1]);
}

static PhNum
subtract (PhField *field, const PhNum *in, gconstpointer data)
{
  PhNum result;

  return lost (field, "Sub", in, FALSE, &result) ? result : ph_num_sub (in[0], in[1]);
}

static PhNum
multiply (PhField *field, const PhNum *in, gconstpointer data)
{
  PhNum result;

  return lost (field, "Mul", in, TRUE, &result) ? result : ph_num_mul (in[0], in[1]);
}

static PhNum
divide (PhField *field, const PhNum *in, gconstpointer data)
{
  PhNum result;

  return lost (field, "Div", in, FALSE, &result) ? result : ph_num_mul (in[0], ph_field_inverse (field, in[1]));
}

static PhNum
reciprocal (PhField *field, const PhNum *in, gconstpointer data)
{
  PhNum over = { 1, 1 };

  return divide (field, (PhNum[]) { over, in[0] }, NULL);
}

static PhNum
greatest (PhField *field, const PhNum *in, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      if (in[i].p == field->special[PH_FIELD_MINUS_INFINITY].p)
        return in[1 - i];
      if (in[i].p == field->special[PH_FIELD_INFINITY].p)
        return in[i];
    }
  return ph_field_positive (field, ph_num_sub (in[0], in[1])) ? in[0] : in[1];
}

static PhNum
least (PhField *field, const PhNum *in, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      if (in[i].p == field->special[PH_FIELD_INFINITY].p)
        return in[1 - i];
      if (in[i].p == field->special[PH_FIELD_MINUS_INFINITY].p)
        return in[i];
    }
  return ph_field_positive (field, ph_num_sub (in[0], in[1])) ? in[1] : in[0];
}

static PhNum
negate (PhField *field, const PhNum *in, gconstpointer data)
{
  return ph_num_neg (in[0]);
}

static PhNum
power (PhField *field, const PhNum *in, gconstpointer data)
{
  return ph_field_power (field, in[0], *(const double *) data);
}

/* ── functions ── */

#undef X
#undef P
#define NUMBER(a_) ph_field_double (field, a_)
#define ONE        ((PhNum) { 1, 1 })
#define ZERO       ((PhNum) { 0, 0 })
#define HALF       ph_field_ratio (field, 1, 2)
#define X          in[0]
#define P(i_)      NUMBER (((const double *) data)[i_])
/* clang-format off */
#define FUNCTION(name_, ...) \
  static PhNum name_ (PhField *field, const PhNum *in, gconstpointer data) { __VA_ARGS__ }
/* clang-format on */

/* f (-x) = -f (x) */
static PhNum
odd_of (PhField *field, const char *name, PhNum x)
{
  return x.p > PH_FIELD_P / 2 ? ph_num_neg (ph_field_function (field, name, ph_num_neg (x))) : ph_field_function (field, name, x);
}

static PhNum
sigmoid_of (PhField *field, PhNum x)
{
  return ph_field_inverse (field, ph_num_add (ONE, ph_field_exp (field, ph_num_neg (x))));
}

/* Returns (e^2x - 1) / (e^2x + 1) if exponentials are interpreted, else an opaque odd function. */
static PhNum
tanh_of (PhField *field, PhNum x)
{
  PhNum e;

  field->met |= PH_FIELD_EXP;
  if (!(field->reading & PH_FIELD_EXP))
    return odd_of (field, "Tanh", x);
  e = ph_field_exp (field, ph_num_add (x, x));
  return ph_num_mul (ph_num_sub (e, ONE), ph_field_inverse (field, ph_num_add (e, ONE)));
}

static PhNum
clip_of (PhField *field, PhNum x, PhNum low, PhNum high)
{
  PhNum least_bound = greatest (field, (PhNum[]) { x, low }, NULL);

  return least (field, (PhNum[]) { least_bound, high }, NULL);
}

static PhNum
gelu_of (PhField *field, PhNum x, gboolean by_tanh)
{
  PhNum gate;

  if (by_tanh)
    {
      PhNum cube = ph_num_mul (ph_num_mul (x, x), x);

      gate = tanh_of (field, ph_num_mul (NUMBER (0.79788456080286535588), ph_num_add (x, ph_num_mul (NUMBER (0.044715), cube))));
    }
  else
    gate = odd_of (field, "Erf", ph_num_mul (x, NUMBER (0.70710678118654752440)));
  return ph_num_mul (ph_num_mul (HALF, x), ph_num_add (ONE, gate));
}

static PhNum
log_of (PhField *field, PhNum x)
{
  return x.p == 1 ? ZERO : ph_field_function (field, "Log", x);
}

static PhNum
bent (PhField *field, PhNum x, PhNum scale, PhNum alpha)
{
  PhNum e = ph_num_sub (ph_field_exp (field, ph_num_mul (x, scale)), ONE);

  return ph_field_positive (field, x) ? x : ph_num_mul (alpha, e);
}

FUNCTION (relu, return ph_field_positive (field, X) ? X : ZERO;)
FUNCTION (leaky, return ph_field_positive (field, X) ? X : ph_num_mul (X, P (0));)
FUNCTION (prelu, return ph_field_positive (field, X) ? X : multiply (field, in, NULL);)
FUNCTION (absolute, return ph_field_positive (field, X) ? X : ph_num_neg (X);)
FUNCTION (exponential, return ph_field_exp (field, X);)
FUNCTION (square_root, return ph_field_sqrt (field, X);)
FUNCTION (logarithm, return log_of (field, X);)
FUNCTION (sigmoid, return sigmoid_of (field, X);)
FUNCTION (hyperbolic, return tanh_of (field, X);)
FUNCTION (softplus, return log_of (field, ph_num_add (ONE, ph_field_exp (field, X)));)
FUNCTION (softsign, return ph_num_mul (X, ph_field_inverse (field, ph_num_add (ONE, absolute (field, in, NULL))));)
FUNCTION (swish, return ph_num_mul (X, sigmoid_of (field, ph_num_mul (P (0), X)));)
FUNCTION (mish, return ph_num_mul (X, tanh_of (field, softplus (field, in, NULL)));)
FUNCTION (gelu, return gelu_of (field, X, *(const double *) data != 0);)
FUNCTION (hard_sigmoid, return clip_of (field, ph_num_add (ph_num_mul (P (0), X), P (1)), ZERO, ONE);)
FUNCTION (hard_swish, PhNum gate = ph_num_add (ph_num_mul (X, ph_field_ratio (field, 1, 6)), HALF);
          return ph_num_mul (X, clip_of (field, gate, ZERO, ONE));)
FUNCTION (elu, return bent (field, X, ONE, P (0));)
FUNCTION (celu, return bent (field, X, ph_field_inverse (field, P (0)), P (0));)
FUNCTION (selu, return ph_num_mul (P (1), bent (field, X, ONE, P (0)));)
FUNCTION (thresholded, return ph_field_positive (field, ph_num_sub (X, P (0))) ? X : ZERO;)

/* odd and even functions without further properties */
static PhNum
plain_function (PhField *field, const PhNum *in, gconstpointer data)
{
  return ph_field_function (field, data, X);
}

static PhNum
odd_function (PhField *field, const PhNum *in, gconstpointer data)
{
  return odd_of (field, data, X);
}

/* ── truth ── */

static guint
bit_of (PhField *field, const char *name, PhNum a)
{
  return (ph_mix (ph_field_salt (field, name), a.p) >> 21) & 1;
}

/* Returns a pseudo-random bit of a - b; a >= b is the negation of b > a. If a = b, rounding may decide, as in 2 / x * x > 2: any bit. */
static gboolean
is_greater (PhField *field, PhNum a, PhNum b)
{
  return bit_of (field, "greater", ph_num_sub (a, b));
}

FUNCTION (greater, return ph_num_int (is_greater (field, in[0], in[1]));)
FUNCTION (less, return ph_num_int (is_greater (field, in[1], in[0]));)
FUNCTION (greater_or_equal, return ph_num_int (!is_greater (field, in[1], in[0]));)
FUNCTION (less_or_equal, return ph_num_int (!is_greater (field, in[0], in[1]));)
FUNCTION (equal, const PhNum d = ph_num_sub (in[0], in[1]); /* of a difference and of its negative alike */
          return ph_num_int (bit_of (field, "equal", (PhNum) { MIN (d.p, PH_FIELD_P - d.p), 0 }));)
FUNCTION (both, return ph_num_int (in[0].p && in[1].p);)
FUNCTION (either, return ph_num_int (in[0].p || in[1].p);)
FUNCTION (one_of, return ph_num_int (in[0].p != in[1].p);)
FUNCTION (negation, return ph_num_int (!in[0].p);)
FUNCTION (where, return in[0].p ? in[1] : in[2];)

/* ── rules ── */

/* clang-format off */
typedef enum { POLYNOMIAL, PRODUCT, QUOTIENT, SIGN, TRUTH, OTHER } Degree;

typedef struct
{
  const PhOp *op; PhFieldFunction function;
  guint n;                       /* number of inputs; 0: any number, applied pairwise */
  Degree degree;
  gconstpointer data;
  const char *a, *b; double fallback_a, fallback_b;      /* attributes that are parameters        */
} Row;

#define NAMED(op_, function_, n_, degree_) { &ph_op_##op_, function_, n_, degree_ }
#define PLAIN(op_)  { &ph_op_##op_, plain_function, 1, OTHER, #op_ }
#define ODD(op_)    { &ph_op_##op_, odd_function, 1, OTHER, #op_ }

static const Row rows[] = {
  NAMED (Add, add, 2, POLYNOMIAL), NAMED (Sub, subtract, 2, POLYNOMIAL), NAMED (Mul, multiply, 2, PRODUCT),
  NAMED (Div, divide, 2, QUOTIENT), NAMED (Neg, negate, 1, POLYNOMIAL), NAMED (Sum, add, 0, POLYNOMIAL),
  NAMED (Reciprocal, reciprocal, 1, QUOTIENT), NAMED (Max, greatest, 0, SIGN), NAMED (Min, least, 0, SIGN),
  NAMED (Relu, relu, 1, SIGN), NAMED (Abs, absolute, 1, SIGN), NAMED (PRelu, prelu, 2, SIGN),
  { &ph_op_LeakyRelu, leaky, 1, SIGN, NULL, "alpha", NULL, 0.01f },
  { &ph_op_ThresholdedRelu, thresholded, 1, SIGN, NULL, "alpha", NULL, 1 },
  { &ph_op_HardSigmoid, hard_sigmoid, 1, SIGN, NULL, "alpha", "beta", 0.2f, 0.5f },
  NAMED (HardSwish, hard_swish, 1, SIGN),
  { &ph_op_Elu, elu, 1, SIGN, NULL, "alpha", NULL, 1 }, { &ph_op_Celu, celu, 1, SIGN, NULL, "alpha", NULL, 1 },
  { &ph_op_Selu, selu, 1, SIGN, NULL, "alpha", "gamma", 1.67326319217681884765625f, 1.05070102214813232421875f },
  NAMED (Exp, exponential, 1, OTHER), NAMED (Sqrt, square_root, 1, OTHER), NAMED (Log, logarithm, 1, OTHER),
  NAMED (Sigmoid, sigmoid, 1, OTHER), NAMED (Tanh, hyperbolic, 1, OTHER), NAMED (Softplus, softplus, 1, OTHER),
  NAMED (Softsign, softsign, 1, SIGN), NAMED (Mish, mish, 1, OTHER),
  { &ph_op_Swish, swish, 1, OTHER, NULL, "alpha", NULL, 1 },
  ODD (Erf), ODD (Sin), ODD (Tan), ODD (Asin), ODD (Atan), ODD (Sinh), ODD (Asinh), ODD (Atanh), ODD (Sign),
  PLAIN (Cos), PLAIN (Acos), PLAIN (Cosh), PLAIN (Acosh), PLAIN (Ceil), PLAIN (Floor), PLAIN (Round),
  NAMED (Greater, greater, 2, TRUTH), NAMED (Less, less, 2, TRUTH), NAMED (GreaterOrEqual, greater_or_equal, 2, TRUTH),
  NAMED (LessOrEqual, less_or_equal, 2, TRUTH), NAMED (Equal, equal, 2, TRUTH), NAMED (And, both, 2, TRUTH),
  NAMED (Or, either, 2, TRUTH), NAMED (Xor, one_of, 2, TRUTH), NAMED (Not, negation, 1, TRUTH),
};
/* clang-format on */

static void
set_degree (PhFieldNode *self, Degree degree)
{
  PhFieldTensor *a = self->in[0], *b = ph_field_in (self, 1), *out = self->out[0];

  for (guint i = 0; i < self->n_in && degree == POLYNOMIAL; i++)
    if (self->in[i] != NULL)
      {
        const double over = self->in[i]->over, under = self->in[i]->under;

        out->over = i == 0 ? over : MAX (out->over + under, over + out->under);
        out->under = i == 0 ? under : out->under + under;
      }
  if (degree == PRODUCT && b != NULL)
    {
      out->over = a->over + b->over;
      out->under = a->under + b->under;
    }
  else if (degree == QUOTIENT)
    {
      out->over = b != NULL ? a->over + b->under : a->under;
      out->under = b != NULL ? a->under + b->over : a->over;
    }
  else if (degree == OTHER) /* rational in a new variable */
    {
      out->over = out->over + out->under + 2;
      out->under = 2;
    }
  if (degree == SIGN || degree == TRUTH)
    self->field->least_signs = MIN (self->field->least_signs, out->count);
}

/* Integers that depend on variables are opaque, since they wrap around. */
static gboolean
is_integer (PhFieldNode *self)
{
  for (guint i = 0; i < self->n_in; i++)
    if (self->in[i] != NULL && ph_dtype_is_integer (self->in[i]->dtype))
      return TRUE;
  return FALSE;
}

/* Compares a value with itself. */
static gboolean
compare_same (PhFieldNode *self, const Row *row)
{
  const PhNum truth = ph_num_int (row->op == &ph_op_Equal || row->op == &ph_op_GreaterOrEqual || row->op == &ph_op_LessOrEqual);

  self->out[0] = ph_field_tensor_new (self->field, PH_BOOL, self->in[0]->rank, self->in[0]->dims);
  for (gsize i = 0; self->out[0] != NULL && i < self->out[0]->count; i++)
    ph_field_put (self->out[0], i, truth);
  return self->out[0] != NULL;
}

static gboolean
is_comparison (PhFieldFunction f)
{
  return f == greater || f == less || f == greater_or_equal || f == less_or_equal || f == equal;
}

static gboolean
run_row (PhFieldNode *self, gconstpointer data)
{
  const Row *row = data;
  double parameters[2] = { 0, 0 };
  gconstpointer given = row->data;
  const PhDType dtype = row->degree == TRUTH ? PH_BOOL : self->in[0] != NULL ? self->in[0]->dtype : PH_FLOAT;

  if (is_integer (self))
    return ph_field_unknown_elements (self, NULL);
  if (row->a != NULL)
    {
      parameters[0] = ph_node_attr_float (self->node, row->a, (float) row->fallback_a);
      parameters[1] = row->b != NULL ? ph_node_attr_float (self->node, row->b, (float) row->fallback_b) : 0;
      given = parameters;
    }
  for (guint i = 0; i < MAX (row->n, 1); i++)
    if (ph_field_in (self, i) == NULL)
      return ph_field_fail (self, "input %u is missing", i);
  if (is_comparison (row->function) && self->in[0] == self->in[1])
    return compare_same (self, row);
  if (row->n != 0)
    self->out[0] = ph_field_map (self, self->in, row->n, dtype, row->function, given);
  else
    {
      g_autoptr (PhFieldTensor) sum = ph_field_tensor_ref (self->in[0]);

      ph_field_parts (self->field, sum);
      for (guint i = 1; i < self->n_in && sum != NULL && self->in[i] != NULL; i++)
        {
          PhFieldTensor *next = ph_field_map (self, (PhFieldTensor *[]) { sum, self->in[i] }, 2, dtype, row->function, NULL);

          ph_field_tensor_unref (sum);
          sum = next;
        }
      self->out[0] = g_steal_pointer (&sum);
      if (self->out[0] == self->in[0] && row->degree == POLYNOMIAL)
        return TRUE;
    }
  if (self->out[0] != NULL && self->out[0] != self->in[0])
    set_degree (self, row->degree);
  return self->out[0] != NULL;
}

/* Evaluates an opaque, deterministic function of the elements. */
static PhNum
hash_elements (PhField *field, const PhNum *in, gconstpointer data)
{
  guint64 hash = *(const guint64 *) data;
  const guint n = (guint) ((const guint64 *) data)[1], commutes = (guint) ((const guint64 *) data)[2];

  if (commutes && n >= 2)
    hash = ph_mix (ph_mix (hash, MIN (in[0].p, in[1].p)), MAX (in[0].p, in[1].p));
  else
    for (guint i = 0; i < n; i++)
      hash = ph_mix (hash, in[i].p);
  field->hashed++;
  return ((const guint64 *) data)[3] ? ph_num_int ((gint64) (ph_mix (hash, 5) >> 40) & 1) : ph_field_hash (field, hash);
}

gboolean
ph_field_unknown_of (PhFieldNode *self, PhDType dtype)
{
  PhFieldTensor *in[PH_WALK_MAX];
  guint64 data[4] = { ph_field_hash_node (self), 0, (self->node->op->flags & PH_OP_COMMUTATIVE) && self->n_in == 2,
                      dtype == PH_BOOL };
  guint n = 0;

  for (guint i = 0; i < self->n_in; i++)
    {
      if (n == PH_WALK_MAX)
        return ph_field_fail (self, "has too many inputs");
      if (self->in[i] != NULL)
        {
          data[0] = ph_mix (ph_mix (data[0], i), self->in[i]->dtype);
          in[n++] = self->in[i];
        }
    }
  data[1] = n;
  data[0] = ph_mix (data[0], dtype);
  self->out[0] = ph_field_map (self, in, n, dtype, hash_elements, data);
  if (self->out[0] != NULL && dtype == PH_BOOL)
    self->field->least_signs = MIN (self->field->least_signs, self->out[0]->count);
  if (self->out[0] != NULL)
    self->out[0]->over = self->out[0]->under = 1;
  return self->out[0] != NULL;
}

gboolean
ph_field_unknown_elements (PhFieldNode *self, gconstpointer data)
{
  const PhValue *output = ph_node_output (self->node, 0);

  if (output == NULL || output->type == NULL || self->n_out != 1)
    return ph_field_fail (self, "the type of its output is not known");
  return ph_field_unknown_of (self, output->type->dtype);
}

/* ── special rules ── */

static gboolean
run_where (PhFieldNode *self, gconstpointer data)
{
  if (self->n_in != 3 || self->in[0] == NULL || self->in[1] == NULL || self->in[2] == NULL)
    return ph_field_fail (self, "has not three inputs");
  self->out[0] = ph_field_map (self, self->in, 3, self->in[1]->dtype, where, NULL);
  return self->out[0] != NULL;
}

static PhNum
mean_of (PhField *field, const PhNum *in, gconstpointer data)
{
  return ph_num_mul (in[0], ph_field_ratio (field, 1, *(const guint *) data));
}

static gboolean
run_mean (PhFieldNode *self, gconstpointer data)
{
  const Row sum = NAMED (Sum, add, 0, POLYNOMIAL);
  PhFieldTensor *total;

  if (!run_row (self, &sum))
    return FALSE;
  total = self->out[0];
  self->out[0] = ph_field_map (self, &total, 1, total->dtype, mean_of, &self->n_in);
  ph_field_tensor_unref (total);
  return self->out[0] != NULL;
}

static gboolean
run_clip (PhFieldNode *self, gconstpointer data)
{
  g_autoptr (PhFieldTensor) x = ph_field_tensor_ref (self->in[0]);

  if (is_integer (self))
    return ph_field_unknown_elements (self, NULL);
  ph_field_parts (self->field, x);
  for (guint i = 1; i <= 2 && x != NULL; i++)
    if (ph_field_in (self, i) != NULL)
      {
        PhFieldTensor *next;

        if (self->in[i]->count != 1 || self->in[i]->rank > x->rank)
          return ph_field_fail (self, "its bounds are no numbers");
        next = ph_field_map (self, (PhFieldTensor *[]) { x, self->in[i] }, 2, x->dtype, i == 1 ? greatest : least, NULL);
        ph_field_tensor_unref (x);
        x = next;
      }
  if (x != NULL)
    self->field->least_signs = MIN (self->field->least_signs, x->count);
  self->out[0] = g_steal_pointer (&x);
  return self->out[0] != NULL;
}

static gboolean
run_gelu (PhFieldNode *self, gconstpointer data)
{
  const double by_tanh = ph_node_attr_string (self->node, "approximate", "none")[0] == 't';

  self->out[0] = ph_field_map (self, self->in, 1, self->in[0]->dtype, gelu, &by_tanh);
  return self->out[0] != NULL;
}

static gboolean
run_pow (PhFieldNode *self, gconstpointer data)
{
  PhTensor *exponent = ph_field_known (self, 1);
  double number;

  if (is_integer (self) && !ph_dtype_is_float (self->in[0]->dtype))
    return ph_field_unknown_elements (self, NULL);
  if (exponent == NULL || ph_tensor_count (exponent) == 0)
    return ph_field_unknown_of (self, self->in[0]->dtype);
  number = ph_tensor_get (exponent, 0);
  for (gsize i = 1; !ph_tensor_is_splat (exponent) && i < ph_tensor_count (exponent); i++)
    if (ph_tensor_get (exponent, i) != number)
      return ph_field_unknown_of (self, self->in[0]->dtype);
  self->out[0] = ph_field_map (self, self->in, 2, self->in[0]->dtype, power, &number);
  if (self->out[0] != NULL)
    {
      self->out[0]->over *= MAX (1, fabs (number));
      self->out[0]->under = MAX (self->out[0]->under * fabs (number), number < 0 ? self->out[0]->over : 0);
    }
  return self->out[0] != NULL;
}

/* clang-format off */
static const PhFieldKind kinds[] = {
  { &ph_op_Where, run_where }, { &ph_op_Mean, run_mean }, { &ph_op_Clip, run_clip }, { &ph_op_Gelu, run_gelu },
  { &ph_op_Pow, run_pow },
};
/* clang-format on */

PhFieldRule
ph_field_elementwise_rule (const PhOp *op, gconstpointer *data)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].op == op)
      return kinds[i].rule;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == op)
      {
        *data = &rows[i];
        return run_row;
      }
  return NULL;
}
