/* merge-casts.c: merges two Casts if the first is exact.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* Returns the bits of an integer that the element type holds exactly, without the sign. 0: not a number. */
static guint
exact_bits (PhDType dtype)
{
  switch (dtype)
    {
    case PH_BOOL: return 1;
    case PH_INT8: return 7;
    case PH_UINT8: return 8;
    case PH_INT16: return 15;
    case PH_UINT16: return 16;
    case PH_INT32: return 31;
    case PH_UINT32: return 32;
    case PH_INT64: return 63;
    case PH_UINT64: return 64;
    case PH_FLOAT16: return 11;
    case PH_BFLOAT16: return 8;
    case PH_FLOAT: return 24;
    case PH_DOUBLE: return 53;
    default: return 0;
    }
}

/* Returns TRUE if @to can represent every value of @from. */
static gboolean
loses_nothing (PhDType from, PhDType to)
{
  gboolean from_float = ph_dtype_is_float (from), to_float = ph_dtype_is_float (to);

  if (exact_bits (from) == 0 || exact_bits (to) == 0 || to == PH_BOOL)
    return from == to;
  if (from_float && !to_float)
    return FALSE;
  if (from_float)
    return from == to || to == PH_DOUBLE || (to == PH_FLOAT && (from == PH_FLOAT16 || from == PH_BFLOAT16));
  if (!to_float && from != PH_BOOL && ph_dtype_is_signed (from) && !ph_dtype_is_signed (to))
    return FALSE;
  return exact_bits (from) <= exact_bits (to);
}

static gboolean
is_whole (PhDType dtype)
{
  return ph_dtype_is_integer (dtype) || dtype == PH_BOOL;
}

static gboolean
first_is_lossless (PhMatch *match)
{
  PhDType from = ph_value_dtype (match->slot[0]), middle = ph_value_dtype (ph_node_output (match->node[1], 0));
  PhDType to = (PhDType) ph_node_attr_int (match->root, "to", 0);

  if (from == PH_UNDEFINED || middle == PH_UNDEFINED || !loses_nothing (from, middle))
    return FALSE;
  /* The text of a number depends on its element type: 0.1 in float16 is 0.099975586 in float. */
  if (to == PH_STRING && from != middle)
    return FALSE;
  /* An out-of-range integer wraps; an out-of-range float is converted differently. */
  return !is_whole (from) || is_whole (middle) || !is_whole (to) || to == PH_BOOL || loses_nothing (from, to);
}

static PhValue *
build_direct (PhMatch *match, PhBuilder *b)
{
  gint64 to = ph_node_attr_int (match->root, "to", 0);

  if (ph_value_dtype (match->slot[0]) == (PhDType) to)
    return match->slot[0];
  return ph_build_like (b, match->root, match->slot, 1);
}

static const PhRule rules[] = {
  { "cast-cast", P (Cast, P_SHARED (Cast, X)), .when = first_is_lossless, .build = build_direct, .becomes = "Cast(x)",
    .why = "The first cast keeps every value of x exactly, so only the second one matters." },
};

/* clang-format off */
const PhPass ph_pass_merge_casts = {
  .name = "merge-casts", .group = "simplify", .summary = "Merges two casts where the first one is lossless",
  .elsewhere = "ONNX Runtime CastChainElimination; XLA simplify-fp-conversions; TVM CanonicalizeCast",
  .trap = "0.5 as an integer is 0 and false; as a bool at once it is true: only a cast that loses nothing may be "
          "left out. Text of numbers differs by element type.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
