/* jitter.c: changes the last bit of constants that a rewrite made, to find how far rounding may move results.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/jitter.h"

#include <math.h>
#include <string.h>

#include "core/prove/field/field-modulo.h"
#include "core/prove/field/field.h"
#include "core/run/recipe.h"

typedef struct
{
  PhValue *value;
  PhTensor *kept;
  PhTensor *twin; /* (nullable) a constant of the other side with mostly equal elements: only the others were recomputed */
} Constant;
typedef struct
{
  GPtrArray *attrs;
  guint index;
  PhAttr *kept;
} Number; /* kept: (nullable) the original while a changed one is in its place */

struct _PhJitter
{
  PhModel *models[2];
  GArray *constants[2]; /* (element-type Constant), for each side           */
  GArray *numbers[2];   /* (element-type Number) attributes                 */
};

static void
each_constant (PhGraph *graph, void (*found) (PhValue *value, gpointer data), gpointer data)
{
  for (guint i = 0; i < graph->constants->len; i++)
    found (graph->constants->pdata[i], data);
  PH_FOREACH_NODE (node, graph)
    for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
      each_constant (node->graphs->pdata[i], found, data);
}

static void
each_number (PhGraph *graph, void (*found) (GPtrArray *attrs, guint index, gpointer data), gpointer data)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; i < node->attrs->len; i++)
        {
          const PhAttr *attr = node->attrs->pdata[i];

          if (attr->kind == PH_ATTR_FLOAT || (attr->kind == PH_ATTR_TENSOR && attr->tensor != NULL))
            found (node->attrs, i, data);
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        each_number (node->graphs->pdata[i], found, data);
    }
}

#define SHORT 10 /* binary digits behind the first: so few are not 0 in what was not rounded to a float */
#define NONE  52

/* Returns TRUE for short numbers such as small integers, halves and quarters, which were not rounded. */
static gboolean
is_short (double value, guint digits)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  return !isfinite (value) || value == 0 || (digits < NONE && (bits & ((G_GUINT64_CONSTANT (1) << (52 - digits)) - 1)) == 0);
}

/* Each float16 has so few digits that it is short among floats; there half of its own digits are the bound. What a rule computed may have
 * been rounded to a short number, so none of that is short. */
static guint
short_digits (const PhTensor *tensor)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  if (dtype == PH_FLOAT || dtype == PH_DOUBLE)
    return SHORT;
  return ph_recipe_of (tensor) != NULL ? NONE : dtype == PH_FLOAT16 ? 5 : dtype == PH_BFLOAT16 ? 3 : 1;
}

static gboolean
is_all_short (PhTensor *tensor)
{
  const guint digits = short_digits (tensor);
  const float *floats = ph_tensor_dtype (tensor) == PH_FLOAT && !ph_tensor_is_splat (tensor) ? ph_tensor_data (tensor) : NULL;
  const gsize n = ph_tensor_is_splat (tensor) ? MIN (ph_tensor_count (tensor), 1) : ph_tensor_count (tensor);

  for (gsize i = 0; i < n; i++)
    if (!is_short (floats != NULL ? (double) floats[i] : ph_tensor_get (tensor, i), digits))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if all elements are one number. */
static gboolean
is_number (PhTensor *tensor, double *number)
{
  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (tensor))
      || !(ph_tensor_count (tensor) == 1 || (ph_tensor_is_splat (tensor) && ph_tensor_count (tensor) > 1)))
    return FALSE;
  *number = ph_tensor_get (tensor, 0);
  return TRUE;
}

typedef struct
{
  PhJitter *jitter;
  guint side;
  GHashTable *others;  /* tensors of the other side                                                           */
  GHashTable *numbers; /* single numbers (double) -> how often the other side reads them more than this one */
  GHashTable *sums;    /* PhTensor -> sum_of_elements() (guint64)                                              */
  int by;
} Finding;

static int
times (Finding *finding, double number)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (finding->numbers, &number));
}

