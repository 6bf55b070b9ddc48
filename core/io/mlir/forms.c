/* forms.c: the custom forms of StableHLO and similar dialects.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/forms.h"

gboolean
ph_mlir_is_known (const char *name)
{
  static const char *const dialects[] = { "stablehlo.", "chlo.", "mhlo.", "check.", "func.call", "func.return" };

  if (g_str_has_suffix (name, ".while") || g_str_has_suffix (name, ".reduce"))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (dialects); i++)
    if (g_str_has_prefix (name, dialects[i]))
      return TRUE;
  return FALSE;
}

static void
append_value (GArray *values, const char *name, PhMlirType type)
{
  PhMlirValue value = { .name = ph_intern (name), .type = type };

  g_array_append_val (values, value);
}

void
ph_mlir_add_applied (PhMlirParser *parser, PhMlirOp *op, const char *name)
{
  PhMlirRegion *region = ph_mlir_new (parser, sizeof *region);
  PhMlirBlock *block = ph_mlir_new (parser, sizeof *block);
  PhMlirType none = { 0 };

  region->blocks = ph_mlir_ptr_array (parser);
  g_ptr_array_add (region->blocks, block);
  block->arguments = ph_mlir_array (parser, sizeof (PhMlirValue));
  block->ops = ph_mlir_ptr_array (parser);
  append_value (block->arguments, "lhs", none);
  append_value (block->arguments, "rhs", none);
  for (guint k = 0; k < 2; k++)
    {
      PhMlirOp *inner = ph_mlir_new (parser, sizeof *inner);

      inner->name = k == 0 ? ph_intern (name) : "stablehlo.return";
      inner->results = ph_mlir_array (parser, sizeof (PhMlirValue));
      inner->operands = ph_mlir_array (parser, sizeof (PhMlirValue));
      inner->result_types = ph_mlir_array (parser, sizeof (PhMlirType));
      inner->attrs = ph_mlir_ptr_array (parser);
      inner->regions = ph_mlir_ptr_array (parser);
      inner->successors = ph_mlir_ptr_array (parser);
      inner->line = op->line;
      inner->column = op->column;
      inner->known = TRUE;
      if (k == 0)
        {
          append_value (inner->operands, "lhs", none);
          append_value (inner->operands, "rhs", none);
          append_value (inner->results, "result", none);
        }
      else
        append_value (inner->operands, "result", none);
      g_ptr_array_add (block->ops, inner);
    }
  g_ptr_array_add (op->regions, region);
}

void
ph_mlir_add_word (PhMlirParser *parser, PhMlirOp *op, const char *word)
{
  static const char *const connectors[] = { "across",  "init",   "reducer", "cond",   "do",   "attributes",
                                            "private", "public", "nested",  "kernel", "to",   "step",
                                            "else",    "in",     "x",       "into",   "from", NULL };
  PhMlirAttr *attr;
  const char *name = "keyword";

  if (g_strv_contains (connectors, word))
    {
      if (!g_str_equal (word, "private") && !g_str_equal (word, "public"))
        return;
      name = "sym_visibility";
    }
  else if (g_str_has_suffix (op->name, ".compare"))
    name = ph_mlir_attr (op, "comparison_direction") == NULL ? "comparison_direction" : "compare_type";
  if (ph_mlir_attr (op, name) != NULL)
    return;
  attr = ph_mlir_new (parser, sizeof *attr);
  attr->kind = PH_MLIR_STRING;
  attr->text = word;
  attr->name = ph_intern (name);
  g_ptr_array_add (op->attrs, attr);
}

/* Renames attributes from their printed names to those of the specification and the generic form. */
static void
rename_attrs (PhMlirOp *op)
{
  /* clang-format off */
  static const struct { const char *op, *printed, *name; } names[] = {
    { "broadcast_in_dim", "dims", "broadcast_dimensions" }, { "dynamic_broadcast_in_dim", "dims", "broadcast_dimensions" },
    { "transpose", "dims", "permutation" }, { "reverse", "dims", "dimensions" }, { "iota", "dim", "iota_dimension" },
    { "dynamic_iota", "dim", "iota_dimension" }, { "concatenate", "dim", "dimension" }, { "get_dimension_size", "dim", "dimension" },
    { "set_dimension_size", "dim", "dimension" }, { "dynamic_slice", "sizes", "slice_sizes" }, { "broadcast", "sizes", "broadcast_sizes" },
    { "pad", "low", "edge_padding_low" }, { "pad", "high", "edge_padding_high" }, { "pad", "interior", "interior_padding" },
    { "dot_general", "lhs_batching_dims", "lhs_batching_dimensions" }, { "dot_general", "rhs_batching_dims", "rhs_batching_dimensions" },
    { "dot_general", "lhs_contracting_dims", "lhs_contracting_dimensions" }, { "dot_general", "rhs_contracting_dims", "rhs_contracting_dimensions" },
    { "dot_general", "precision", "precision_config" }, { "dot", "precision", "precision_config" },
    { "fft", "type", "fft_type" }, { "fft", "length", "fft_length" }, { "rng", "distribution", "rng_distribution" },
    { "rng_bit_generator", "algorithm", "rng_algorithm" },
  };
  /* clang-format on */
  const char *short_name = strchr (op->name, '.');

  for (gsize i = 0; short_name != NULL && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].op, short_name + 1))
      for (guint k = 0; k < op->attrs->len; k++)
        {
          PhMlirAttr *attr = op->attrs->pdata[k];

          if (g_str_equal (attr->name, names[i].printed))
            attr->name = ph_intern (names[i].name);
        }
}

