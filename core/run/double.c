/* double.c: computes in float64 in place of the narrower floats that the model declares, so that rounding vanishes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/double.h"

#include <math.h>

#include "core/ops/op-list.h"

/* The floats that are widened to doubles. Those of eight bits and fewer are codes stored by a quantised model. */
#define IS_WIDENED(dtype) ((dtype) == PH_FLOAT || (dtype) == PH_FLOAT16 || (dtype) == PH_BFLOAT16)
#define IS_WIDE(dtype)    ((dtype) == PH_DOUBLE || IS_WIDENED (dtype))

gboolean
ph_run_dtype_fits (const PhRun *run, PhDType declared, PhDType dtype)
{
  return declared == dtype || (run->options->in_double && IS_WIDE (declared) && IS_WIDE (dtype));
}

PhDType
ph_kernel_dtype (PhKernel *kernel, PhDType dtype)
{
  return kernel->run->options->in_double && IS_WIDENED (dtype) ? PH_DOUBLE : dtype;
}

/* Converts each float of @tensor, also inside sequences, to @dtype. Returns NULL if it does not fit in memory. (transfer full) */
static PhTensor *
convert (PhTensor *tensor, PhDType dtype)
{
  const gsize n = ph_tensor_count (tensor);
  PhTensor *result = NULL;
  PhTensor **items;
  gsize i;

  if (!IS_WIDE (ph_tensor_dtype (tensor)) || ph_tensor_dtype (tensor) == dtype)
    return ph_tensor_ref (tensor);
  if (ph_tensor_kind (tensor) == PH_KIND_TENSOR)
    return ph_tensor_cast (tensor, dtype);
  items = g_new0 (PhTensor *, n + 1);
  for (i = 0; i < n && (i == 0 || items[i - 1] != NULL); i++)
    items[i] = convert (ph_tensor_item (tensor, i), dtype);
  if (i == 0 || items[i - 1] != NULL)
    result = ph_tensor_new_sequence (ph_tensor_kind (tensor), items, n);
  for (i = 0; i < n; i++)
    g_clear_pointer (&items[i], ph_tensor_unref);
  g_free (items);
  return result;
}

const PhType *
ph_run_widened_type (const PhType *type)
{
  return type != NULL && IS_WIDENED (type->dtype) ? ph_type_with_dtype (type, PH_DOUBLE) : type;
}

PhTensor *
ph_run_widen (PhTensor *tensor)
{
  return convert (tensor, PH_DOUBLE);
}

/* Widens a weight once per run, since bodies read it repeatedly. */
PhTensor *
ph_run_widen_constant (PhRun *run, PhTensor *tensor)
{
  PhTensor *wide;

  if (tensor == NULL || !IS_WIDENED (ph_tensor_dtype (tensor)))
    return tensor;
  if (run->wide == NULL)
    run->wide = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ph_tensor_unref, (GDestroyNotify) ph_tensor_unref);
  wide = g_hash_table_lookup (run->wide, tensor);
  if (wide == NULL)
    {
      wide = ph_run_widen (tensor);
      if (wide != NULL)
        g_hash_table_insert (run->wide, ph_tensor_ref (tensor), wide);
    }
  return wide;
}

/* A smaller weight is widened in no time. */
#define LARGE_WEIGHT 4096

gboolean
ph_run_only_moves (const PhNode *node)
{
  return node->op == &ph_op_Transpose || node->op == &ph_op_Reshape || node->op == &ph_op_Flatten || node->op == &ph_op_Squeeze
         || node->op == &ph_op_Unsqueeze || node->op == &ph_op_Identity;
}

gboolean
ph_run_stays_narrow (const PhNode *node, guint i, const PhTensor *tensor)
{
  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) != PH_FLOAT
      || ph_tensor_count (tensor) < LARGE_WEIGHT)
    return FALSE;
  /* A product widens it as it goes, a graph inside where it is read; what is moved is widened afterwards. */
  return ph_node_is_fused (node) || ph_node_function (node) != NULL
         || (i == 1 && (node->op == &ph_op_MatMul || node->op == &ph_op_Gemm))
         || (i == 0 && (ph_run_only_moves (node) || node->op == &ph_op_Gather));
}