static void
add_times (Finding *finding, double number, guint n)
{
  g_hash_table_insert (finding->numbers, g_memdup2 (&number, sizeof number),
                       GINT_TO_POINTER (times (finding, number) + finding->by * (int) n));
}

/* A constant on one side may be an attribute on the other. */
static void
note (Finding *finding, PhTensor *tensor, guint n_uses)
{
  double number;

  if (finding->by > 0)
    g_hash_table_add (finding->others, tensor);
  if (is_number (tensor, &number))
    add_times (finding, number, n_uses);
}

static void
note_tensor (PhValue *value, gpointer data)
{
  note (data, value->tensor, ph_value_n_uses (value));
}

static void
note_number (GPtrArray *attrs, guint index, gpointer data)
{
  Finding *finding = data;
  const PhAttr *attr = attrs->pdata[index];

  if (attr->kind == PH_ATTR_TENSOR)
    note (finding, attr->tensor, 1);
  else
    add_times (finding, (double) attr->f, 1);
}

/* Returns a sum of hashes of all elements, which does not depend on their order. */
static guint64
sum_of_elements (PhTensor *tensor)
{
  const gsize n = ph_tensor_count (tensor), size = ph_dtype_size (ph_tensor_dtype (tensor));
  const char *data = ph_tensor_data (tensor);
  const guint32 *words = size == sizeof *words ? ph_tensor_data (tensor) : NULL;
  guint64 sum = 0;

  for (gsize i = 0; data != NULL && i < n; i++)
    {
      guint64 bits = words != NULL ? words[i] : 0;

      if (words == NULL)
        memcpy (&bits, data + i * size, MIN (size, sizeof bits));
      sum += ph_mix (bits, size);
    }
  return sum;
}

static guint64
known_sum (GHashTable *sums, PhTensor *tensor)
{
  guint64 *known = g_hash_table_lookup (sums, tensor);

  if (known == NULL)
    {
      const guint64 sum = sum_of_elements (tensor);

      known = g_memdup2 (&sum, sizeof sum);
      g_hash_table_insert (sums, tensor, known);
    }
  return *known;
}

/* Returns TRUE if both have the same elements, perhaps in another order: what was transposed was not rounded. */
static gboolean
are_moved (Finding *finding, PhTensor *a, PhTensor *b)
{
  return ph_tensor_kind (a) == PH_KIND_TENSOR && ph_tensor_dtype (a) == ph_tensor_dtype (b)
         && ph_tensor_count (a) == ph_tensor_count (b) && known_sum (finding->sums, a) == known_sum (finding->sums, b);
}

/* Returns TRUE if @tensor has rounded numbers that the other side does not have. */
static gboolean
is_rounded (Finding *finding, PhTensor *tensor)
{
  GHashTableIter iter;
  gpointer other;
  double number;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (tensor)) || is_all_short (tensor))
    return FALSE;
  /* A scalar read by two nodes there but one here counts as another constant for the second node. */
  if (is_number (tensor, &number))
    return times (finding, number) < 0;
  if (g_hash_table_contains (finding->others, tensor))
    return FALSE;
  g_hash_table_iter_init (&iter, finding->others);
  while (g_hash_table_iter_next (&iter, &other, NULL))
    if (ph_tensor_count (other) == ph_tensor_count (tensor)
        && (ph_tensor_equal (other, tensor) || are_moved (finding, other, tensor)))
      return FALSE;
  return TRUE;
}

static void
find_tensor (PhValue *value, gpointer data)
{
  Finding *finding = data;

  if (is_rounded (finding, value->tensor))
    g_array_append_val (finding->jitter->constants[finding->side], ((Constant) { value, NULL, NULL }));
}

static void
find_number (GPtrArray *attrs, guint index, gpointer data)
{
  Finding *finding = data;
  const PhAttr *attr = attrs->pdata[index];
  const double value = (double) attr->f;

  if (attr->kind == PH_ATTR_TENSOR ? is_rounded (finding, attr->tensor) : !is_short (value, SHORT) && times (finding, value) < 0)
    g_array_append_val (finding->jitter->numbers[finding->side], ((Number) { attrs, index, NULL }));
}

