/* type.c: the types and attributes of TVMScript.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/tvm/script.h"

PhDType
ph_tvm_dtype (const char *name)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } names[] = {
    { "float32", PH_FLOAT }, { "float64", PH_DOUBLE }, { "float16", PH_FLOAT16 }, { "bfloat16", PH_BFLOAT16 }, { "int64", PH_INT64 }, { "int32", PH_INT32 },
    { "int16", PH_INT16 }, { "int8", PH_INT8 }, { "uint64", PH_UINT64 }, { "uint32", PH_UINT32 }, { "uint16", PH_UINT16 }, { "uint8", PH_UINT8 },
    { "bool", PH_BOOL }, { "uint1", PH_BOOL }, { "int4", PH_INT4 }, { "uint4", PH_UINT4 }, { "float8_e4m3fn", PH_FLOAT8E4M3FN }, { "e4m3_float8", PH_FLOAT8E4M3FN },
    { "float8_e5m2", PH_FLOAT8E5M2 }, { "e5m2_float8", PH_FLOAT8E5M2 }, { "float8_e8m0fnu", PH_FLOAT8E8M0 }, { "float4_e2m1fn", PH_FLOAT4E2M1 },
    { "float", PH_FLOAT }, { "int", PH_INT64 },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, name))
      return names[i].dtype;
  return PH_UNDEFINED;
}

char *
ph_tvm_op_name (const PhPy *callee)
{
  static const char *const modules[] = { "R.", "T.", "I.", "relax.op.", "relax.", "tir.", "tirx.", "relay." };
  char *dotted = ph_py_dotted (callee);

  if (dotted == NULL)
    return ph_py_to_string (callee);
  for (guint i = 0; i < G_N_ELEMENTS (modules); i++)
    if (g_str_has_prefix (dotted, modules[i]))
      {
        memmove (dotted, dotted + strlen (modules[i]), strlen (dotted) - strlen (modules[i]) + 1);
        break;
      }
  return dotted;
}

/* Reads a dimension: 3, T.int64(3), n, "n", n * 2. */
static PhDim
dim (const PhPy *py)
{
  g_autofree char *text = NULL;
  gint64 size;

  if (py->kind == PH_PY_CALL && py->n == 2 && ph_py_int (py->items[1], &size))
    return size >= 0 ? PH_DIM (size) : PH_DIM_UNKNOWN;
  if (ph_py_int (py, &size))
    return size >= 0 ? PH_DIM (size) : PH_DIM_UNKNOWN;
  text = py->kind == PH_PY_STRING ? g_strdup (py->text) : ph_py_to_string (py);
  if (*text == '\0' || strlen (text) > 200 || !g_utf8_validate (text, -1, NULL))
    return PH_DIM_UNKNOWN;
  return ph_dim_symbol (ph_intern (text));
}

