/* microsoft-gather.c: GatherBlockQuantized, the embedding of a language model whose table is quantised.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/microsoft/microsoft.h"

#include "core/ops/support.h"

/* Numbers of 4 bits, two in each byte of the last axis, the lower half first, as one byte each. @n: how many there are on that axis; -1:
 * twice as many as bytes. */
static PhValue *
unpacked (PhBuilder *b, PhValue *bytes, guint rank, gint64 n)
{
  const gint64 behind = rank, last = rank - 1, zero = 0;
  gint64 dims[PH_MAX_RANK];
  PhValue *halves[2], *both;

  halves[0] = PH_BUILD (b, BitwiseAnd, bytes, ph_build_scalar (b, PH_UINT8, 15));
  halves[1] = PH_BUILD_WITH (b, BitShift, PH_ATTRS (ph_attr_new_string ("direction", "RIGHT")), bytes,
                             ph_build_scalar (b, PH_UINT8, 4));
  for (guint i = 0; i < 2; i++)
    halves[i] = PH_BUILD (b, Unsqueeze, halves[i], ph_build_ints (b, &behind, 1));
  both = ph_build_node (b, &ph_op_Concat, halves, 2, PH_ATTRS (ph_attr_new_int ("axis", behind)), 1);
  for (guint i = 0; i < rank; i++)
    dims[i] = i + 1 < rank ? 0 : -1;
  both = ph_ms_reshape (b, both, dims, rank);
  return n >= 0 ? PH_BUILD (b, Slice, both, ph_build_ints (b, &zero, 1), ph_build_ints (b, &n, 1), ph_build_ints (b, &last, 1))
                : both;
}

/* The zero point of each block where none is given: the middle of what bytes can hold, and else 0. (nullable: 0) */
static PhValue *
middle (PhExpand *x, gint64 bits)
{
  const PhType *type = ph_expand_in (x, 2)->type;
  const guint8 number = (guint8) (1 << (bits - 1));
  gint64 dims[PH_MAX_RANK];

  if (ph_expand_dtype (x, 0) != PH_UINT8)
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_build_tensor (x->b, ph_tensor_new_splat (PH_UINT8, type->rank, dims, &number));
}

static gboolean
expand_gather_block_quantized (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const gint64 bits = ph_node_attr_int (x->node, "bits", 4), block = ph_node_attr_int (x->node, "block_size", 128);
  const int rank = ph_expand_rank (x, 0), n_indices = ph_expand_rank (x, 1);
  const gboolean packed = ph_expand_dtype (x, 0) == PH_UINT8 && bits == 4;
  gint64 gather = ph_node_attr_int (x->node, "gather_axis", 0), axis = ph_node_attr_int (x->node, "quantize_axis", 1);
  PhValue *data = ph_expand_in (x, 0), *indices = ph_expand_in (x, 1), *scales = ph_expand_in (x, 2),
          *zeros = ph_expand_in (x, 3);

  if (rank < 1 || n_indices < 0 || scales->type == NULL || !ph_type_is_static (scales->type))
    return ph_expand_fail (x, error, "the ranks of its table and indices, or the shape of its scales, are not known");
  gather += gather < 0 ? rank : 0;
  axis += axis < 0 ? rank : 0;
  if ((bits != 4 && bits != 8) || block < 1 || gather < 0 || gather >= rank || axis < 0 || axis >= rank || axis == gather
      || (packed && gather == rank - 1))
    return ph_expand_fail (x, error, "its axes, bits or block_size do not fit its table");
  if (zeros == NULL)
    zeros = middle (x, bits);
  else if (packed)
    zeros = unpacked (b, zeros, (guint) rank, ph_expand_dim (x, 2, -1));
  data = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", gather)), data, indices);
  if (packed)
    data = unpacked (b, data, (guint) (rank - 1 + n_indices), -1);
  scales = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", gather)), scales, indices);
  if (zeros != NULL)
    zeros = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", gather)), zeros, indices);
  axis += axis > gather ? n_indices - 1 : 0;
  x->out[0] = PH_BUILD_WITH (
      b, DequantizeLinear, PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("block_size", block)), data, scales, zeros);
  return x->out[0] != NULL;
}

/* clang-format off */
const PhOp ph_op_MsGatherBlockQuantized = {
  PH_MS ("GatherBlockQuantized"), PH_SPELT_OUT (expand_gather_block_quantized),
  .family = PH_FAMILY_MOVEMENT, .main_attrs = { "bits", "block_size", "gather_axis", "quantize_axis" },
  .doc = "Slices of a table of numbers of 4 or 8 bits, which have a scale and a zero point for each block.",
  .inputs = { { "data", 'Q', PH_T (UINT8) | PH_T (INT4) | PH_T (UINT4) }, { "indices", 0, PH_INDICES }, { "scales", 'T', PH_FLOATS },
              { "zero_points", 'Q', PH_T (UINT8) | PH_T (INT4) | PH_T (UINT4), PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS } },
  .attrs = { { "bits", PH_ATTR_INT, "4" }, { "block_size", PH_ATTR_INT, "128" }, { "gather_axis", PH_ATTR_INT, "0" },
             { "quantize_axis", PH_ATTR_INT, "1" } },
};
/* clang-format on */
