/* bytecode-sdy.c: attributes of Shardy, which say how tensors are spread over devices, in MLIR's binary form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/bytecode-text.h"

enum
{
  ATTR_MANUAL_AXES,
  ATTR_MESH_AXIS,
  ATTR_MESH,
  ATTR_SUB_AXIS,
  ATTR_AXIS,
  ATTR_DIMENSION,
  ATTR_SHARDING,
  ATTR_SHARDINGS,
  ATTR_DIM_MAPPING,
  ATTR_TENSOR_MAPPING,
  ATTR_RULE,
  ATTR_AXES,
  ATTR_LISTS_OF_AXES,
  ATTR_ALL_TO_ALL,
  ATTR_ALL_TO_ALLS,
  ATTR_UNREDUCED_SHARDING,
  ATTR_UNREDUCED_SHARDINGS,
  ATTR_REDUCED_SHARDING
};

static const char *
take_bare_sharding (PhMlirBytes *bytes)
{
  const char *text = ph_mlir_take_attr (bytes);

  return g_str_has_prefix (text, "#sdy.sharding<") ? text + strlen ("#sdy.sharding") : text;
}

static void
write_between (PhMlirBytes *bytes, GString *out, const char *open, const char *close)
{
  g_string_append (out, open);
  ph_mlir_write_list (bytes, out, ph_mlir_take_attr);
  g_string_append (out, close);
}

/* The same, of which nothing is written where the list is empty. */
static void
write_unless_empty (PhMlirBytes *bytes, GString *out, const char *open)
{
  const gsize before = out->len;

  write_between (bytes, out, open, "}");
  if (out->len == before + strlen (open) + 1)
    g_string_truncate (out, before);
}

/* Factors are called i, j, ..., z, z_1, ... */
static void
write_factor (GString *out, gint64 factor)
{
  if (factor >= 0 && factor <= 'z' - 'i')
    g_string_append_c (out, (char) ('i' + factor));
  else
    g_string_append_printf (out, "z_%" G_GINT64_FORMAT, factor - ('z' - 'i'));
}

static guint
write_factors (PhMlirBytes *bytes, GString *out, const char *between)
{
  const guint n = ph_mlir_take_count (bytes);

  for (guint i = 0; i < n; i++)
    {
      g_string_append (out, i > 0 ? between : "");
      write_factor (out, ph_mlir_take_signed (bytes));
    }
  return n;
}

/* "([i, j])->([k, l]) {i=4, j=4} reduction={j}, custom" */
static void
write_rule (PhMlirBytes *bytes, GString *out)
{
  static const char *const kinds[] = { " reduction={", " need_replication={", " permutation={", " blocked_propagation={" };
  const guint n = ph_mlir_take_count (bytes);
  g_autofree gint64 *sizes = g_new0 (gint64, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    sizes[i] = ph_mlir_take_signed (bytes);
  write_between (bytes, out, "#sdy.op_sharding_rule<(", ")->(");
  write_between (bytes, out, "", ") {");
  for (guint i = 0; i < n; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      write_factor (out, i);
      g_string_append_printf (out, "=%" G_GINT64_FORMAT, sizes[i]);
    }
  g_string_append_c (out, '}');
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const gsize before = out->len;

      g_string_append (out, kinds[i]);
      if (write_factors (bytes, out, ", ") == 0)
        g_string_truncate (out, before);
      else
        g_string_append_c (out, '}');
    }
  g_string_append (out, ph_mlir_take_byte (bytes) != 0 ? ", custom>" : ">");
}

static void
write_mesh (PhMlirBytes *bytes, GString *out)
{
  guint n;

  write_between (bytes, out, "#sdy.mesh<[", "]");
  n = ph_mlir_take_count (bytes);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : ", device_ids=[", ph_mlir_take_signed (bytes));
  g_string_append (out, n > 0 ? "]>" : ">");
}

