/* terms.c: the different names that HLO and StableHLO have for the same concepts, for writing either.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/hlo/terms.h"

#include <math.h>
#include <string.h>

#include "core/replace.h"

/* clang-format off */
static const char *const written[] = {
  "abs", "add", "and", "atan2", "broadcast_in_dim", "bitcast_convert", "case", "cbrt", "ceil", "clamp", "compare", "complex", "concatenate", "constant", "convert", "convolution", "cosine",
  "count_leading_zeros", "divide", "dot_general", "dynamic_slice", "dynamic_update_slice", "erf", "exponential", "exponential_minus_one", "floor", "gather", "if", "imag", "iota",
  "is_finite", "log", "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "pad", "popcnt", "power", "real", "reduce", "reduce_window", "remainder",
  "reshape", "reverse", "round_nearest_afz", "round_nearest_even", "rsqrt", "select", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sine", "slice",
  "sqrt", "subtract", "tan", "tanh", "transpose", "while", "xor", NULL };
/* clang-format on */

const char *
ph_terms_op (const PhNode *node)
{
  static const struct
  {
    const char *hlo, *name;
  } others[] = { { "broadcast", "broadcast_in_dim" }, { "dot", "dot_general" }, { "conditional", "case" } };
  const gboolean hlo = g_str_equal (node->domain, "hlo");
  g_autofree char *name = g_strdelimit (g_strdup (node->op_type), "-", '_');

  if (!hlo && !g_str_equal (node->domain, "stablehlo") && !(g_str_equal (node->domain, "chlo") && g_str_equal (name, "erf")))
    return NULL;
  for (gsize i = 0; hlo && i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (others[i].hlo, node->op_type))
      return others[i].name;
  return g_strv_contains (written, name) ? ph_intern (name) : NULL;
}

static const PhAttr *
find_attr (const PhNode *node, const char *name)
{
  /* clang-format off */
  static const struct { const char *name, *other; } others[] = {
    { "lhs_batching_dimensions", "lhs_batch_dims" }, { "rhs_batching_dimensions", "rhs_batch_dims" }, { "lhs_contracting_dimensions", "lhs_contracting_dims" },
    { "rhs_contracting_dimensions", "rhs_contracting_dims" }, { "broadcast_dimensions", "dimensions" }, { "permutation", "dimensions" },
    { "comparison_direction", "direction" }, { "slice_sizes", "dynamic_slice_sizes" }, { "dimension", "dimensions" } };
  /* clang-format on */
  const PhAttr *attr = ph_node_attr (node, name);

  for (gsize i = 0; attr == NULL && i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (others[i].name, name))
      attr = ph_node_attr (node, others[i].other);
  return attr;
}

const gint64 *
ph_terms_ints (const PhNode *node, const char *name, gsize *n)
{
  const PhAttr *attr = find_attr (node, name);

  *n = attr != NULL && attr->kind == PH_ATTR_INTS ? attr->n : attr != NULL && attr->kind == PH_ATTR_INT ? 1 : 0;
  return *n == 0 ? NULL : attr->kind == PH_ATTR_INTS ? attr->ints : &attr->i;
}

gint64
ph_terms_int (const PhNode *node, const char *name, gint64 fallback)
{
  gsize n;
  const gint64 *ints = ph_terms_ints (node, name, &n);

  return n == 1 ? ints[0] : fallback;
}

const char *
ph_terms_string (const PhNode *node, const char *name, const char *fallback)
{
  const PhAttr *attr = find_attr (node, name);

  return attr != NULL && attr->kind == PH_ATTR_STRING ? ph_node_attr_string (node, attr->name, fallback) : fallback;
}

