/* differentiate.h: models of ONNX text, their gradients, and what they come to.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <string.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "passes/pass.h"

#define DIMS(...) ((const gint64[]) { __VA_ARGS__ })

G_GNUC_UNUSED static PhModel *
differentiate (const char *text, const char *output, const char *const *by, PhHistory *history)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  PhModel *model = ph_onnx_text_read (text, -1, "test", &error);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  options.verify = TRUE;
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &options, &error);
  g_assert_no_error (error);
  g_ptr_array_add (arguments, (gpointer) output);
  for (; by != NULL && *by != NULL; by++)
    g_ptr_array_add (arguments, (gpointer) *by);
  g_ptr_array_add (arguments, NULL);
  options.arguments = (const char *const *) arguments->pdata;
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  return model;
}

G_GNUC_UNUSED static void
feed (GHashTable *feeds, PhModel *model, const char *name, PhTensor *tensor)
{
  g_hash_table_insert (feeds, ph_model_find_value_named (model, name), tensor);
}

G_GNUC_UNUSED static GHashTable *
new_feeds (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
}

/* (transfer full) */
G_GNUC_UNUSED static PhTensor *
compute (PhModel *model, GHashTable *feeds, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GHashTable) results = NULL;
  PhValue *value = ph_model_find_value_named (model, name);

  g_assert_nonnull (value);
  g_ptr_array_add (wanted, value);
  results = ph_run_model (model, feeds, wanted, NULL, &error);
  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id)));
}

/* The names of the outputs of @model, joined. */
G_GNUC_UNUSED static char *
output_names (PhModel *model)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < model->graph->outputs->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? " " : "", ((PhValue *) model->graph->outputs->pdata[i])->name);
  return g_string_free (names, FALSE);
}
