/* infer-contents.c: propagates the contents of small integer tensors as symbols.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/infer-private.h"

/* Contents are kept of tensors up to this many elements: shapes, pads, axes, starts and ends. */
#define MAX_CONTENTS 1024
/* The longest chain of producers followed to find the contents of a value. */
#define MAX_DEPTH 200

typedef struct
{
  int n;
  PhDim dims[];
} Contents; /* n -1: nothing is known */

static Contents *
contents_new (PhInferRun *run, int n)
{
  Contents *contents = g_malloc (sizeof (Contents) + MAX (n, 0) * sizeof (PhDim));

  contents->n = n;
  if (run->arena == NULL)
    run->arena = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (run->arena, contents);
  return contents;
}

static void
contents_keep (PhInferRun *run, const PhValue *value, Contents *contents)
{
  if (run->contents == NULL)
    run->contents = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (run->contents, (gpointer) value, contents);
}

void
ph_infer_run_clear (PhInferRun *run)
{
  g_clear_pointer (&run->contents, g_hash_table_unref);
  g_clear_pointer (&run->declared, g_hash_table_unref);
  g_clear_pointer (&run->told, g_hash_table_unref);
  g_clear_pointer (&run->arena, g_ptr_array_unref);
}

PhDim
ph_dim_from_int (gint64 number)
{
  char text[32];

  if (number >= 0)
    return PH_DIM (number);
  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, number);
  return (PhDim) { -1, ph_intern (text) };
}

gboolean
ph_dim_get_int (PhDim dim, gint64 *number)
{
  char *end;

  if (dim.symbol == NULL)
    {
      *number = dim.size;
      return dim.size >= 0;
    }
  if (dim.symbol[0] != '-')
    return FALSE;
  *number = g_ascii_strtoll (dim.symbol, &end, 10);
  return *end == '\0' && end != dim.symbol;
}

static Contents *
contents_of_tensor (PhInferRun *run, PhTensor *tensor)
{
  PhDType dtype = ph_tensor_dtype (tensor);
  Contents *contents;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_rank (tensor) > 2 || ph_tensor_count (tensor) > MAX_CONTENTS
      || !(ph_dtype_is_integer (dtype) || dtype == PH_BOOL))
    return contents_new (run, -1);

  contents = contents_new (run, ph_tensor_count (tensor));
  for (int i = 0; i < contents->n; i++)
    contents->dims[i] = ph_dim_from_int (ph_tensor_get_int (tensor, i));
  return contents;
}

/* Returns TRUE if @value may hold integers worth tracking. */
static gboolean
is_small_integers (const PhValue *value)
{
  const PhType *type = value->type;

  return type == NULL
         || (type->kind == PH_KIND_TENSOR && (ph_dtype_is_integer (type->dtype) || type->dtype == PH_BOOL)
             && (!type->has_rank || type->rank <= 2));
}

/* Runs the infer function of @value's producer for its contents alone: no type is set. */
static void
look_back (PhInferRun *run, const PhValue *value)
{
  PhNode *node = value->producer;

  if (node == NULL || node->op == NULL || node->op->infer == NULL || (node->graphs != NULL && node->graphs->len > 0)
      || run->depth >= MAX_DEPTH || !ph_op_check (node->op, node, NULL))
    return;

  g_autofree const PhType **types = g_new0 (const PhType *, node->outputs->len + 1);
  PhInfer infer = { node, run, types };

  run->depth++;
  node->op->infer (&infer, NULL);
  run->depth--;
}

static const Contents *
contents_of (PhInferRun *run, const PhValue *value)
{
  Contents *contents = run->contents != NULL ? g_hash_table_lookup (run->contents, value) : NULL;

  if (contents != NULL)
    return contents;
  if (!is_small_integers (value))
    return contents_new (run, -1);

  PhTensor *tensor = ph_value_constant (value);

  if (tensor != NULL)
    {
      contents = contents_of_tensor (run, tensor);
      contents_keep (run, value, contents);
      return contents;
    }

  contents = contents_new (run, -1);
  if (!run->whole)
    {
      contents_keep (run, value, contents); /* also ends a recursion that malformed input could start */
      look_back (run, value);
      contents = g_hash_table_lookup (run->contents, value);
    }
  return contents;
}

