/* bytecode-vhlo.c: VHLO, the versioned form in which StableHLO is stored, as StableHLO.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/bytecode-text.h"
#include "core/number.h"

/* ── types ── */

/* The numbers of the kinds are those of VHLO's own binary form. */
enum
{
  TYPE_COMPLEX = 1,
  TYPE_FUNCTION = 8,
  TYPE_TENSOR = 20,
  TYPE_TENSOR_ENCODED = 21,
  TYPE_TUPLE = 23,
  TYPE_QUANTISED = 24,
  TYPE_UNRANKED_TENSOR = 25,
  TYPE_QUANTISED_BY_AXIS = 30,
  TYPE_BUFFER = 41,
  TYPE_FUTURE = 42
};

static double
take_double (PhMlirBytes *bytes)
{
  const guint64 bits = ph_mlir_take_bits (bytes, 64);
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* "i8<-127:127>:f32"; bit 0 of @flags: the stored numbers have a sign. */
static void
write_storage (GString *out, guint64 flags, const char *storage, const char *expressed, gint64 least, gint64 most)
{
  g_string_append_printf (out, "!quant.uniform<%s%s<%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ">:%s", flags & 1 ? "" : "u",
                          flags & 1 || *storage != 'i' ? storage : storage + 1, least, most, expressed);
}

static void
write_quantised (PhMlirBytes *bytes, GString *out)
{
  const guint64 flags = ph_mlir_take_number (bytes);
  const char *storage = ph_mlir_take_type (bytes), *expressed = ph_mlir_take_type (bytes);
  const double scale = take_double (bytes);
  const gint64 zero = ph_mlir_take_signed (bytes), least = ph_mlir_take_signed (bytes), most = ph_mlir_take_signed (bytes);

  write_storage (out, flags, storage, expressed, least, most);
  g_string_append (out, ", ");
  ph_number_append (out, "%.17g", scale);
  g_string_append_printf (out, ":%" G_GINT64_FORMAT ">", zero);
}

static void
write_quantised_by_axis (PhMlirBytes *bytes, GString *out)
{
  const guint64 flags = ph_mlir_take_number (bytes);
  const char *storage = ph_mlir_take_type (bytes), *expressed = ph_mlir_take_type (bytes);
  const guint64 axis = ph_mlir_take_number (bytes);
  const gint64 least = ph_mlir_take_signed (bytes), most = ph_mlir_take_signed (bytes);
  const guint n = ph_mlir_take_count (bytes);
  g_autofree double *scales = g_new0 (double, (gsize) n + 1);
  guint n_zeros;

  for (guint i = 0; i < n; i++)
    scales[i] = take_double (bytes);
  n_zeros = ph_mlir_take_count (bytes);
  write_storage (out, flags, storage, expressed, least, most);
  g_string_append_printf (out, ":%" G_GUINT64_FORMAT ", {", axis);
  for (guint i = 0; i < n_zeros && i < n; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      ph_number_append (out, "%.17g", scales[i]);
      g_string_append_printf (out, ":%" G_GINT64_FORMAT, ph_mlir_take_signed (bytes));
    }
  g_string_append (out, "}>");
}

gboolean
ph_mlir_vhlo_type (PhMlirBytes *bytes, GString *out)
{
  static const char *const words[] = {
    [0] = "i1",
    [2] = "bf16",
    [3] = "f16",
    [4] = "f32",
    [5] = "f64",
    [6] = "f8E4M3FN",
    [7] = "f8E5M2",
    [9] = "index",
    [10] = "i4",
    [11] = "i8",
    [12] = "i16",
    [13] = "i32",
    [14] = "i64",
    [15] = "ui4",
    [16] = "ui8",
    [17] = "ui16",
    [18] = "ui32",
    [19] = "ui64",
    [22] = "!stablehlo.token",
    [26] = "!shape.witness",
    [27] = "f8E4M3FNUZ",
    [28] = "f8E5M2FNUZ",
    [29] = "f8E4M3B11FNUZ",
    [31] = "i2",
    [32] = "ui2",
    [33] = "none",
    [34] = "tf32",
    [35] = "f8E4M3",
    [36] = "f8E3M4",
    [37] = "f4E2M1FN",
    [38] = "f6E2M3FN",
    [39] = "f6E3M2FN",
    [40] = "f8E8M0FNU",
  };
  const guint64 kind = ph_mlir_take_number (bytes);

  if (kind < G_N_ELEMENTS (words) && words[kind] != NULL)
    {
      g_string_append (out, words[kind]);
      return TRUE;
    }
  switch (kind)
    {
    case TYPE_COMPLEX: g_string_append_printf (out, "complex<%s>", ph_mlir_take_type (bytes)); return TRUE;
    case TYPE_FUNCTION: ph_mlir_write_function (bytes, out); return TRUE;
    case TYPE_TENSOR:
    case TYPE_TENSOR_ENCODED: ph_mlir_write_tensor (bytes, kind == TYPE_TENSOR_ENCODED, out); return TRUE;
    case TYPE_BUFFER:
      g_string_append (out, "memref<");
      ph_mlir_write_dims (bytes, out);
      g_string_append_printf (out, "%s>", ph_mlir_take_type (bytes));
      return TRUE;
    case TYPE_TUPLE:
    case TYPE_FUTURE:
      g_string_append (out, kind == TYPE_TUPLE ? "tuple<" : "!stablehlo.future<");
      ph_mlir_write_list (bytes, out, ph_mlir_take_type);
      g_string_append_c (out, '>');
      return TRUE;
    case TYPE_QUANTISED: write_quantised (bytes, out); return TRUE;
    case TYPE_QUANTISED_BY_AXIS: write_quantised_by_axis (bytes, out); return TRUE;
    case TYPE_UNRANKED_TENSOR: g_string_append_printf (out, "tensor<*x%s>", ph_mlir_take_type (bytes)); return TRUE;
    default: return FALSE;
    }
}

/* ── attributes ── */

enum
{
  ATTR_ARRAY = 1,
  ATTR_BOOLEAN,
  ATTR_COMPARISON_DIRECTION,
  ATTR_COMPARISON_TYPE,
  ATTR_API_VERSION,
  ATTR_DICTIONARY,
  ATTR_FFT_TYPE,
  ATTR_FLOAT,
  ATTR_INTEGER,
  ATTR_OPERAND_ALIAS,
  ATTR_PRECISION,
  ATTR_RNG_ALGORITHM,
  ATTR_RNG_DISTRIBUTION,
  ATTR_STRING,
  ATTR_TENSOR,
  ATTR_TRANSPOSE,
  ATTR_TYPE,
  ATTR_BOUNDS,
  ATTR_ACCURACY_MODE,
  ATTR_ACCURACY
};

#define MAX_CASES 8

typedef struct
{
  const char *name, *cases[MAX_CASES];
} Enum;

static const Enum enums[] = {
  [ATTR_COMPARISON_DIRECTION] = { "comparison_direction", { "EQ", "NE", "GE", "GT", "LE", "LT" } },
  [ATTR_COMPARISON_TYPE] = { "comparison_type", { "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" } },
  [ATTR_FFT_TYPE] = { "fft_type", { "FFT", "IFFT", "RFFT", "IRFFT" } },
  [ATTR_PRECISION] = { "precision", { "DEFAULT", "HIGH", "HIGHEST" } },
  [ATTR_RNG_ALGORITHM] = { "rng_algorithm", { "DEFAULT", "THREE_FRY", "PHILOX" } },
  [ATTR_RNG_DISTRIBUTION] = { "rng_distribution", { NULL, "UNIFORM", "NORMAL" } },
  [ATTR_TRANSPOSE] = { "transpose", { "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" } },
  [ATTR_ACCURACY_MODE] = { "result_accuracy_mode", { "DEFAULT", "HIGHEST", "TOLERANCE" } },
};

static void
write_ints (PhMlirBytes *bytes, GString *out, const char *unknown)
{
  const guint n = ph_mlir_take_count (bytes);

  for (guint i = 0; i < n; i++)
    {
      const gint64 number = ph_mlir_take_signed (bytes);

      g_string_append (out, i > 0 ? ", " : "");
      if (number == G_MININT64)
        g_string_append (out, unknown);
      else
        g_string_append_printf (out, "%" G_GINT64_FORMAT, number);
    }
}

gboolean
ph_mlir_vhlo_attr (PhMlirBytes *bytes, GString *out)
{
  const guint64 kind = ph_mlir_take_number (bytes);
  const char *text;
  guint64 value;

  if (kind < G_N_ELEMENTS (enums) && enums[kind].name != NULL)
    {
      value = ph_mlir_take_number (bytes);
      if (value >= MAX_CASES || enums[kind].cases[value] == NULL)
        return FALSE;
      g_string_append_printf (out, "#stablehlo<%s %s>", enums[kind].name, enums[kind].cases[value]);
      return TRUE;
    }
  switch (kind)
    {
    case ATTR_ARRAY:
      g_string_append_c (out, '[');
      ph_mlir_write_list (bytes, out, ph_mlir_take_attr);
      g_string_append_c (out, ']');
      return TRUE;
    case ATTR_BOOLEAN: g_string_append (out, ph_mlir_take_number (bytes) != 0 ? "true" : "false"); return TRUE;
    case ATTR_API_VERSION: g_string_append_printf (out, "%" G_GUINT64_FORMAT " : i32", ph_mlir_take_number (bytes)); return TRUE;
    case ATTR_DICTIONARY: ph_mlir_write_dictionary (bytes, out); return TRUE;
    case ATTR_FLOAT:
    case ATTR_INTEGER:
      text = ph_mlir_take_type (bytes);
      ph_mlir_write_number (out, text, ph_mlir_take_bits (bytes, ph_mlir_bit_width (text)));
      return TRUE;
    case ATTR_OPERAND_ALIAS:
      g_string_append (out, "#stablehlo.output_operand_alias<output_tuple_indices = [");
      write_ints (bytes, out, "?");
      g_string_append_printf (out, "], operand_index = %" G_GINT64_FORMAT ", operand_tuple_indices = [",
                              ph_mlir_take_signed (bytes));
      write_ints (bytes, out, "?");
      g_string_append (out, "]>");
      return TRUE;
    case ATTR_STRING: ph_mlir_write_quoted (out, ph_mlir_take_string (bytes)); return TRUE;
    case ATTR_TENSOR:
      text = ph_mlir_take_type (bytes);
      ph_mlir_write_dense (bytes->code, out, text, ph_mlir_take_span (bytes, ph_mlir_take_number (bytes)));
      return TRUE;
    case ATTR_TYPE: g_string_append (out, ph_mlir_take_type (bytes)); return TRUE;
    case ATTR_BOUNDS:
      g_string_append (out, "#stablehlo.bounds<");
      write_ints (bytes, out, "?");
      g_string_append_c (out, '>');
      return TRUE;
    case ATTR_ACCURACY:
      g_string_append (out, "#stablehlo.result_accuracy<atol = ");
      ph_number_append (out, "%.17g", take_double (bytes));
      g_string_append (out, ", rtol = ");
      ph_number_append (out, "%.17g", take_double (bytes));
      g_string_append_printf (out, ", ulps = %" G_GINT64_FORMAT, ph_mlir_take_signed (bytes));
      g_string_append_printf (out, ", mode = %s>", ph_mlir_take_attr (bytes));
      return TRUE;
    default: return FALSE;
    }
}

/* ── operations ── */

/* Returns "add" of "vhlo.add_v1"; NULL: it has a version that is not known, so that it may mean something else. */
static char *
known_op (const char *name)
{
  /* clang-format off */
  static const char *const second[] = {
    "all_gather", "all_reduce", "all_to_all", "cbrt", "collective_broadcast", "composite", "cosine", "custom_call", "dot_general", "dynamic_conv",
    "dynamic_gather", "exponential", "exponential_minus_one", "gather", "log", "log_plus_one", "logistic", "recv", "rsqrt", "scatter", "send",
    "sine", "sqrt", "tan", "tanh", NULL };
  /* clang-format on */
  const char *bare = name + strlen ("vhlo."), *end = g_strrstr (bare, "_v");
  g_autofree char *word = end != NULL ? g_strndup (bare, (gsize) (end - bare)) : NULL;

  if (word == NULL || (!g_str_equal (end, "_v1") && !(g_str_equal (end, "_v2") && g_strv_contains (second, word))))
    return NULL;
  return g_steal_pointer (&word);
}

const char *
ph_mlir_vhlo_properties (const char *name)
{
  /* In alphabetical order, as they are stored; a name without a version: of all of them. What is not listed has the accuracy alone. */
  /* clang-format off */
  static const struct { const char *op, *names; } layouts[] = {
    { "all_gather", "all_gather_dim channel_id replica_groups use_global_device_ids" },
    { "all_reduce", "channel_id replica_groups use_global_device_ids" },
    { "all_to_all", "channel_id concat_dimension replica_groups split_count split_dimension" },
    { "batch_norm_grad", "epsilon feature_index" },
    { "batch_norm_inference", "epsilon feature_index" },
    { "batch_norm_training", "epsilon feature_index" },
    { "broadcast_in_dim", "broadcast_dimensions" },
    { "broadcast", "broadcast_sizes" },
    { "call", "callee" },
    { "cholesky", "lower" },
    { "collective_broadcast_v1", "channel_id replica_groups" },
    { "collective_broadcast_v2", "channel_id has_dynamic_root replica_groups" },
    { "collective_reduce", "channel_id has_dynamic_root replica_groups use_global_device_ids" },
    { "collective_permute", "channel_id source_target_pairs" },
    { "compare", "compare_type comparison_direction" },
    { "composite", "composite_attributes decomposition name version" },
    { "concatenate", "dimension" },
    { "constant", "value" },
    { "convolution", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides" },
    { "custom_call_v1", "api_version backend_config call_target_name called_computations has_side_effect operand_layouts output_operand_aliases result_layouts" },
    { "custom_call_v2", "api_version backend_config call_target_name called_computations has_side_effect operand_layouts output_operand_aliases result_layouts result_tilings" },
    { "dot_general_v1", "lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions rhs_contracting_dimensions" },
    { "dot_general_v2", "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions rhs_precision_type" },
    { "dot", "precision_config" },
    { "dynamic_broadcast_in_dim", "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions" },
    { "dynamic_conv_v1", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides" },
    { "dynamic_conv_v2", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions precision_config rhs_dilation window_reversal window_strides" },
    { "dynamic_gather_v1", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map" },
    { "dynamic_gather_v2", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims start_index_map start_indices_batching_dims" },
    { "dynamic_iota", "iota_dimension" },
    { "dynamic_slice", "slice_sizes" },
    { "einsum", "einsum_config" },
    { "fft", "fft_length fft_type" },
    { "func", "arg_attrs function_type res_attrs sym_name sym_visibility" },
    { "gather_v1", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes start_index_map" },
    { "gather_v2", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims slice_sizes start_index_map start_indices_batching_dims" },
    { "get_dimension_size", "dimension" },
    { "get_tuple_element", "index" },
    { "infeed", "infeed_config layout" },
    { "iota", "iota_dimension" },
    { "map", "dimensions" },
    { "outfeed", "outfeed_config" },
    { "pad", "edge_padding_high edge_padding_low interior_padding" },
    { "recv_v1", "channel_id channel_type is_host_transfer" },
    { "recv_v2", "channel_id channel_type is_host_transfer source_target_pairs" },
    { "reduce", "dimensions" },
    { "reduce_precision", "exponent_bits mantissa_bits" },
    { "reduce_scatter", "channel_id replica_groups scatter_dimension use_global_device_ids" },
    { "reduce_window", "base_dilations padding window_dilations window_dimensions window_strides" },
    { "reverse", "dimensions" },
    { "rng_bit_generator", "rng_algorithm" },
    { "rng", "rng_distribution" },
    { "scatter_v1", "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims unique_indices update_window_dims" },
    { "scatter_v2", "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices update_window_dims" },
    { "select_and_scatter", "padding window_dimensions window_strides" },
    { "send_v1", "channel_id channel_type is_host_transfer" },
    { "send_v2", "channel_id channel_type is_host_transfer source_target_pairs" },
    { "set_dimension_size", "dimension" },
    { "slice", "limit_indices start_indices strides" },
    { "sort", "dimension is_stable" },
    { "torch_index_select", "batch_dims dim" },
    { "transpose", "permutation" },
    { "triangular_solve", "left_side lower transpose_a unit_diagonal" },
    { "unary_einsum", "einsum_config" },
  };
  /* clang-format on */
  g_autofree char *word = known_op (name);

  for (gsize i = 0; word != NULL && i < G_N_ELEMENTS (layouts); i++)
    if (g_str_equal (layouts[i].op, word) || g_str_equal (layouts[i].op, name + strlen ("vhlo.")))
      return layouts[i].names;
  return word != NULL ? "result_accuracy" : NULL;
}

char *
ph_mlir_vhlo_op (const char *name, gboolean in_function)
{
  g_autofree char *word = known_op (name);
  const gboolean is_func = g_strcmp0 (word, "func") == 0 || g_strcmp0 (word, "call") == 0
                           || (in_function && g_strcmp0 (word, "return") == 0);

  return word != NULL ? g_strdup_printf ("%s.%s", is_func ? "func" : "stablehlo", word) : g_strdup (name);
}

gboolean
ph_mlir_vhlo_is_default (const char *name, const char *text)
{
  /* clang-format off */
  static const struct { const char *name, *text; } defaults[] = {
    { "api_version", "1 : i32" }, { "arg_attrs", "[]" }, { "backend_config", "\"\"" }, { "backend_config", "{}" },
    { "called_computations", "[]" }, { "channel_id", "0 : i64" }, { "compare_type", "#stablehlo<comparison_type NOTYPE>" },
    { "composite_attributes", "{}" }, { "has_dynamic_root", "false" }, { "has_side_effect", "false" }, { "indices_are_sorted", "false" },
    { "infeed_config", "\"\"" }, { "is_host_transfer", "false" }, { "is_stable", "false" }, { "layout", "[]" }, { "lower", "false" },
    { "operand_layouts", "[]" }, { "outfeed_config", "\"\"" }, { "output_operand_aliases", "[]" }, { "res_attrs", "[]" },
    { "result_accuracy", "#stablehlo.result_accuracy<atol = 0, rtol = 0, ulps = 0, mode = #stablehlo<result_accuracy_mode DEFAULT>>" },
    { "result_layouts", "[]" }, { "result_tilings", "[]" }, { "sym_visibility", "\"\"" }, { "unique_indices", "false" },
    { "use_global_device_ids", "false" }, { "version", "0 : i32" },
  };
  static const char *const algorithm[] = { "lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
                                           "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation", NULL };
  /* clang-format on */
  const char *rest = text;

  for (gsize i = 0; i < G_N_ELEMENTS (defaults); i++)
    if (g_str_equal (name, defaults[i].name) && g_str_equal (text, defaults[i].text))
      return TRUE;
  if (g_str_equal (text, "none") && g_strv_contains (algorithm, name))
    return TRUE;
  if (!g_str_equal (name, "precision_config"))
    return FALSE;
  while ((rest = strstr (rest, "<precision ")) != NULL) /* each of them is the default */
    if (!g_str_has_prefix (rest += strlen ("<precision "), "DEFAULT>"))
      return FALSE;
  return TRUE;
}
