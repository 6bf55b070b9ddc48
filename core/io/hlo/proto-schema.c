/* proto-schema.c: the messages of HloProto. Field numbers are those of XLA's hlo.proto and xla_data.proto; only the fields that are read
 * have a row.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/hlo/proto-schema.h"

/* clang-format off */
static const PhTextMessage layout = { { { "minor_to_major", 1, PH_TEXT_INT } } };
static const PhTextMessage shape = { {
  { "element_type", 2, PH_TEXT_ENUM }, { "dimensions", 3, PH_TEXT_INT }, { "tuple_shapes", 4, PH_TEXT_MESSAGE, &shape },
  { "layout", 5, PH_TEXT_MESSAGE, &layout }, { "is_dynamic_dimension", 6, PH_TEXT_BOOL } } };
static const PhTextMessage literal = { {
  { "shape", 1, PH_TEXT_MESSAGE, &shape }, { "preds", 2, PH_TEXT_BOOL }, { "u8s", 3, PH_TEXT_STRING }, { "s32s", 4, PH_TEXT_INT },
  { "s64s", 5, PH_TEXT_INT }, { "u32s", 6, PH_TEXT_INT }, { "u64s", 7, PH_TEXT_INT }, { "f32s", 8, PH_TEXT_FLOAT },
  { "f64s", 9, PH_TEXT_DOUBLE }, { "tuple_literals", 10, PH_TEXT_MESSAGE, &literal }, { "f16s", 11, PH_TEXT_STRING },
  { "c64s", 12, PH_TEXT_FLOAT }, { "bf16s", 13, PH_TEXT_STRING }, { "s8s", 15, PH_TEXT_STRING }, { "u16s", 16, PH_TEXT_STRING },
  { "s16s", 17, PH_TEXT_STRING }, { "c128s", 18, PH_TEXT_DOUBLE } } };
static const PhTextMessage metadata = { {
  { "op_type", 1, PH_TEXT_STRING }, { "op_name", 2, PH_TEXT_STRING }, { "source_file", 3, PH_TEXT_STRING }, { "source_line", 4, PH_TEXT_INT } } };
static const PhTextMessage window_dimension = { {
  { "size", 1, PH_TEXT_INT }, { "stride", 2, PH_TEXT_INT }, { "padding_low", 3, PH_TEXT_INT }, { "padding_high", 4, PH_TEXT_INT },
  { "window_dilation", 5, PH_TEXT_INT }, { "base_dilation", 6, PH_TEXT_INT }, { "window_reversal", 7, PH_TEXT_BOOL } } };
static const PhTextMessage window = { { { "dimensions", 1, PH_TEXT_MESSAGE, &window_dimension } } };
const PhTextMessage ph_hlo_convolution_schema = { {
  { "kernel_input_feature_dimension", 3, PH_TEXT_INT }, { "kernel_output_feature_dimension", 4, PH_TEXT_INT },
  { "kernel_spatial_dimensions", 6, PH_TEXT_INT }, { "input_batch_dimension", 7, PH_TEXT_INT }, { "input_feature_dimension", 8, PH_TEXT_INT },
  { "output_batch_dimension", 9, PH_TEXT_INT }, { "output_feature_dimension", 10, PH_TEXT_INT }, { "input_spatial_dimensions", 11, PH_TEXT_INT },
  { "output_spatial_dimensions", 12, PH_TEXT_INT } } };
static const PhTextMessage slice = { { { "start", 1, PH_TEXT_INT }, { "limit", 2, PH_TEXT_INT }, { "stride", 3, PH_TEXT_INT } } };
static const PhTextMessage pad_dimension = { {
  { "edge_padding_low", 1, PH_TEXT_INT }, { "edge_padding_high", 2, PH_TEXT_INT }, { "interior_padding", 3, PH_TEXT_INT } } };
static const PhTextMessage padding = { { { "dimensions", 1, PH_TEXT_MESSAGE, &pad_dimension } } };
static const PhTextMessage dot = { {
  { "lhs_contracting_dimensions", 1, PH_TEXT_INT }, { "rhs_contracting_dimensions", 2, PH_TEXT_INT },
  { "lhs_batch_dimensions", 3, PH_TEXT_INT }, { "rhs_batch_dimensions", 4, PH_TEXT_INT } } };
const PhTextMessage ph_hlo_gather_schema = { {
  { "offset_dims", 1, PH_TEXT_INT }, { "collapsed_slice_dims", 2, PH_TEXT_INT }, { "start_index_map", 3, PH_TEXT_INT },
  { "index_vector_dim", 4, PH_TEXT_INT }, { "operand_batching_dims", 5, PH_TEXT_INT }, { "start_indices_batching_dims", 6, PH_TEXT_INT } } };
