/* convert-aten-types.c: element types by PyTorch's rules: how operands of several are promoted.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-aten.h"

#include <string.h>

PhDType
ph_aten_dtype (PhConvert *l, const char *name)
{
  /* clang-format off */
  static const struct { gint64 code; const char *name; PhDType dtype; } types[] = {
    { 0, "uint8", PH_UINT8 }, { 1, "int8", PH_INT8 }, { 2, "int16", PH_INT16 }, { 3, "int32", PH_INT32 }, { 4, "int64", PH_INT64 }, { 5, "float16", PH_FLOAT16 },
    { 6, "float32", PH_FLOAT }, { 7, "float64", PH_DOUBLE }, { 11, "bool", PH_BOOL }, { 15, "bfloat16", PH_BFLOAT16 }, { -1, "float", PH_FLOAT }, { -1, "double", PH_DOUBLE },
    { -1, "half", PH_FLOAT16 }, { -1, "long", PH_INT64 }, { -1, "int", PH_INT32 }, { -1, "short", PH_INT16 },
  };
  /* clang-format on */
  const PhAttr *attr = ph_node_attr (l->node, name);
  const PhValue *value = ph_aten_computed (l, name);

  if (value != NULL && value->producer != NULL && strcmp (value->producer->domain, "prim") == 0
      && strcmp (value->producer->op_type, "dtype") == 0 && ph_value_dtype (ph_node_input (value->producer, 0)) != PH_UNDEFINED)
    return ph_value_dtype (ph_node_input (value->producer, 0));
  for (guint i = 0; attr != NULL && i < G_N_ELEMENTS (types); i++)
    {
      const char *text = ph_node_attr_string (l->node, name, "");

      if (attr->kind == PH_ATTR_INT
              ? attr->i == types[i].code
              : strcmp (g_str_has_prefix (text, "torch.") ? text + strlen ("torch.") : text, types[i].name) == 0)
        return types[i].dtype;
    }
  if (strcmp (name, "dtype") == 0 && (attr != NULL || (value != NULL && ph_value_dtype (value) == PH_UNDEFINED)))
    ph_convert_stay (l, "its dtype is not known");
  return PH_UNDEFINED;
}

/* ── element types ── */

static guint
category (PhDType dtype)
{
  return dtype == PH_UNDEFINED ? 0 : dtype == PH_BOOL ? 1 : ph_dtype_is_integer (dtype) ? 2 : 3;
}

static PhDType
wider (PhDType a, PhDType b)
{
  if (a == b || category (b) < category (a))
    return a;
  if (category (a) < category (b))
    return b;
  if (category (a) == 3 && ph_dtype_size (a) == ph_dtype_size (b))
    return PH_FLOAT; /* half and bfloat16 */
  if (category (a) == 2 && ph_dtype_size (a) == ph_dtype_size (b))
    return ph_dtype_size (a) == 1 ? PH_INT16 : PH_INT64; /* with a sign and without */
  return ph_dtype_size (a) > ph_dtype_size (b) ? a : b;
}

PhDType
ph_aten_promote (const PhAtenArg *args, guint n)
{
  PhDType of[3] = { PH_UNDEFINED, PH_UNDEFINED, PH_UNDEFINED }, result;

  for (guint i = 0; i < n; i++)
    of[args[i].level] = wider (of[args[i].level], args[i].dtype);
  for (guint i = 0; i < n; i++)
    if (args[i].level == 2 && args[i].dtype == PH_UNDEFINED && of[2] == PH_UNDEFINED)
      return PH_UNDEFINED;
  result = of[2];
  if (category (of[1]) > category (result))
    result = of[1];
  if (category (of[0]) > category (result))
    result = of[0] == PH_DOUBLE && result != PH_UNDEFINED ? PH_FLOAT : of[0];
  return result;
}

PhValue *
ph_aten_as (PhConvert *l, const PhAtenArg *arg, PhDType dtype, PhValue *like)
{
  if (arg->value != NULL)
    return dtype != PH_UNDEFINED && arg->dtype != PH_UNDEFINED ? ph_convert_cast (l, arg->value, dtype) : arg->value;
  if (dtype != PH_UNDEFINED)
    return ph_convert_number (l, dtype, arg->number);
  if (like == NULL)
    return NULL;
  return PH_BUILD (l->b, CastLike, ph_convert_number (l, PH_FLOAT, arg->number), like);
}

PhValue *
ph_aten_float (PhConvert *l)
{
  PhValue *value = ph_aten_tensor (l, 0);
  PhAtenArg arg;

  if (value == NULL && ph_aten_arg (l, 0, "self", &arg))
    return ph_aten_as (l, &arg, PH_DOUBLE, NULL);
  if (value == NULL)
    {
      ph_convert_stay (l, "it has no operand");
      return NULL;
    }
  return ph_convert_dtype (value) == PH_UNDEFINED || ph_dtype_is_float (ph_convert_dtype (value))
             ? value
             : ph_convert_cast (l, value, PH_FLOAT);
}
