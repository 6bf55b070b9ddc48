/* build-attrs.c: the attributes of an operation of MLIR as those of a node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/build.h"
#include "core/number.h"

static gboolean
all_of (const PhMlirAttr *attr, PhMlirAttrKind a, PhMlirAttrKind b)
{
  for (guint i = 0; i < attr->items->len; i++)
    if (((PhMlirAttr *) attr->items->pdata[i])->kind != a && ((PhMlirAttr *) attr->items->pdata[i])->kind != b)
      return FALSE;
  return TRUE;
}

static void
print_attr (const PhMlirAttr *attr, GString *out, guint depth)
{
  switch (attr->kind)
    {
    case PH_MLIR_INT: g_string_append_printf (out, "%" G_GINT64_FORMAT, attr->i); break;
    case PH_MLIR_FLOAT: ph_number_append (out, "%.9g", attr->f); break;
    case PH_MLIR_BOOL: g_string_append (out, attr->i ? "true" : "false"); break;
    case PH_MLIR_ARRAY:
    case PH_MLIR_DICT:
      g_string_append_c (out, attr->kind == PH_MLIR_ARRAY ? '[' : '{');
      for (guint i = 0; depth < 16 && i < attr->items->len; i++)
        {
          const PhMlirAttr *item = attr->items->pdata[i];

          g_string_append (out, i > 0 ? ", " : "");
          if (item->name != NULL && attr->kind == PH_MLIR_DICT)
            g_string_append_printf (out, "%s = ", item->name);
          print_attr (item, out, depth + 1);
        }
      g_string_append_c (out, attr->kind == PH_MLIR_ARRAY ? ']' : '}');
      break;
    case PH_MLIR_TENSOR: g_string_append_printf (out, "dense<...> : %s", attr->type.text); break;
    case PH_MLIR_STRING:
    case PH_MLIR_TEXT:
    default: g_string_append (out, attr->text != NULL ? attr->text : ""); break;
    }
}

static PhAttr *
text_attr (const char *name, const PhMlirAttr *attr)
{
  g_autoptr (GString) out = g_string_new (NULL);

  print_attr (attr, out, 0);
  return ph_attr_new_string (name, out->str);
}

static PhAttr *
ints_of_tensor (const char *name, PhTensor *tensor)
{
  const gsize n = ph_tensor_count (tensor);
  g_autofree gint64 *values = g_new0 (gint64, n + 1);

  for (gsize i = 0; i < n; i++)
    values[i] = ph_tensor_get_int (tensor, i);
  return ph_attr_new_ints (name, values, n);
}

/* @is_value: it is the content of a constant rather than a list of integers, which older files write in the same way. */
static PhAttr *
make_attr (const char *name, const PhMlirAttr *attr, gboolean is_value)
{
  switch (attr->kind)
    {
    case PH_MLIR_INT:
    case PH_MLIR_BOOL: return ph_attr_new_int (name, attr->i);
    case PH_MLIR_FLOAT: return ph_attr_new_float (name, (float) attr->f);
    case PH_MLIR_STRING:
    case PH_MLIR_TEXT: return ph_attr_new_string (name, attr->text != NULL ? attr->text : "");
    case PH_MLIR_TENSOR:
      if (attr->tensor == NULL)
        return ph_attr_new_string (name, "its values were left out of the file");
      if (!is_value && (ph_tensor_dtype (attr->tensor) == PH_INT64 || ph_tensor_dtype (attr->tensor) == PH_BOOL)
          && ph_tensor_count (attr->tensor) <= 4096)
        return ints_of_tensor (name, attr->tensor);
      return ph_attr_new_tensor (name, attr->tensor);
    case PH_MLIR_ARRAY:
      if (all_of (attr, PH_MLIR_INT, PH_MLIR_BOOL))
        {
          g_autofree gint64 *values = g_new0 (gint64, attr->items->len + 1);

          for (guint i = 0; i < attr->items->len; i++)
            values[i] = ((PhMlirAttr *) attr->items->pdata[i])->i;
          return ph_attr_new_ints (name, values, attr->items->len);
        }
      if (all_of (attr, PH_MLIR_FLOAT, PH_MLIR_INT))
        {
          g_autofree float *values = g_new0 (float, attr->items->len + 1);

          for (guint i = 0; i < attr->items->len; i++)
            values[i] = (float) ((PhMlirAttr *) attr->items->pdata[i])->f;
          return ph_attr_new_floats (name, values, attr->items->len);
        }
      if (all_of (attr, PH_MLIR_STRING, PH_MLIR_TEXT))
        {
          g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

          for (guint i = 0; i < attr->items->len; i++)
            {
              const char *text = ((PhMlirAttr *) attr->items->pdata[i])->text;

              g_ptr_array_add (strings, g_bytes_new (text, strlen (text)));
            }
          return ph_attr_new_strings (name, (GBytes *const *) strings->pdata, strings->len);
        }
      return text_attr (name, attr);
    case PH_MLIR_DICT:
    default: return text_attr (name, attr);
    }
}