const PhTextMessage ph_hlo_scatter_schema = { {
  { "update_window_dims", 1, PH_TEXT_INT }, { "inserted_window_dims", 2, PH_TEXT_INT }, { "scatter_dims_to_operand_dims", 3, PH_TEXT_INT },
  { "index_vector_dim", 4, PH_TEXT_INT }, { "input_batching_dims", 5, PH_TEXT_INT }, { "scatter_indices_batching_dims", 6, PH_TEXT_INT } } };
static const PhTextMessage instruction = { {
  { "name", 1, PH_TEXT_STRING }, { "opcode", 2, PH_TEXT_STRING }, { "shape", 3, PH_TEXT_MESSAGE, &shape },
  { "metadata", 7, PH_TEXT_MESSAGE, &metadata }, { "literal", 8, PH_TEXT_MESSAGE, &literal }, { "parameter_number", 9, PH_TEXT_INT },
  { "fusion_kind", 11, PH_TEXT_STRING }, { "tuple_index", 13, PH_TEXT_INT }, { "dimensions", 14, PH_TEXT_INT },
  { "window", 15, PH_TEXT_MESSAGE, &window }, { "convolution_dimension_numbers", 16, PH_TEXT_MESSAGE, &ph_hlo_convolution_schema },
  { "slice_dimensions", 17, PH_TEXT_MESSAGE, &slice }, { "exponent_bits", 18, PH_TEXT_INT }, { "mantissa_bits", 19, PH_TEXT_INT },
  { "dynamic_slice_sizes", 20, PH_TEXT_INT }, { "padding_config", 21, PH_TEXT_MESSAGE, &padding }, { "epsilon", 24, PH_TEXT_FLOAT },
  { "feature_index", 25, PH_TEXT_INT }, { "channel_id", 26, PH_TEXT_INT }, { "custom_call_target", 28, PH_TEXT_STRING },
  { "dot_dimension_numbers", 30, PH_TEXT_MESSAGE, &dot }, { "fft_length", 32, PH_TEXT_INT },
  { "gather_dimension_numbers", 33, PH_TEXT_MESSAGE, &ph_hlo_gather_schema }, { "gather_slice_sizes", 34, PH_TEXT_INT }, { "id", 35, PH_TEXT_INT },
  { "operand_ids", 36, PH_TEXT_INT }, { "control_predecessor_ids", 37, PH_TEXT_INT }, { "called_computation_ids", 38, PH_TEXT_INT },
  { "backend_config", 43, PH_TEXT_STRING }, { "scatter_dimension_numbers", 48, PH_TEXT_MESSAGE, &ph_hlo_scatter_schema },
  { "feature_group_count", 50, PH_TEXT_INT }, { "batch_group_count", 58, PH_TEXT_INT }, { "is_stable", 60, PH_TEXT_BOOL },
  { "comparison_direction", 63, PH_TEXT_STRING }, { "custom_call_has_side_effect", 65, PH_TEXT_BOOL }, { "delta", 66, PH_TEXT_INT },
  { "indices_are_sorted", 67, PH_TEXT_BOOL }, { "unique_indices", 69, PH_TEXT_BOOL }, { "use_global_device_ids", 71, PH_TEXT_BOOL },
  { "comparison_type", 72, PH_TEXT_STRING }, { "k", 81, PH_TEXT_INT }, { "largest", 85, PH_TEXT_BOOL } } };
static const PhTextMessage computation = { {
  { "name", 1, PH_TEXT_STRING }, { "instructions", 2, PH_TEXT_MESSAGE, &instruction }, { "id", 5, PH_TEXT_INT }, { "root_id", 6, PH_TEXT_INT } } };
const PhTextMessage ph_hlo_module_schema = { {
  { "name", 1, PH_TEXT_STRING }, { "entry_computation_name", 2, PH_TEXT_STRING }, { "computations", 3, PH_TEXT_MESSAGE, &computation },
  { "id", 5, PH_TEXT_INT }, { "entry_computation_id", 6, PH_TEXT_INT } } };
const PhTextMessage ph_hlo_proto_schema = { { { "hlo_module", 1, PH_TEXT_MESSAGE, &ph_hlo_module_schema } } };

/* The values of PrimitiveType. */
static const char *const elements[] = {
  "invalid", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "tuple", "opaque", "c64", "bf16", "token", "c128",
  "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2", "f8e4m3", "f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu",
  "buffer",
};
/* clang-format on */

const char *
ph_hlo_element_name (guint64 number)
{
  return number < G_N_ELEMENTS (elements) ? elements[number] : elements[0];
}

gint64
ph_hlo_element_number (const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS (elements); i++)
    if (g_ascii_strcasecmp (elements[i], word) == 0)
      return (gint64) i;
  return g_str_equal (word, "OPAQUE_TYPE") ? 14 : -1;
}