const char *
ph_terms_dtype (PhDType dtype, gboolean hlo)
{
  /* clang-format off */
  static const struct { PhDType dtype; const char *mlir, *hlo; } names[] = {
    { PH_FLOAT, "f32", "f32" }, { PH_DOUBLE, "f64", "f64" }, { PH_FLOAT16, "f16", "f16" }, { PH_BFLOAT16, "bf16", "bf16" }, { PH_BOOL, "i1", "pred" }, { PH_INT8, "i8", "s8" },
    { PH_INT16, "i16", "s16" }, { PH_INT32, "i32", "s32" }, { PH_INT64, "i64", "s64" }, { PH_UINT8, "ui8", "u8" }, { PH_UINT16, "ui16", "u16" }, { PH_UINT32, "ui32", "u32" },
    { PH_UINT64, "ui64", "u64" }, { PH_INT2, "i2", "s2" }, { PH_INT4, "i4", "s4" }, { PH_UINT2, "ui2", "u2" }, { PH_UINT4, "ui4", "u4" },
    { PH_FLOAT8E4M3FN, "f8E4M3FN", "f8e4m3fn" }, { PH_FLOAT8E4M3FNUZ, "f8E4M3FNUZ", "f8e4m3fnuz" }, { PH_FLOAT8E5M2, "f8E5M2", "f8e5m2" },
    { PH_FLOAT8E5M2FNUZ, "f8E5M2FNUZ", "f8e5m2fnuz" }, { PH_FLOAT4E2M1, "f4E2M1FN", "f4e2m1fn" }, { PH_FLOAT8E8M0, "f8E8M0FNU", "f8e8m0fnu" },
    { PH_COMPLEX64, "complex<f32>", "c64" }, { PH_COMPLEX128, "complex<f64>", "c128" } };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].dtype == dtype)
      return hlo ? names[i].hlo : names[i].mlir;
  return NULL;
}

static void
write_real (GString *out, PhDType dtype, double number, gboolean hlo)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (number))
    {
      g_ascii_formatd (text, sizeof text, dtype == PH_DOUBLE ? "%.17g" : "%.9g", number);
      g_string_append (out, text);
      if (strpbrk (text, ".e") == NULL)
        g_string_append (out, ".0");
    }
  else if (hlo)
    g_string_append (out, isnan (number) ? "nan" : number < 0 ? "-inf" : "inf");
  else /* MLIR has no words for these, only bits */
    {
      guint64 bits = 0;

      ph_dtype_store (dtype, &bits, 0, number);
      g_string_append_printf (out, "0x%0*" G_GINT64_MODIFIER "X", (int) ph_dtype_size (dtype) * 2, GUINT64_FROM_LE (bits));
    }
}

/* "(1.0, -2.0)" */
static void
write_complex (GString *out, PhTensor *tensor, gsize index, gboolean hlo)
{
  const PhDType part = ph_tensor_dtype (tensor) == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE;
  gconstpointer data = ph_tensor_data (tensor);

  g_string_append_c (out, '(');
  for (gsize i = 0; i < 2; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      write_real (out, part, data != NULL ? ph_dtype_load (part, data, 2 * index + i) : 0, hlo);
    }
  g_string_append_c (out, ')');
}

void
ph_terms_number (GString *out, PhTensor *tensor, gsize index, gboolean hlo)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  if (dtype == PH_BOOL)
    g_string_append (out, ph_tensor_get_int (tensor, index) != 0 ? "true" : "false");
  else if (dtype == PH_UINT64)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64) ph_tensor_get_int (tensor, index));
  else if (dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128)
    write_complex (out, tensor, index, hlo);
  else if (!ph_dtype_is_float (dtype))
    g_string_append_printf (out, "%" G_GINT64_FORMAT, ph_tensor_get_int (tensor, index));
  else
    write_real (out, dtype, ph_tensor_get (tensor, index), hlo);
}

static void
elements (GString *out, PhTensor *tensor, gboolean hlo, guint axis, gsize *index)
{
  const gint64 *dims = ph_tensor_dims (tensor);

  if (axis == ph_tensor_rank (tensor))
    {
      ph_terms_number (out, tensor, (*index)++, hlo);
      return;
    }
  g_string_append_c (out, hlo ? '{' : '[');
  for (gint64 i = 0; i < dims[axis]; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      elements (out, tensor, hlo, axis + 1, index);
    }
  g_string_append_c (out, hlo ? '}' : ']');
}

void
ph_terms_elements (GString *out, PhTensor *tensor, gboolean hlo)
{
  gsize index = 0;

  elements (out, tensor, hlo, 0, &index);
}

/* ── convolutions ── */

