/* number-names.c: names values after the operators that produce them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

/* "onnx::Transpose_1043" says less than "matmul_2", to readers and when comparing two exports of one model whose names differ although the
 * models are equal. Inputs and outputs keep their names. */

static const char why[] = "A name derived from the operator tells the reader what produced the value.";

/* "layer_normalization" of LayerNormalization. */
static char *
words_of (const char *op_type)
{
  GString *out = g_string_new (NULL);

  for (const char *c = op_type; *c != '\0'; c++)
    {
      if (g_ascii_isupper (*c) && out->len > 0 && !g_ascii_isupper (c[-1]))
        g_string_append_c (out, '_');
      g_string_append_c (out, g_ascii_isalnum (*c) ? g_ascii_tolower (*c) : '_');
    }
  return g_string_free (out, FALSE);
}

/* Returns TRUE if @name is @base, possibly followed by a number. */
static gboolean
is_named_after (const char *name, const char *base)
{
  if (!g_str_has_prefix (name, base))
    return FALSE;
  name += strlen (base);
  if (*name == '_' && g_ascii_isdigit (name[1]))
    name++;
  while (g_ascii_isdigit (*name))
    name++;
  return *name == '\0';
}

static gboolean
name_outputs (PhPassRun *run, PhNode *node, GError **error)
{
  g_autofree char *base = words_of (node->op_type);

  for (guint k = 0; k < node->outputs->len; k++)
    {
      PhValue *value = ph_node_output (node, k);

      if ((ph_value_is_output (value) && node->graph->owner == NULL) || ph_value_n_uses (value) == 0
          || is_named_after (value->name, base))
        continue;
      if (!ph_pass_begin (run, "number-name", node, why))
        return TRUE;
      if (!ph_pass_close (run, ph_value_rename (value, ph_model_unique_name (node->graph->model, base), error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
number_names (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (ph_pass_run_model (run));

  for (guint i = 0; i < nodes->len && !run->stopped; i++)
    if (!name_outputs (run, g_ptr_array_index (nodes, i), error))
      return FALSE;
  return TRUE;
}

static const PhRule rules[] = {
  { "number-name", .matches = "onnx::Transpose_1043 = Transpose(x)", .becomes = "transpose_7 = Transpose(x)", .why = why },
};

/* clang-format off */
const PhPass ph_pass_number_names = {
  .name = "number-names", .group = "simplify", .summary = "Names values after the operators that produce them",
  .elsewhere = "onnxoptimizer set_unique_name_for_nodes",
  .trap = "the names of inputs and outputs are the model's interface, so they must stay.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = number_names,
};
/* clang-format on */