/* Elements that are asked first, so that tensors that have nothing in common are not gone through. */
#define N_ASKED 64

static gboolean
are_mostly_equal (PhTensor *a, PhTensor *b)
{
  const gsize n = ph_tensor_count (a), size = ph_dtype_size (ph_tensor_dtype (a));
  const char *x, *y;
  gsize n_equal = 0;

  if (n < 2 || ph_tensor_dtype (a) != ph_tensor_dtype (b) || ph_tensor_rank (a) != ph_tensor_rank (b)
      || memcmp (ph_tensor_dims (a), ph_tensor_dims (b), ph_tensor_rank (a) * sizeof (gint64)) != 0 || ph_tensor_is_splat (a)
      || ph_tensor_is_splat (b))
    return FALSE;
  x = ph_tensor_data (a);
  y = ph_tensor_data (b);
  if (x == NULL || y == NULL)
    return FALSE;
  for (gsize stride = MAX (n / N_ASKED, 1);; stride = 1)
    {
      gsize n_asked = 0;

      n_equal = 0;
      for (gsize i = 0; i < n; i += stride, n_asked++)
        n_equal += memcmp (x + i * size, y + i * size, size) == 0;
      if (2 * n_equal < n_asked || stride == 1)
        return 2 * n_equal >= n_asked;
    }
}

/* Returns TRUE if a double became the float nearest to it. */
static gboolean
is_narrowed (PhTensor *a, PhTensor *b)
{
  if (ph_tensor_dtype (a) != PH_DOUBLE || ph_tensor_dtype (b) != PH_FLOAT || ph_tensor_count (a) != ph_tensor_count (b))
    return FALSE;
  for (gsize i = 0; i < ph_tensor_count (a); i++)
    if (ph_tensor_get (b, i) != (double) (float) ph_tensor_get (a, i))
      return FALSE;
  return TRUE;
}

/* Drops constants that are truncated to float precision, unless an output is narrower than a double: they were not recomputed. */
static void
drop_narrowed (PhJitter *jitter)
{
  const GPtrArray *outputs = jitter->models[0]->graph->outputs;

  for (guint i = 0; i < outputs->len; i++)
    {
      const PhType *type = ((PhValue *) outputs->pdata[i])->type;

      if (type == NULL || type->kind != PH_KIND_TENSOR || type->dtype != PH_DOUBLE)
        return;
    }
  for (guint side = 0; side < 2; side++)
    for (guint i = jitter->constants[side]->len; i-- > 0;)
      for (guint k = 0; k < jitter->constants[1 - side]->len; k++)
        if (is_narrowed (g_array_index (jitter->constants[1 - side], Constant, k).value->tensor,
                         g_array_index (jitter->constants[side], Constant, i).value->tensor))
          {
            g_array_remove_index_fast (jitter->constants[side], i);
            break;
          }
}

static void
find_twins (PhJitter *jitter)
{
  for (guint i = 0; i < jitter->constants[0]->len; i++)
    for (guint k = 0; k < jitter->constants[1]->len; k++)
      {
        Constant *was = &g_array_index (jitter->constants[0], Constant, i),
                 *is = &g_array_index (jitter->constants[1], Constant, k);

        if (was->twin == NULL && is->twin == NULL && are_mostly_equal (was->value->tensor, is->value->tensor))
          {
            was->twin = is->value->tensor;
            is->twin = was->value->tensor;
          }
      }
}

/* Drops all constants if both sides have the same elements in all, so that some were only split, joined or moved. */
static void
drop_moved (PhJitter *jitter, GHashTable *sums)
{
  guint64 sum[2] = { 0, 0 };
  gsize n[2] = { 0, 0 };

  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < jitter->constants[side]->len; i++)
      n[side] += ph_tensor_count (g_array_index (jitter->constants[side], Constant, i).value->tensor);
  if (n[0] != n[1])
    return;
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < jitter->constants[side]->len; i++)
      sum[side] += known_sum (sums, g_array_index (jitter->constants[side], Constant, i).value->tensor);
  for (guint side = 0; side < 2 && sum[0] == sum[1]; side++)
    g_array_set_size (jitter->constants[side], 0);
}