PhDType
ph_run_declared (const PhNode *node, guint input, PhTensor *tensor)
{
  const PhValue *value = ph_node_input (node, input);
  const PhType *type = value != NULL ? value->type : NULL;

  if (tensor == NULL || ph_tensor_dtype (tensor) != PH_DOUBLE)
    return tensor != NULL ? ph_tensor_dtype (tensor) : PH_UNDEFINED;
  while (type != NULL && type->kind != PH_KIND_TENSOR)
    type = type->item;
  return type != NULL && IS_WIDE (type->dtype) ? type->dtype : PH_FLOAT;
}

/* The most values among which the sources of one are looked for; what was found of a value is kept for the run. */
#define MAX_VISITED 2048

/* Returns TRUE if each number of type @from is representable in @to. */
static gboolean
holds (PhDType to, PhDType from)
{
  return to == PH_DOUBLE || to == from || (to == PH_FLOAT && from != PH_DOUBLE);
}

/* Returns TRUE if the kernel of @op accepts doubles at input @i. */
static gboolean
takes_double (const PhOp *op, guint i)
{
  const PhOpArg *arg = ph_op_input (op, i);

  return arg == NULL || arg->types == 0 || (arg->types & PH_T (DOUBLE)) != 0;
}

static PhDType
wider (PhDType a, PhDType b)
{
  return b == PH_UNDEFINED || (a != PH_UNDEFINED && holds (a, b)) ? a : a == PH_UNDEFINED || holds (b, a) ? b : PH_FLOAT;
}

/* See ph_run_source(). @left: values that may still be visited. */
static PhDType
source_of (const PhValue *value, GHashTable *known, guint *left)
{
  const PhType *type = value->type;
  const PhNode *producer = value->producer;
  PhDType declared, widest = PH_UNDEFINED;
  gpointer found;
  gboolean constant, moves;

  if (ph_value_constant (value) != NULL)
    return PH_UNDEFINED;
  if (type == NULL || type->kind != PH_KIND_TENSOR || !IS_WIDE (type->dtype))
    return PH_DOUBLE;
  declared = type->dtype;
  /* What is declared as narrow as any has no source that is narrower. */
  if (declared == PH_FLOAT16 || declared == PH_BFLOAT16 || producer == NULL || producer->op == NULL
      || (producer->graphs != NULL && producer->graphs->len > 0))
    return declared;
  if (g_hash_table_lookup_extended (known, value, NULL, &found))
    return (PhDType) GPOINTER_TO_UINT (found);
  if (*left == 0)
    return declared;
  --*left;
  constant = producer->inputs->len > 0;
  moves = (producer->op->flags & PH_OP_DATA_MOVEMENT) != 0 || producer->op == &ph_op_ConstantOfShape
          || producer->op == &ph_op_Where || producer->op == &ph_op_OneHot;
  for (guint i = 0; i < producer->inputs->len; i++)
    {
      const PhValue *input = ph_node_input (producer, i);
      const PhType *of = input != NULL ? input->type : NULL;
      PhDType source;

      if (input == NULL)
        continue;
      if (of != NULL && of->kind == PH_KIND_TENSOR && !IS_WIDE (of->dtype)
          && (producer->op != &ph_op_Cast || of->dtype == PH_BOOL))
        {
          /* an index, a shape, a condition, which as a float is 0 or 1 */
          constant = constant && (moves || producer->op == &ph_op_Cast || ph_value_constant (input) != NULL);
          continue;
        }
      source = source_of (input, known, left);
      constant = constant && source == PH_UNDEFINED;
      widest = wider (widest, source);
    }
  if (constant) /* as if it were folded */
    widest = PH_UNDEFINED;
  else if (widest == PH_UNDEFINED || !holds (declared, widest))
    widest = declared;
  if (*left > 0)
    g_hash_table_insert (known, (gpointer) value, GUINT_TO_POINTER (widest));
  return widest;
}

PhDType
ph_run_source (const PhValue *value, GHashTable *known)
{
  guint left = MAX_VISITED;

  return source_of (value, known, &left);
}

/* Returns the narrowest type that can represent input 0, declared as @from, up to rounding in that type. */
static PhDType
narrowest (PhRun *run, const PhNode *node, PhDType from)
{
  const PhValue *value = ph_node_input (node, 0);
  PhDType source = from;

  if (value != NULL && IS_WIDE (from))
    {
      if (run->spelt > 0) /* these values do not last */
        g_clear_pointer (&run->sources, g_hash_table_unref);
      if (run->sources == NULL)
        run->sources = g_hash_table_new (NULL, NULL);
      source = ph_run_source (value, run->sources);
    }
  return source != PH_UNDEFINED && holds (from, source) ? source : from;
}

