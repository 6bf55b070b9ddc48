/* expression-op.c: what a name in an expression stands for, and a literal as an attribute of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/trace.h"
#include "core/ops/op-list.h"

static gboolean
same_name (const char *typed, const char *name)
{
  for (; *typed != '\0' || *name != '\0'; typed++, name++)
    {
      while (*typed == '_')
        typed++;
      if (g_ascii_tolower (*typed) != g_ascii_tolower (*name))
        return FALSE;
      if (*typed == '\0')
        return TRUE;
    }
  return TRUE;
}

/* "log", "Log", "reduce_sum", "ReduceSum", and what mathematicians write. */
const PhOp *
ph_expression_op (const char *typed, guint n_arguments, GError **error)
{
  static const struct { const char *typed, *name; } aliases[] = {
    { "ln", "Log" }, { "power", "Pow" }, { "arcsin", "Asin" }, { "arccos", "Acos" }, { "arctan", "Atan" }, { "prod", "ReduceProd" },
  };
  static const struct { const char *typed, *name; } reductions[] = {
    { "sum", "ReduceSum" }, { "mean", "ReduceMean" }, { "max", "ReduceMax" }, { "min", "ReduceMin" },
  };
  guint                   n;
  const PhOp *const      *list = ph_op_list (&n);
  g_autofree const char **names = g_new (const char *, n + 1);
  const char             *nearest;

  for (guint i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (g_str_equal (typed, aliases[i].typed))
      return ph_op_find ("", aliases[i].name);
  for (guint i = 0; i < G_N_ELEMENTS (reductions) && n_arguments == 1; i++)
    if (g_str_equal (typed, reductions[i].typed))
      return ph_op_find ("", reductions[i].name);
  for (guint i = 0; i < n; i++)
    if (same_name (typed, list[i]->name))
      return list[i];
  for (guint i = 0; i < n; i++)
    names[i] = list[i]->name;
  nearest = ph_nearest (typed, names, n);
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no operator '%s'%s%s%s", typed,
               nearest != NULL ? "; did you mean '" : ": `select name from ops` lists them", nearest != NULL ? nearest : "",
               nearest != NULL ? "'?" : "");
  return NULL;
}

PhAttr *
ph_expression_attr (const PhOp *op, const char *name, PhTensor *tensor, GError **error)
{
  const PhOpAttr          *attr = ph_op_attr (op, name);
  gsize                    n = ph_tensor_count (tensor);
  g_autofree gint64       *ints = g_new (gint64, n + 1);
  g_autofree float        *floats = g_new (float, n + 1);
  g_autofree const char  **names = NULL;

  if (attr == NULL)
    {
      const char *known[G_N_ELEMENTS (op->attrs)];
      guint       n_known = 0;
      const char *nearest;

      while (n_known < G_N_ELEMENTS (op->attrs) && op->attrs[n_known].name != NULL)
        {
          known[n_known] = op->attrs[n_known].name;
          n_known++;
        }
      nearest = ph_nearest (name, known, n_known);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s has no attribute '%s'%s%s%s", op->name, name,
                   nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
      return NULL;
    }
  if ((attr->kind == PH_ATTR_STRING) != (ph_tensor_dtype (tensor) == PH_STRING) || (n == 0 && attr->kind < PH_ATTR_FLOATS))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "%s: attribute %s cannot be this", op->name, name);
      return NULL;
    }
  if (attr->kind == PH_ATTR_STRING)
    return ph_attr_new_string (name, ph_tensor_get_string (tensor, 0));
  for (gsize i = 0; i < n; i++)
    {
      ints[i] = ph_tensor_dtype (tensor) == PH_INT64 ? ph_tensor_get_int (tensor, i) : (gint64) ph_tensor_get (tensor, i);
      floats[i] = (float) ph_tensor_get (tensor, i);
    }
  switch (attr->kind)
    {
    case PH_ATTR_INT:
      return ph_attr_new_int (name, ints[0]);
    case PH_ATTR_FLOAT:
      return ph_attr_new_float (name, floats[0]);
    case PH_ATTR_INTS:
      return ph_attr_new_ints (name, ints, n);
    case PH_ATTR_FLOATS:
      return ph_attr_new_floats (name, floats, n);
    case PH_ATTR_TENSOR:
      return ph_attr_new_tensor (name, tensor);
    default:
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "%s: attribute %s cannot be written here", op->name, name);
      return NULL;
    }
}