static char *
label (const char *letters, guint rank, gboolean hlo)
{
  GString *out = g_string_new (hlo ? "" : "[");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (out, "%s%c", !hlo && i > 0 ? ", " : "", letters[i]);
  if (!hlo)
    g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

char *
ph_terms_labels (const PhNode *node, gboolean hlo)
{
  /* clang-format off */
  static const struct { const char *first, *second, *spatial; char letters[2]; } parts[] = {
    { "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions", { 'b', 'f' } },
    { "kernel_output_feature_dimension", "kernel_input_feature_dimension", "kernel_spatial_dimensions", { 'o', 'i' } },
    { "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions", { 'b', 'f' } } };
  /* clang-format on */
  const char *given = ph_terms_string (node, "dim_labels", NULL);
  g_auto (GStrv) texts = g_new0 (char *, 4);

  for (guint i = 0; i < 3; i++)
    {
      char letters[16] = { 0 };
      gsize n;
      const gint64 *spatial = ph_terms_ints (node, parts[i].spatial, &n);
      const gint64 first = ph_terms_int (node, parts[i].first, -1), second = ph_terms_int (node, parts[i].second, -1);

      if (given != NULL)
        {
          const gsize length = strcspn (given, "_-");

          if (length > 8 || length == 0)
            break;
          memcpy (letters, given, length);
          given += length + (given[length] == '-' ? 2 : given[length] == '_' ? 1 : 0);
          n = length - 2;
        }
      else if (first < 0 || second < 0 || first >= 8 || second >= 8 || n > 6)
        break;
      else
        {
          letters[first] = parts[i].letters[0];
          letters[second] = parts[i].letters[1];
          for (gsize k = 0; k < n; k++)
            if (spatial[k] >= 0 && spatial[k] < 8)
              letters[spatial[k]] = (char) ('0' + k);
        }
      texts[i] = label (letters, (guint) n + 2, hlo);
    }
  return texts[2] != NULL ? g_strconcat (texts[0], hlo ? "_" : "x", texts[1], "->", texts[2], NULL) : NULL;
}

/* ── names ── */

void
ph_term_names_init (PhTermNames *names)
{
  names->by_value = g_hash_table_new (NULL, NULL);
  names->taken = g_hash_table_new (g_str_hash, g_str_equal);
}

void
ph_term_names_clear (PhTermNames *names)
{
  g_hash_table_unref (names->by_value);
  g_hash_table_unref (names->taken);
}

const char *
ph_term_names_claim (PhTermNames *names, const char *base)
{
  g_autoptr (GString) text = g_string_new (*base == '%' ? base + 1 : base);
  const char *found;

  for (gsize i = 0; i < text->len; i++)
    if (!g_ascii_isalnum (text->str[i]) && text->str[i] != '_')
      text->str[i] = '_';
  if (text->len == 0 || g_ascii_isdigit (text->str[0]))
    g_string_prepend_c (text, 'v');
  found = ph_intern (text->str);
  for (guint i = 1; !g_hash_table_add (names->taken, (gpointer) found); i++)
    {
      g_autofree char *other = g_strdup_printf ("%s_%u", text->str, i);

      found = ph_intern (other);
    }
  return found;
}

const char *
ph_term_names_get (PhTermNames *names, const PhValue *value)
{
  const char *name = g_hash_table_lookup (names->by_value, value);

  if (name == NULL)
    {
      name = ph_term_names_claim (names, value->name);
      g_hash_table_insert (names->by_value, (gpointer) value, (gpointer) name);
    }
  return name;
}

/* ── the whole model ── */

static gboolean
check_value (const PhValue *value, const PhNode *node, GError **error)
{
  if (value->type == NULL || !value->type->has_rank || !ph_type_is_static (value->type)
      || ph_terms_dtype (value->type->dtype, FALSE) == NULL)
    {
      if (node != NULL)
        return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                             "the shape or element type of '%s' is not known, which HLO and StableHLO must say: "
                             "`run bind-dimensions` gives the sizes",
                             value->name);
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                   "input '%s': its shape or element type is not known, which HLO and StableHLO must say: "
                   "`run bind-dimensions` gives the sizes",
                   value->name);
      return FALSE;
    }
  return TRUE;
}

gboolean
ph_terms_check (PhModel *model, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    if (!check_value (model->graph->inputs->pdata[i], NULL, error))
      return FALSE;
  if (model->graph->outputs->len == 0)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                           "the main graph gives nothing: open the function that is to be written with `open FILE`");
      return FALSE;
    }
  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];

      if (ph_terms_op (node) == NULL || ph_node_is_fused (node))
        return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "has no form in HLO and StableHLO");
      for (guint k = 0; k < node->inputs->len; k++)
        if (ph_node_input (node, k) == NULL)
          return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "operand %u is missing", k);
      for (guint k = 0; k < node->outputs->len; k++)
        if (!check_value (ph_node_output (node, k), node, error))
          return FALSE;
    }
  return TRUE;
}

gboolean
ph_terms_save (const char *path, const GString *text, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (ph_replace_contents (path, text->str, text->len, &reason))
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: %s", path, reason->message);
  return FALSE;
}