/* Runs a cast, by which a model chooses its precision. Only casts that lose precision by their declared types round; the result stays a
 * double. Returns FALSE if it is no cast between numbers and floats. */
static gboolean
run_cast (PhKernel *kernel, gboolean *ok, GError **error)
{
  const PhNode *node = kernel->node;
  PhTensor *x = ph_kernel_input (kernel, 0), *like = ph_kernel_input (kernel, 1), *result;
  g_autoptr (PhTensor) rounded = NULL;
  PhDType from, to;

  if (node->op != &ph_op_Cast && node->op != &ph_op_CastLike)
    return FALSE;
  if (x == NULL || ph_tensor_kind (x) != PH_KIND_TENSOR || (node->op == &ph_op_CastLike && like == NULL))
    return FALSE;
  from = narrowest (kernel->run, node, ph_run_declared (node, 0, x));
  to = node->op == &ph_op_Cast ? (PhDType) ph_node_attr_int (node, "to", PH_UNDEFINED) : ph_run_declared (node, 1, like);
  if (!IS_WIDE (to) || from == PH_STRING || from == PH_COMPLEX64 || from == PH_COMPLEX128)
    return FALSE;
  rounded = IS_WIDE (from) && holds (to, from) ? ph_tensor_ref (x) : ph_tensor_cast (x, to);
  result = rounded != NULL ? ph_run_widen (rounded) : NULL;
  *ok = result != NULL || ph_kernel_exceed (kernel, error, "the result is too large for memory");
  ph_kernel_take (kernel, 0, result);
  return TRUE;
}

/* Returns TRUE if @node reads the bits, or the digits, of its input. */
static gboolean
reads_representation (const PhNode *node)
{
  return node->op == &ph_op_BitCast || (node->op == &ph_op_Cast && ph_node_attr_int (node, "to", 0) == PH_STRING);
}

/* From @most on a number of the type is infinite, and up to @least it is 0. Integers have at most @digits binary digits. */
typedef struct
{
  double least, most;
  int digits;
} Range;

static Range
range_of (PhDType dtype)
{
  return dtype == PH_FLOAT16    ? (Range) { 0x1p-25, 0x1.ffep15, 11 }
         : dtype == PH_BFLOAT16 ? (Range) { 0x1p-134, 0x1.ffp127, 8 }
                                : (Range) { 0x1p-150, 0x1.ffffffp127, 24 };
}

static gboolean
is_in_range (Range range, double number)
{
  const double size = fabs (number);

  return !(size >= range.most && isfinite (number)) && !(size <= range.least && number != 0);
}

/* Returns integer @number as it is rounded to so many binary digits. */
static double
rounded_to (int digits, double number)
{
  int exponent;

  frexp (number, &exponent);
  return exponent > digits && number == rint (number) ? ldexp (rint (ldexp (number, digits - exponent)), exponent - digits)
                                                      : number;
}

static double
into_range (Range range, gboolean counts, double number)
{
  const double held = counts && isfinite (number) ? rounded_to (range.digits, number) : number, size = fabs (held);

  return size >= range.most ? copysign (INFINITY, number) : size <= range.least ? copysign (0, number) : held;
}

/* The most values among which it is looked for whether one counts. */
#define MAX_COUNTED 64

/* Returns TRUE if float @value is computed from integers and conditions alone: then it counts, and its integers matter to the last one. @left:
 * values that may still be visited. */
static gboolean
counts (const PhValue *value, guint *left)
{
  const PhType *type = value->type;
  const PhNode *producer = value->producer;

  if (ph_value_constant (value) != NULL)
    return TRUE;
  if (type == NULL || type->kind != PH_KIND_TENSOR || !IS_WIDE (type->dtype))
    return ph_type_is_whole (type);
  if (producer == NULL || producer->op == NULL || (producer->graphs != NULL && producer->graphs->len > 0) || *left == 0)
    return FALSE;
  --*left;
  for (guint i = 0; i < producer->inputs->len; i++)
    if (ph_node_input (producer, i) != NULL && !counts (ph_node_input (producer, i), left))
      return FALSE;
  return TRUE;
}

/* If requested, replaces elements of @tensor, output @i of @node, beyond the range of its declared type by infinity or 0, and rounds integers
 * that have more digits than the type. (transfer full) (nullable), also for @tensor */