/* "reducer(%a: t, %b: t) (%c: t, %d: t)" pairs left and right; the block has the left ones first. */
static void
order_reducer (PhMlirOp *op)
{
  GArray *arguments;
  g_autofree PhMlirValue *before = NULL;
  guint n;

  if (op->regions->len == 0)
    return;
  arguments = ((PhMlirBlock *) ((PhMlirRegion *) op->regions->pdata[0])->blocks->pdata[0])->arguments;
  n = arguments->len / 2;
  if (arguments->len < 4 || arguments->len % 2 != 0)
    return;
  before = g_memdup2 (arguments->data, arguments->len * sizeof (PhMlirValue));
  for (guint i = 0; i < n; i++)
    {
      g_array_index (arguments, PhMlirValue, i) = before[2 * i];
      g_array_index (arguments, PhMlirValue, n + i) = before[2 * i + 1];
    }
}

/* "reduce(%x init: %c), (%y init: %d)" alternates; the operation has the operands first. */
static void
order_operands (PhMlirOp *op)
{
  GArray *operands = op->operands;
  g_autofree PhMlirValue *before = NULL;
  const guint n = operands->len / 2;

  if (operands->len < 4 || operands->len % 2 != 0)
    return;
  before = g_memdup2 (operands->data, operands->len * sizeof (PhMlirValue));
  for (guint i = 0; i < n; i++)
    {
      g_array_index (operands, PhMlirValue, i) = before[2 * i];
      g_array_index (operands, PhMlirValue, n + i) = before[2 * i + 1];
    }
}

/* Sets the result types for "op %a, %b : type". */
static void
settle_types (PhMlirOp *op, GArray *types)
{
  PhMlirType type;

  if (types->len == 0)
    return;
  if (types->len >= op->results->len && op->results->len > 1)
    {
      for (guint i = 0; i < op->results->len; i++)
        g_array_append_val (op->result_types, g_array_index (types, PhMlirType, types->len - op->results->len + i));
      return;
    }
  type = g_array_index (types, PhMlirType, types->len - 1);
  if (op->results->len != 1)
    return;
  if (g_str_has_suffix (op->name, ".cmpi") || g_str_has_suffix (op->name, ".cmpf") || g_str_has_suffix (op->name, ".is_finite"))
    {
      if (type.type != NULL)
        type = (PhMlirType) { .type = ph_type_with_dtype (type.type, PH_BOOL), .text = type.text };
    }
  else if (g_str_has_suffix (op->name, ".load") || g_str_has_suffix (op->name, ".dim") || g_str_has_suffix (op->name, ".extract"))
    {
      if (type.type != NULL)
        type = (PhMlirType) { .type = ph_type_static (g_str_has_suffix (op->name, ".dim") ? PH_INT64 : type.type->dtype, 0, NULL),
                              .text = type.text };
    }
  g_array_append_val (op->result_types, type);
}

void
ph_mlir_settle (PhMlirOp *op, GArray *types, gboolean typed)
{
  const char *short_name = strchr (op->name, '.');

  if (!typed && !g_str_has_suffix (op->name, "func"))
    settle_types (op, types);
  rename_attrs (op);
  if (short_name == NULL)
    return;
  if (g_str_equal (short_name, ".reduce") && (g_str_has_prefix (op->name, "stablehlo") || g_str_has_prefix (op->name, "mhlo")))
    {
      order_operands (op);
      order_reducer (op);
    }
  if (g_str_equal (short_name, ".while"))
    for (guint r = 0; r < op->regions->len; r++)
      {
        GArray *arguments = ((PhMlirBlock *) ((PhMlirRegion *) op->regions->pdata[r])->blocks->pdata[0])->arguments;

        for (guint i = 0; i < arguments->len && i < types->len; i++)
          g_array_index (arguments, PhMlirValue, i).type = g_array_index (types, PhMlirType, i);
      }
}
