/* face-text.c: brief texts of attributes and constants for boxes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/face-text.h"

#include <string.h>

#include "core/graph/made-from.h"
#include "core/number.h"
#include "core/ops/dialect.h"

static gboolean
all_equal (const gint64 *values, gsize n, gint64 to)
{
  for (gsize i = 0; i < n; i++)
    if (values[i] != to)
      return FALSE;
  return TRUE;
}

static void
append_ints (GString *text, const char *before, const gint64 *values, gsize n, const char *between)
{
  if (text->len > 0)
    g_string_append (text, ", ");
  g_string_append (text, before);
  if (n > 1 && all_equal (values, n, values[0]) && *between == ' ')
    n = 1;
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? between : "", values[i]);
}

void
ph_face_window (GString *text, PhNode *node)
{
  gsize n;
  const gint64 *values;
  const gint64 groups = ph_node_attr_int (node, "group", 1);
  const char *pad = ph_node_attr_string (node, "auto_pad", "NOTSET");

  if ((values = ph_node_attr_ints (node, "kernel_shape", &n)) != NULL && n > 0)
    append_ints (text, "", values, n, "×");
  if ((values = ph_node_attr_ints (node, "strides", &n)) != NULL && !all_equal (values, n, 1))
    append_ints (text, "stride ", values, n, " ");
  if ((values = ph_node_attr_ints (node, "dilations", &n)) != NULL && !all_equal (values, n, 1))
    append_ints (text, "dilation ", values, n, " ");
  if ((values = ph_node_attr_ints (node, "pads", &n)) != NULL && !all_equal (values, n, 0))
    append_ints (text, "pad ", values, n, " ");
  else if (g_str_has_prefix (pad, "SAME"))
    g_string_append_printf (text, "%spad same", text->len > 0 ? ", " : "");
  if (groups != 1)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " groups", text->len > 0 ? ", " : "", groups);
}

static gboolean
is_default (PhNode *node, const PhAttr *attr, const char *value)
{
  const PhOpAttr *declared = node->op != NULL ? ph_op_attr (node->op, attr->name) : NULL;

  return declared != NULL && declared->fallback != NULL && strcmp (declared->fallback, value) == 0;
}

/* Appends an attribute, unless it has its default value or is long. */
static void
describe_attribute (GString *text, PhNode *node, const PhAttr *attr)
{
  const gsize before = text->len;

  if (text->len > 0)
    g_string_append (text, ", ");
  if (strcmp (attr->name, "to") == 0 && attr->kind == PH_ATTR_INT && attr->i > 0 && attr->i < PH_N_DTYPES)
    g_string_append_printf (text, "to %s", ph_dtype_name (attr->i));
  else if (attr->kind == PH_ATTR_FLOAT)
    {
      g_string_append_printf (text, "%s ", attr->name);
      ph_number_append (text, "%.4g", (double) attr->f);
    }
  else if (attr->kind == PH_ATTR_INTS)
    {
      g_string_append (text, attr->name);
      for (gsize k = 0; k < attr->n && k < 6; k++)
        g_string_append_printf (text, " %" G_GINT64_FORMAT, attr->ints[k]);
    }
  else if (node->op == NULL && (attr->kind == PH_ATTR_STRING || attr->kind == PH_ATTR_STRINGS)
           && ph_dialect_find_foreign (node->domain, node->op_type) != NULL)
    {
      if (strcmp (attr->name, "text") != 0)
        g_string_append_printf (text, "%s ", attr->name);
      for (gsize k = 0; k < (attr->kind == PH_ATTR_STRING ? 1 : attr->n); k++)
        {
          GBytes *bytes = attr->kind == PH_ATTR_STRING ? attr->s : attr->strings[k];
          gsize size;
          const char *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
          g_autofree char *value = data != NULL ? g_utf8_make_valid (data, (gssize) size) : g_strdup ("");

          g_string_append_printf (text, "%s%s", k > 0 ? ", " : "", value);
        }
    }
  else
    {
      g_autofree char *value = ph_attr_value_to_string (attr);

      if (attr->kind == PH_ATTR_OPAQUE || is_default (node, attr, value) || strlen (value) > 24)
        g_string_truncate (text, before);
      else
        g_string_append_printf (text, "%s %s", attr->name, value);
    }
}

void
ph_face_attributes (GString *text, PhNode *node)
{
  const PhForeignOp *foreign = node->op == NULL ? ph_dialect_find_foreign (node->domain, node->op_type) : NULL;
  const char *const *main_attrs = node->op != NULL ? node->op->main_attrs : foreign != NULL ? foreign->main_attrs : NULL;
  const guint n_main = node->op != NULL  ? G_N_ELEMENTS (node->op->main_attrs)
                       : foreign != NULL ? G_N_ELEMENTS (foreign->main_attrs)
                                         : 0;

  for (guint i = 0; i < n_main && main_attrs[i] != NULL; i++)
    {
      const PhAttr *attr = ph_node_attr (node, main_attrs[i]);

      if (attr != NULL)
        describe_attribute (text, node, attr);
    }
  if (n_main > 0 && foreign != NULL && main_attrs[0] != NULL)
    return;
  for (guint i = 0; i < node->attrs->len && text->len < 40; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      /* None says what the node computes: its origin, the rest of its operator's name, and the block, whose frame is around it. */
      gboolean said = strcmp (attr->name, PH_ATTR_FROM) == 0 || strcmp (attr->name, "overload") == 0
                      || (strcmp (attr->name, PH_BLOCK_ATTR) == 0 && ph_dialect_has_blocks (node));

      for (guint k = 0; k < n_main && main_attrs[k] != NULL; k++)
        said = said || strcmp (main_attrs[k], attr->name) == 0;
      if (!said)
        describe_attribute (text, node, attr);
    }
}

char *
ph_face_tensor (PhFaces *faces, PhTensor *tensor)
{
  const gsize count = ph_tensor_count (tensor);
  const PhDType dtype = ph_tensor_dtype (tensor);
  GString *text;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || count > 4 || count == 0 || dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128)
    {
      const PhType *type = ph_type_of_tensor (tensor);

      return ph_face_shape (faces, type);
    }
  text = g_string_new (ph_tensor_rank (tensor) > 0 ? "[" : "");
  for (gsize i = 0; i < count; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      if (dtype == PH_STRING)
        g_string_append_printf (text, "\"%s\"", ph_tensor_get_string (tensor, i));
      else if (dtype == PH_BOOL)
        g_string_append (text, ph_tensor_get_int (tensor, i) != 0 ? "true" : "false");
      else if (ph_dtype_is_integer (dtype))
        {
          const gint64 value = ph_tensor_get_int (tensor, i);

          if (value == G_MAXINT64)
            g_string_append (text, "max");
          else
            g_string_append_printf (text, "%" G_GINT64_FORMAT, value);
        }
      else
        ph_number_append (text, "%.4g", ph_tensor_get (tensor, i));
    }
  if (ph_tensor_rank (tensor) > 0)
    g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