static const PhType *
tensor_type (const PhPy *py)
{
  g_autofree char *name = NULL;
  const PhPy *shape, *word, *rank;
  PhDim dims[PH_MAX_RANK];
  gint64 n;
  PhDType dtype = PH_UNDEFINED;

  if (py == NULL)
    return NULL;
  if (py->kind == PH_PY_STRING)
    return (dtype = ph_tvm_dtype (py->text)) != PH_UNDEFINED ? ph_type_tensor (dtype, 0, NULL) : NULL;
  name = ph_tvm_op_name (py->kind == PH_PY_CALL || py->kind == PH_PY_SUBSCRIPT ? py->items[0] : py);
  if (py->kind != PH_PY_CALL || g_str_equal (name, "Prim"))
    {
      if (g_str_equal (name, "Prim") && py->kind == PH_PY_CALL && (word = ph_py_argument (py, 0, "dtype")) != NULL
          && word->kind == PH_PY_STRING)
        dtype = ph_tvm_dtype (word->text);
      else if (py->kind == PH_PY_ATTRIBUTE)
        dtype = ph_tvm_dtype (name);
      return dtype != PH_UNDEFINED ? ph_type_tensor (dtype, 0, NULL) : NULL;
    }
  if (g_str_equal (name, "Shape"))
    return (shape = ph_py_argument (py, 0, "values")) != NULL && (shape->kind == PH_PY_LIST || shape->kind == PH_PY_TUPLE)
               ? ph_type_static (PH_INT64, 1, (gint64[]) { shape->n })
               : NULL;
  if (!g_str_equal (name, "Tensor") && !g_str_equal (name, "DTensor") && !g_str_equal (name, "Buffer")
      && !g_str_equal (name, "match_buffer") && !g_str_has_suffix (name, "alloc_buffer") && !g_str_equal (name, "decl_buffer")
      && !g_str_equal (name, "allocate"))
    return g_str_has_prefix (name, "int") || g_str_has_prefix (name, "uint") || g_str_has_prefix (name, "float")
                   || g_str_has_prefix (name, "bool")
               ? (dtype = ph_tvm_dtype (name)) != PH_UNDEFINED ? ph_type_tensor (dtype, 0, NULL) : NULL
               : NULL;
  n = g_str_equal (name, "match_buffer") ? 1 : 0;
  shape = ph_py_argument (py, (guint) n, "shape");
  word = ph_py_argument (py, (guint) n + 1, "dtype");
  if (shape != NULL && shape->kind == PH_PY_STRING && word == NULL)
    {
      word = shape;
      shape = NULL;
    }
  if (word != NULL && word->kind == PH_PY_STRING)
    dtype = ph_tvm_dtype (word->text);
  else if (word == NULL && (g_str_equal (name, "Buffer") || g_str_has_suffix (name, "_buffer")))
    dtype = PH_FLOAT;
  if (dtype == PH_UNDEFINED)
    return NULL;
  if (shape != NULL && shape->kind == PH_PY_CALL && shape->n == 2
      && (shape->items[1]->kind == PH_PY_LIST || shape->items[1]->kind == PH_PY_TUPLE))
    shape = shape->items[1]; /* R.shape([n, 4]) */
  if (shape != NULL && (shape->kind == PH_PY_TUPLE || shape->kind == PH_PY_LIST) && shape->n <= PH_MAX_RANK)
    {
      for (guint i = 0; i < shape->n; i++)
        dims[i] = shape->items[i] != NULL ? dim (shape->items[i]) : PH_DIM_UNKNOWN;
      return ph_type_tensor (dtype, shape->n, dims);
    }
  if (shape != NULL && ph_py_int (shape, &n) && n >= 0)
    return ph_type_static (dtype, 1, &n);
  if ((rank = ph_py_keyword (py, "ndim")) != NULL && ph_py_int (rank, &n) && n >= 0 && n <= PH_MAX_RANK)
    {
      for (guint i = 0; i < n; i++)
        dims[i] = PH_DIM_UNKNOWN;
      return ph_type_tensor (dtype, (guint) n, dims);
    }
  return ph_type_unranked (dtype);
}

/* Returns a handle, an object or a tuple by its name in the script. */
const PhType *
ph_tvm_type (const PhPy *py)
{
  const PhType *type = tensor_type (py);
  g_autofree char *text = NULL;

  if (type != NULL || py == NULL || (py->kind == PH_PY_CONSTANT && g_str_equal (py->text, "None")))
    return type;
  text = ph_py_to_string (py);
  return g_str_has_prefix (text, "T.handle") || g_str_has_prefix (text, "R.Object") || g_str_has_prefix (text, "R.Tuple")
                 || g_str_has_prefix (text, "R.Callable") || g_str_has_prefix (text, "R.Any")
             ? ph_type_opaque (text)
             : NULL;
}