static void
write_sharding (PhMlirBytes *bytes, guint64 kind, GString *out)
{
  g_string_append_printf (out, "#sdy.sharding<%s", ph_mlir_take_attr (bytes));
  write_between (bytes, out, ", [", "]");
  write_unless_empty (bytes, out, ", replicated={");
  if (kind != ATTR_SHARDING)
    write_unless_empty (bytes, out, ", unreduced={");
  if (kind == ATTR_REDUCED_SHARDING)
    ph_mlir_take_signed (bytes); /* how they are reduced */
  g_string_append_c (out, '>');
}

/* "{"x", "y", ?}p1": axes along which a dimension is spread; "?": and perhaps others. */
static void
write_dimension (PhMlirBytes *bytes, GString *out)
{
  const gsize before = out->len;
  gboolean closed;
  guint64 priority;

  write_between (bytes, out, "{", "");
  closed = ph_mlir_take_byte (bytes) != 0;
  priority = ph_mlir_take_number (bytes);
  g_string_append (out, closed ? "}" : out->len > before + 1 ? ", ?}" : "?}");
  if (priority & 1)
    g_string_append_printf (out, "p%" G_GUINT64_FORMAT, priority >> 1);
}

gboolean
ph_mlir_sdy_attr (PhMlirBytes *bytes, GString *out)
{
  const guint64 kind = ph_mlir_take_number (bytes);
  gint64 number;
  guint64 index;

  switch (kind)
    {
    case ATTR_MANUAL_AXES: write_between (bytes, out, "#sdy<manual_axes{", "}>"); return TRUE;
    case ATTR_MESH_AXIS:
      ph_mlir_write_quoted (out, ph_mlir_take_string (bytes));
      g_string_append_printf (out, "=%" G_GINT64_FORMAT, ph_mlir_take_signed (bytes));
      return TRUE;
    case ATTR_MESH: write_mesh (bytes, out); return TRUE;
    case ATTR_SUB_AXIS:
      number = ph_mlir_take_signed (bytes);
      g_string_append_printf (out, "(%" G_GINT64_FORMAT ")%" G_GINT64_FORMAT, number, ph_mlir_take_signed (bytes));
      return TRUE;
    case ATTR_AXIS:
      ph_mlir_write_quoted (out, ph_mlir_take_string (bytes));
      index = ph_mlir_take_number (bytes);
      if (index & 1)
        g_string_append_printf (out, ":%s", ph_mlir_attr_text (bytes->code, index >> 1));
      return TRUE;
    case ATTR_DIMENSION: write_dimension (bytes, out); return TRUE;
    case ATTR_SHARDING:
    case ATTR_UNREDUCED_SHARDING:
    case ATTR_REDUCED_SHARDING: write_sharding (bytes, kind, out); return TRUE;
    case ATTR_SHARDINGS:
    case ATTR_UNREDUCED_SHARDINGS:
      g_string_append (out, "#sdy.sharding_per_value<[");
      ph_mlir_write_list (bytes, out, take_bare_sharding);
      g_string_append (out, "]>");
      return TRUE;
    case ATTR_DIM_MAPPING: write_factors (bytes, out, ""); return TRUE;
    case ATTR_TENSOR_MAPPING: write_between (bytes, out, "[", "]"); return TRUE;
    case ATTR_RULE: write_rule (bytes, out); return TRUE;
    case ATTR_AXES: write_between (bytes, out, "{", "}"); return TRUE;
    case ATTR_LISTS_OF_AXES: write_between (bytes, out, "#sdy<list_of_axis_ref_lists[", "]>"); return TRUE;
    case ATTR_ALL_TO_ALL:
      write_between (bytes, out, "{", "}: ");
      number = ph_mlir_take_signed (bytes);
      g_string_append_printf (out, "%" G_GINT64_FORMAT "->%" G_GINT64_FORMAT, number, ph_mlir_take_signed (bytes));
      return TRUE;
    case ATTR_ALL_TO_ALLS: write_between (bytes, out, "#sdy<all_to_all_param_list[", "]>"); return TRUE;
    default: return FALSE;
    }
}