static PhTensor *
keep_range (PhRun *run, const PhNode *node, guint i, PhTensor *tensor)
{
  const PhValue *value = ph_node_output (node, i);
  const PhType *type = value != NULL ? value->type : NULL;
  const double *numbers;
  gboolean is_count = FALSE;
  double exact;
  gsize n, at = 0;
  Range range;

  if ((!run->options->in_range && run->options->left_range == NULL) || run->spelt > 0 || tensor == NULL || type == NULL
      || type->kind != PH_KIND_TENSOR || !IS_WIDENED (type->dtype) || ph_tensor_kind (tensor) != PH_KIND_TENSOR
      || ph_tensor_dtype (tensor) != PH_DOUBLE)
    return tensor;
  range = range_of (type->dtype);
  numbers = ph_tensor_data (tensor);
  n = numbers != NULL ? ph_tensor_count (tensor) : 0;
  exact = ldexp (1, range.digits);
  while (at < n && is_in_range (range, numbers[at]) && !(fabs (numbers[at]) > exact))
    at++;
  if (at < n)
    {
      guint left = MAX_COUNTED;

      is_count = counts (value, &left);
    }
  while (at < n && is_in_range (range, numbers[at]) && !(is_count && rounded_to (range.digits, numbers[at]) != numbers[at]))
    at++;
  if (at == n)
    return tensor;
  if (run->options->left_range != NULL)
    *run->options->left_range = TRUE;
  if (run->options->in_range)
    {
      PhTensor *held = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
      double *out = held != NULL ? ph_tensor_writable (held) : NULL;

      for (gsize k = 0; out != NULL && k < n; k++)
        out[k] = into_range (range, is_count, numbers[k]);
      ph_tensor_unref (tensor);
      return held;
    }
  return tensor;
}

gboolean
ph_run_kernel_in_double (PhRun *run, PhKernel *kernel, gboolean (*inner) (PhRun *, PhKernel *, GError **), GError **error)
{
  const PhNode *node = kernel->node;
  const PhOp *op = node->op;
  const guint n = kernel->n_inputs;
  PhTensor **given = kernel->inputs;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_full (n + 1, NULL);
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  const gboolean has_kernel = op != NULL && op->kernel != NULL && !ph_node_is_fused (node);
  const gboolean as_declared = has_kernel && reads_representation (node);
  gboolean narrow = as_declared, has_double = FALSE, ok = TRUE;

  for (guint i = 0; i < n; i++)
    narrow = narrow
             || (has_kernel && given[i] != NULL && IS_WIDE (ph_tensor_dtype (given[i])) && !takes_double (op, i)
                 && !(op->flags & PH_OP_IN_DOUBLE));
  for (guint i = 0; i < n && ok; i++)
    {
      PhTensor *tensor = given[i];
      PhDType declared, dtype = PH_DOUBLE;

      if (tensor != NULL && narrow)
        {
          declared = ph_run_declared (node, i, tensor);
          dtype = as_declared || (declared == PH_DOUBLE && takes_double (op, i)) ? declared : PH_FLOAT;
        }
      if (tensor != NULL && (dtype != PH_DOUBLE || !ph_run_stays_narrow (node, i, tensor)))
        tensor = convert (tensor, dtype);
      else if (tensor != NULL)
        ph_tensor_ref (tensor);
      has_double = has_double || (tensor != NULL && ph_tensor_dtype (tensor) == PH_DOUBLE);
      if (tensor != NULL)
        g_ptr_array_add (owned, tensor);
      else if (given[i] != NULL)
        ok = ph_kernel_exceed (kernel, error, "input %u is too large for memory as doubles", i);
      g_ptr_array_add (inputs, tensor);
    }
  if (ok)
    {
      kernel->inputs = (PhTensor **) inputs->pdata;
      if (!has_kernel || !run_cast (kernel, &ok, error))
        ok = inner (run, kernel, error);
      kernel->inputs = given;
    }
  for (guint i = 0; i < kernel->n_outputs && ok; i++)
    if (kernel->outputs[i] != NULL)
      {
        PhTensor *wide = ph_run_only_moves (node) && ph_run_stays_narrow (node, 0, given[0])
                             ? ph_tensor_ref (kernel->outputs[i])
                             : keep_range (run, node, i, ph_run_widen (kernel->outputs[i]));

        narrow = narrow || (has_kernel && has_double && IS_WIDENED (ph_tensor_dtype (kernel->outputs[i])));
        ok = wide != NULL || ph_kernel_exceed (kernel, error, "output %u is too large for memory as doubles", i);
        ph_kernel_take (kernel, i, wide);
      }
  if (ok && narrow && run->options->narrow != NULL)
    ++*run->options->narrow;
  return ok;
}