PhJitter *
ph_jitter_new (const PhPair *pair)
{
  PhJitter *jitter = g_new0 (PhJitter, 1);
  PhModel *models[2] = { pair->before, pair->after };
  g_autoptr (GHashTable) sums = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  memcpy (jitter->models, models, sizeof models);
  for (guint side = 0; side < 2; side++)
    {
      g_autoptr (GHashTable) tensors = g_hash_table_new (NULL, NULL);
      g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_double_hash, g_double_equal, g_free, NULL);
      Finding finding = { jitter, side, tensors, numbers, sums, 1 };

      jitter->constants[side] = g_array_new (FALSE, FALSE, sizeof (Constant));
      jitter->numbers[side] = g_array_new (FALSE, FALSE, sizeof (Number));
      each_constant (models[1 - side]->graph, note_tensor, &finding);
      each_number (models[1 - side]->graph, note_number, &finding);
      finding.by = -1;
      each_constant (models[side]->graph, note_tensor, &finding);
      each_number (models[side]->graph, note_number, &finding);
      each_constant (models[side]->graph, find_tensor, &finding);
      each_number (models[side]->graph, find_number, &finding);
    }
  drop_moved (jitter, sums);
  find_twins (jitter);
  drop_narrowed (jitter);
  if (!ph_jitter_has (jitter, 0) && !ph_jitter_has (jitter, 1))
    g_clear_pointer (&jitter, ph_jitter_free);
  return jitter;
}

void
ph_jitter_free (PhJitter *jitter)
{
  for (guint side = 0; side < 2; side++)
    {
      ph_jitter_restore (jitter, side);
      g_array_unref (jitter->constants[side]);
      g_array_unref (jitter->numbers[side]);
    }
  g_free (jitter);
}

gboolean
ph_jitter_has (PhJitter *jitter, guint side)
{
  return jitter->constants[side]->len > 0 || jitter->numbers[side]->len > 0;
}

/* With fewer elements, evaluation over a field is cheaper than this check. */
#define MANY 32

/* Returns TRUE if three quarters of the sampled elements are arbitrary. */
static gboolean
is_arbitrary (PhTensor *tensor)
{
  const gsize n = ph_tensor_is_splat (tensor) ? 1 : ph_tensor_count (tensor), stride = MAX (n / N_ASKED, 1);
  gsize n_asked = 0, n_arbitrary = 0;

  for (gsize i = 0; i < n; i += stride, n_asked++)
    n_arbitrary += !ph_field_may_recognise (ph_tensor_dtype (tensor), ph_tensor_get (tensor, i));
  return 4 * n_arbitrary >= 3 * n_asked;
}

gboolean
ph_jitter_is_rounded (PhJitter *jitter)
{
  gsize n = 0;

  for (guint i = 0; i < jitter->constants[1]->len; i++)
    {
      PhTensor *tensor = g_array_index (jitter->constants[1], Constant, i).value->tensor;

      if (ph_recipe_of (tensor) != NULL || !is_arbitrary (tensor))
        return FALSE;
      n += ph_tensor_count (tensor);
    }
  return n >= MANY && jitter->numbers[1]->len == 0;
}

double
ph_half_step (PhDType dtype)
{
  switch (dtype)
    {
    case PH_DOUBLE: return 0x1p-53;
    case PH_FLOAT: return 0x1p-24;
    case PH_FLOAT16: return 0x1p-11;
    case PH_BFLOAT16: return 0x1p-8;
    default: return 0x1p-4;
    }
}