const PhType *
ph_tvm_item_type (PhTvm *tvm, const PhType *tuple, gint64 index)
{
  g_autoptr (PhPyModule) module = NULL;
  const PhPy *call, *items;
  guint first = 1; /* behind the name that is called */

  if (tuple == NULL || tuple->kind != PH_KIND_OPAQUE || !g_str_has_prefix (tuple->name, "R.Tuple("))
    return NULL;
  module = ph_py_parse (tvm->module->source, tuple->name, strlen (tuple->name), 1, NULL, NULL);
  if (module == NULL || module->n_body != 1 || module->body[0]->kind != PH_PY_EXPRESSION
      || (call = module->body[0]->items[0])->kind != PH_PY_CALL)
    return NULL;
  items = call;
  if (call->n == 2 && (call->items[1]->kind == PH_PY_LIST || call->items[1]->kind == PH_PY_TUPLE))
    {
      items = call->items[1];
      first = 0;
    }
  return index >= 0 && index < (gint64) items->n - first ? ph_tvm_type (items->items[first + index]) : NULL;
}

static gboolean
int_of (const PhPy *py, gint64 *value)
{
  return ph_py_int (py, value) || (py != NULL && py->kind == PH_PY_CALL && py->n == 2 && ph_py_int (py->items[1], value));
}

void
ph_tvm_attr (PhSketchNode *node, const char *name, const PhPy *py)
{
  g_autofree char *text = NULL, *wrapper = py->kind == PH_PY_CALL && py->n == 2 ? ph_py_dotted (py->items[0]) : NULL;
  gint64 one;
  double real;

  /* Printed code wraps what a program may give as it is. */
  if (g_strcmp0 (wrapper, "R.dtype") == 0 || g_strcmp0 (wrapper, "R.str") == 0 || g_strcmp0 (wrapper, "R.prim_value") == 0
      || g_strcmp0 (wrapper, "T.bool") == 0)
    py = py->items[1];
  if (py->kind == PH_PY_STRING)
    ph_sketch_node_text (node, name, py->text);
  else if (int_of (py, &one))
    ph_sketch_node_int (node, name, one);
  else if (ph_py_float (py, &real))
    ph_sketch_node_attr (node, ph_attr_new_float (ph_intern (name), (float) real));
  else if (py->kind == PH_PY_CONSTANT && (py->text[0] == 'T' || py->text[0] == 'F'))
    ph_sketch_node_int (node, name, py->text[0] == 'T');
  else
    {
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
      gboolean list = py->kind == PH_PY_LIST || py->kind == PH_PY_TUPLE;

      for (guint i = 0; list && i < py->n; i++)
        if ((list = int_of (py->items[i], &one)))
          g_array_append_val (values, one);
      if (list && values->len > 0)
        ph_sketch_node_attr (node, ph_attr_new_ints (ph_intern (name), (const gint64 *) (gpointer) values->data, values->len));
      else
        {
          text = ph_py_to_string (py);
          ph_sketch_node_text (node, name, text);
        }
    }
}

static gboolean
has_attr (const PhSketchNode *node, const char *name)
{
  for (guint i = 0; i < node->attrs->len; i++)
    if (g_str_equal (((const PhAttr *) node->attrs->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

void
ph_tvm_dict_attrs (PhSketchNode *node, const PhPy *dict)
{
  if (dict == NULL || dict->kind != PH_PY_DICT)
    return;
  for (guint i = 0; i + 1 < dict->n; i += 2)
    if (dict->items[i] != NULL && dict->items[i]->kind == PH_PY_STRING && *dict->items[i]->text != '\0'
        && !has_attr (node, dict->items[i]->text))
      ph_tvm_attr (node, dict->items[i]->text, dict->items[i + 1]);
}

const PhPy *
ph_tvm_function_attrs (const PhPy *statement)
{
  const PhPy *call = statement->kind == PH_PY_EXPRESSION ? statement->items[0] : NULL;
  g_autofree char *name = call != NULL && call->kind == PH_PY_CALL ? ph_tvm_op_name (call->items[0]) : NULL;

  return g_strcmp0 (name, "func_attr") == 0 ? ph_py_argument (call, 0, NULL) : NULL;
}

void
ph_tvm_add_function_attrs (PhSketchNode *node, const PhPy *def)
{
  for (guint i = 0; i < def->n_body; i++)
    ph_tvm_dict_attrs (node, ph_tvm_function_attrs (def->body[i]));
}