/* Adds an attribute unless one with its name exists. */
static void
add_attr (GPtrArray *attrs, PhAttr *attr)
{
  for (guint i = 0; i < attrs->len; i++)
    if (((PhAttr *) attrs->pdata[i])->name == attr->name)
      {
        ph_attr_unref (attr);
        return;
      }
  g_ptr_array_add (attrs, attr);
}

/* Dimension numbers and windows are dictionaries, whose entries become attributes of the node. A nested list of pairs becomes one list. */
static void
add_flat (GPtrArray *attrs, const PhMlirOp *op, const PhMlirAttr *attr)
{
  /* clang-format off */
  static const struct { const char *printed, *name; } window[] = {
    { "stride", "window_strides" }, { "pad", "padding" }, { "lhs_dilate", "lhs_dilation" }, { "rhs_dilate", "rhs_dilation" },
    { "reverse", "window_reversal" },
  };
  /* clang-format on */
  const char *name = attr->name;

  if (attr->kind == PH_MLIR_DICT
      && (strstr (name, "dimension_numbers") != NULL || g_str_equal (name, "window") || strstr (name, "dims") != NULL))
    {
      for (guint i = 0; i < attr->items->len; i++)
        {
          PhMlirAttr item = *(PhMlirAttr *) attr->items->pdata[i];

          for (gsize k = 0; k < G_N_ELEMENTS (window) && g_str_equal (name, "window"); k++)
            if (g_str_equal (window[k].printed, item.name))
              item.name = window[k].name;
          add_flat (attrs, op, &item);
        }
      return;
    }
  if (attr->kind == PH_MLIR_ARRAY && attr->items->len > 0 && g_str_equal (name, "padding"))
    {
      g_autoptr (GArray) flat = g_array_new (FALSE, FALSE, sizeof (gint64));

      for (guint i = 0; i < attr->items->len; i++)
        {
          const PhMlirAttr *pair = attr->items->pdata[i];

          for (guint k = 0; pair->kind == PH_MLIR_ARRAY && k < pair->items->len; k++)
            g_array_append_val (flat, ((PhMlirAttr *) pair->items->pdata[k])->i);
        }
      if (flat->len > 0)
        {
          add_attr (attrs, ph_attr_new_ints (name, (gint64 *) (gpointer) flat->data, flat->len));
          return;
        }
    }
  add_attr (attrs, make_attr (name, attr, g_str_has_suffix (op->name, "constant") || g_str_has_prefix (op->name, "check.")));
}

/* A quantised tensor has the type of its stored elements: the full types are kept in the attribute "result_types". */
static void
add_result_types (GPtrArray *attrs, const PhMlirOp *op)
{
  gboolean opaque = FALSE;

  for (guint i = 0; i < op->result_types->len; i++)
    {
      const PhMlirType *type = &g_array_index (op->result_types, PhMlirType, i);

      opaque = opaque || (type->opaque && type->type != NULL && type->type->kind == PH_KIND_TENSOR);
    }
  if (!opaque || g_str_has_suffix (op->name, "func"))
    return;
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < op->result_types->len; i++)
    {
      const char *text = g_array_index (op->result_types, PhMlirType, i).text;

      g_ptr_array_add (strings, g_bytes_new (text, strlen (text)));
    }
  add_attr (attrs, ph_attr_new_strings ("result_types", (GBytes *const *) strings->pdata, strings->len));
}

GPtrArray *
ph_mlir_build_attrs (const PhMlirOp *op)
{
  GPtrArray *attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);

  for (guint i = 0; i < op->attrs->len; i++)
    add_flat (attrs, op, op->attrs->pdata[i]);
  if (op->symbol != NULL)
    add_attr (attrs, ph_attr_new_string (g_str_has_suffix (op->name, ".custom_call") ? "call_target_name"
                                         : g_str_equal (op->name, "func.call")       ? "callee"
                                                                                     : "symbol",
                                         op->symbol));
  if (op->successors->len > 0)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      for (guint i = 0; i < op->successors->len; i++)
        g_string_append_printf (text, "%s%s", i > 0 ? " " : "", (const char *) op->successors->pdata[i]);
      add_attr (attrs, ph_attr_new_string ("successors", text->str));
    }
  add_result_types (attrs, op);
  return attrs;
}

const char *
ph_mlir_region_name (const PhMlirOp *op, guint index)
{
  /* clang-format off */
  static const struct { const char *op, *names[2]; } known[] = {
    { "while", { "cond", "body" } }, { "if", { "true_branch", "false_branch" } }, { "reduce", { "reducer" } }, { "reduce_window", { "reducer" } },
    { "sort", { "comparator" } }, { "scatter", { "update_computation" } }, { "select_and_scatter", { "select", "scatter" } },
    { "map", { "computation" } }, { "all_reduce", { "computation" } }, { "reduce_scatter", { "computation" } },
  };
  /* clang-format on */
  const char *dot = strchr (op->name, '.');
  g_autofree char *other = NULL;

  for (gsize i = 0; dot != NULL && i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].op, dot + 1) && index < 2 && known[i].names[index] != NULL)
      return known[i].names[index];
  if (op->regions->len == 1)
    return "region";
  other = g_strdup_printf ("%s_%u", dot != NULL && g_str_equal (dot, ".case") ? "branch" : "region", index);
  return ph_intern (other);
}
