/* constant.c: the numbers of R.const(...): literals, and arrays of numpy that say all of their elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/tvm/script.h"

#define MAX_ELEMENTS (1 << 20) /* of np.zeros ((n, m)), which is short however large it is */

static gboolean
is_list (const PhPy *py)
{
  return py->kind == PH_PY_LIST || py->kind == PH_PY_TUPLE;
}

/* Returns TRUE if @py, nested lists, has the sizes @dims from axis @depth on and numbers in the innermost ones. */
static gboolean
is_regular (const PhPy *py, guint depth, guint rank, const gint64 *dims, gboolean *real)
{
  double number;

  if (!is_list (py))
    {
      *real = *real || py->kind == PH_PY_FLOAT || (py->kind == PH_PY_UNARY && py->items[0]->kind == PH_PY_FLOAT);
      return depth == rank && ph_py_float (py, &number);
    }
  if (depth >= rank || dims[depth] != py->n)
    return FALSE;
  for (guint i = 0; i < py->n; i++)
    if (py->items[i] == NULL || !is_regular (py->items[i], depth + 1, rank, dims, real))
      return FALSE;
  return TRUE;
}

static void
store (const PhPy *py, PhTensor *tensor, gsize *at)
{
  double number = 0;

  if (is_list (py))
    for (guint i = 0; i < py->n; i++)
      store (py->items[i], tensor, at);
  else if (ph_py_float (py, &number))
    ph_dtype_store (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), (*at)++, number);
}

/* @whole, @broken: the element types of numbers without and with a point, where @dtype is not given. */
static PhTensor *
literal (const PhPy *py, PhDType dtype, PhDType whole, PhDType broken)
{
  gint64 dims[PH_MAX_RANK];
  gboolean real = FALSE;
  guint rank = 0;
  gsize at = 0;
  PhTensor *tensor;

  if (py->kind == PH_PY_CONSTANT && (py->text[0] == 'T' || py->text[0] == 'F'))
    return ph_tensor_new_scalar (dtype != PH_UNDEFINED ? dtype : PH_BOOL, py->text[0] == 'T');
  for (const PhPy *first = py; first != NULL && is_list (first); first = first->n > 0 ? first->items[0] : NULL)
    {
      if (rank == PH_MAX_RANK)
        return NULL;
      dims[rank++] = first->n;
    }
  if (!is_regular (py, 0, rank, dims, &real))
    return NULL;
  if (dtype == PH_UNDEFINED)
    dtype = real ? broken : whole;
  if (ph_dtype_size (dtype) == 0 || (tensor = ph_tensor_new (dtype, rank, dims)) == NULL)
    return NULL;
  store (py, tensor, &at);
  return tensor;
}

/* Returns the element type of "float32" or np.float32; @fallback without one. PH_UNDEFINED: it is not known. */
static PhDType
word_of (const PhPy *py, PhDType fallback)
{
  g_autofree char *name = NULL;

  if (py == NULL)
    return fallback;
  name = py->kind == PH_PY_STRING ? g_strdup (py->text) : ph_py_dotted (py);
  if (name == NULL)
    return PH_UNDEFINED;
  return ph_tvm_dtype (strrchr (name, '.') != NULL ? strrchr (name, '.') + 1 : name);
}

/* Fills an array of the shape that @py says. */
static PhTensor *
filled (const PhPy *py, PhDType dtype, double number)
{
  gint64 dims[PH_MAX_RANK], count = 1;
  guint rank = 1;
  PhTensor *tensor;

  if (py == NULL)
    return NULL;
  if (is_list (py))
    rank = py->n;
  if (rank > PH_MAX_RANK)
    return NULL;
  for (guint i = 0; i < rank; i++)
    {
      const PhPy *size = is_list (py) ? py->items[i] : py;

      if (size == NULL || !ph_py_int (size, &dims[i]) || dims[i] < 0 || dims[i] > MAX_ELEMENTS
          || (count *= dims[i]) > MAX_ELEMENTS)
        return NULL;
    }
  if (ph_dtype_size (dtype) == 0 || (tensor = ph_tensor_new (dtype, rank, dims)) == NULL)
    return NULL;
  for (gint64 i = 0; i < count; i++)
    ph_dtype_store (dtype, ph_tensor_writable (tensor), (gsize) i, number);
  return tensor;
}

/* np.zeros, np.ones, np.full and np.array, within tvm.runtime.tensor (...) or tvm.nd.array (...). */
static PhTensor *
array (const PhPy *py)
{
  g_autofree char *name = py->kind == PH_PY_CALL ? ph_py_dotted (py->items[0]) : NULL;
  const PhPy *first = name != NULL ? ph_py_argument (py, 0, "shape") : NULL;
  double number;

  if (first == NULL && name != NULL)
    first = ph_py_argument (py, 0, "object");
  if (first == NULL)
    return NULL;
  if (g_str_equal (name, "tvm.runtime.tensor") || g_str_equal (name, "tvm.nd.array")
      || g_str_equal (name, "tvm.runtime.ndarray.array"))
    return array (first);
  if (g_str_equal (name, "np.zeros") || g_str_equal (name, "np.ones"))
    return filled (first, word_of (ph_py_argument (py, 1, "dtype"), PH_DOUBLE), name[3] == 'o');
  if (g_str_equal (name, "np.full") && ph_py_argument (py, 1, "fill_value") != NULL
      && ph_py_float (ph_py_argument (py, 1, "fill_value"), &number))
    return filled (
        first,
        word_of (ph_py_argument (py, 2, "dtype"), ph_py_argument (py, 1, "fill_value")->kind == PH_PY_INT ? PH_INT64 : PH_DOUBLE),
        number);
  if (g_str_equal (name, "np.array"))
    {
      const PhPy *word = ph_py_argument (py, 1, "dtype");
      const PhDType dtype = word_of (word, PH_UNDEFINED);

      return word == NULL || dtype != PH_UNDEFINED ? literal (first, dtype, PH_INT64, PH_DOUBLE) : NULL;
    }
  return NULL;
}

PhTensor *
ph_tvm_constant (const PhPy *py)
{
  const PhPy *value = ph_py_argument (py, 0, "value"), *word = ph_py_argument (py, 1, "dtype");
  const PhDType dtype = word != NULL && word->kind == PH_PY_STRING ? ph_tvm_dtype (word->text) : PH_UNDEFINED;

  if (value == NULL || (word != NULL && dtype == PH_UNDEFINED))
    return NULL;
  return value->kind == PH_PY_CALL && word == NULL ? array (value) : literal (value, dtype, PH_INT32, PH_FLOAT);
}