static gboolean
is_matrix (const PhValue *value)
{
  return value->type != NULL && value->type->has_rank && value->type->rank == 2;
}

int
ph_infer_dims (PhInfer *infer, guint input, const PhDim **dims)
{
  PhValue *value = ph_node_input (infer->node, input);

  return value != NULL && !is_matrix (value) ? ph_infer_elements (infer, input, dims) : -1;
}

int
ph_infer_elements (PhInfer *infer, guint input, const PhDim **dims)
{
  PhValue *value = ph_node_input (infer->node, input);
  const Contents *contents;

  if (value == NULL)
    return -1;
  contents = contents_of (infer->run, value);
  if (dims != NULL)
    *dims = contents->dims;
  return contents->n;
}

gboolean
ph_infer_ints (PhInfer *infer, guint input, gint64 **values, gsize *n)
{
  const PhDim *dims;
  int count = ph_infer_dims (infer, input, &dims);

  if (count < 0)
    return FALSE;

  g_autofree gint64 *numbers = g_new (gint64, MAX (count, 1));

  for (int i = 0; i < count; i++)
    if (!ph_dim_get_int (dims[i], &numbers[i]))
      return FALSE;
  *values = g_steal_pointer (&numbers);
  *n = count;
  return TRUE;
}

/* Returns TRUE if an element of type @dtype can represent @dim without wrapping. Symbolic dimensions are assumed to fit into 32 bits. */
static gboolean
fits (PhDim dim, PhDType dtype)
{
  const guint bits = ph_dtype_file_bits (dtype), own = ph_dtype_is_signed (dtype) ? bits - 1 : bits;
  gint64 number;

  if (dtype == PH_BOOL)
    return ph_dim_get_int (dim, &number) && number >= 0 && number <= 1;
  if (!ph_dtype_is_integer (dtype))
    return FALSE;
  if (!ph_dim_get_int (dim, &number))
    return bits >= 32;
  if (number < 0)
    return ph_dtype_is_signed (dtype) && number >= -1 - (gint64) (G_MAXUINT64 >> (64 - own));
  return (guint64) number <= G_MAXUINT64 >> (64 - own);
}

void
ph_infer_set_dims (PhInfer *infer, guint output, const PhDim *dims, guint n)
{
  PhValue *value = ph_node_output (infer->node, output);
  const PhType *type;
  gboolean known = n == 0;

  if (value == NULL || n > MAX_CONTENTS)
    return;
  type = infer->types[output] != NULL ? infer->types[output] : value->type;

  Contents *contents = contents_new (infer->run, n);

  for (guint i = 0; i < n; i++)
    {
      contents->dims[i] = type == NULL || type->dtype == PH_UNDEFINED || fits (dims[i], type->dtype) ? dims[i] : PH_DIM_UNKNOWN;
      known |= contents->dims[i].size >= 0 || contents->dims[i].symbol != NULL;
    }
  if (!known)
    return;
  contents_keep (infer->run, value, contents);
}

int
ph_value_dims (const PhValue *value, PhDim **dims)
{
  PhInferRun run = {
    NULL,
  };
  const Contents *contents = contents_of (&run, value);
  int n = is_matrix (value) ? -1 : contents->n;

  if (dims != NULL)
    {
      *dims = NULL;
      if (n >= 0)
        {
          *dims = g_new (PhDim, n + 1);
          for (int i = 0; i < n; i++)
            (*dims)[i] = contents->dims[i];
        }
    }
  ph_infer_run_clear (&run);
  return n;
}