static double
sign_of (guint turn, guint64 i)
{
  guint64 z = (turn + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + i * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);

  z = (z ^ (z >> 31)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return (z >> 40) & 1 ? 1 : -1;
}

/* Returns the same sign for equal numbers, which were rounded in the same way: in a tensor of few distinct numbers their errors add up. */
static double
sign_of_value (guint turn, double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  return sign_of (turn, bits ^ (bits >> 29));
}

static PhTensor *
moved (PhTensor *tensor, PhTensor *twin, guint turn)
{
  const double step = ph_half_step (ph_tensor_dtype (tensor));
  const guint digits = step <= ph_half_step (PH_FLOAT) ? SHORT
                       : ph_recipe_of (tensor) != NULL ? NONE
                                                       : 1; /* beside longer ones, a short float16 is so by chance */
  PhTensor *copy = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
  double *out = copy != NULL ? ph_tensor_writable (copy) : NULL;
  const float *floats = ph_tensor_dtype (tensor) == PH_FLOAT && !ph_tensor_is_splat (tensor) ? ph_tensor_data (tensor) : NULL;

  for (gsize i = 0; out != NULL && i < ph_tensor_count (tensor); i++)
    {
      const double value = floats != NULL ? (double) floats[i] : ph_tensor_get (tensor, i);

      out[i] = is_short (value, digits) || (twin != NULL && ph_tensor_get (twin, i) == value)
                   ? value
                   : value * (1 + sign_of_value (turn, value) * step);
    }
  return copy;
}

/* (transfer full) */
static PhAttr *
moved_attr (PhAttr *attr, guint turn, guint i)
{
  PhTensor *tensor = attr->kind == PH_ATTR_TENSOR ? moved (attr->tensor, NULL, turn + i * 31) : NULL;
  PhAttr *other;

  if (attr->kind == PH_ATTR_TENSOR && tensor == NULL)
    return ph_attr_ref (attr);
  /* An attribute is a float: its own last bit is the least that can be moved. */
  other = tensor != NULL ? ph_attr_new_tensor (attr->name, tensor)
                         : ph_attr_new_float (attr->name, nextafterf (attr->f, sign_of (turn, i) > 0 ? INFINITY : -INFINITY));
  g_clear_pointer (&tensor, ph_tensor_unref);
  return other;
}

/* Applies the changed constants in place. The models of a pair are private and have no journal, so the compiled program must be dropped
 * explicitly. */
void
ph_jitter_apply (PhJitter *jitter, guint side, guint turn)
{
  ph_model_drop_program (jitter->models[side]);
  for (guint i = 0; i < jitter->constants[side]->len; i++)
    {
      Constant *constant = &g_array_index (jitter->constants[side], Constant, i);
      PhTensor *other = moved (constant->kept != NULL ? constant->kept : constant->value->tensor, constant->twin, turn + i * 31);

      if (other == NULL)
        continue;
      if (constant->kept == NULL)
        constant->kept = constant->value->tensor;
      else
        ph_tensor_unref (constant->value->tensor);
      constant->value->tensor = other;
    }
  for (guint i = 0; i < jitter->numbers[side]->len; i++)
    {
      Number *number = &g_array_index (jitter->numbers[side], Number, i);
      PhAttr *attr = number->attrs->pdata[number->index];

      if (number->kept == NULL)
        number->kept = attr;
      else
        ph_attr_unref (attr);
      number->attrs->pdata[number->index] = moved_attr (number->kept, turn, i);
    }
}

void
ph_jitter_restore (PhJitter *jitter, guint side)
{
  ph_model_drop_program (jitter->models[side]);
  for (guint i = 0; i < jitter->constants[side]->len; i++)
    {
      Constant *constant = &g_array_index (jitter->constants[side], Constant, i);

      if (constant->kept == NULL)
        continue;
      ph_tensor_unref (constant->value->tensor);
      constant->value->tensor = g_steal_pointer (&constant->kept);
    }
  for (guint i = 0; i < jitter->numbers[side]->len; i++)
    {
      Number *number = &g_array_index (jitter->numbers[side], Number, i);

      if (number->kept == NULL)
        continue;
      ph_attr_unref (number->attrs->pdata[number->index]);
      number->attrs->pdata[number->index] = g_steal_pointer (&number->kept);
    }
}
