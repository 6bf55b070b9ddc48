/* faulty-runner.c: a program that computes a model, rightly or as it is told: for tests of what runs models elsewhere.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/run/executor.h"
#include "passes/pass.h"

static char *
path_in (const char *folder, const char *kind, guint k)
{
  g_autofree char *name = g_strdup_printf ("%s_%u.pb", kind, k);

  return g_build_filename (folder, name, NULL);
}

/* A kernel that is wrong: each @op is what Exp gives instead. */
static gboolean
break_kernel (PhModel *model, const char *op)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  PH_FOREACH_NODE (node, model->graph)
    if (g_str_equal (node->op_type, op))
      g_ptr_array_add (nodes, node);
  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i];
      PhValue *input = ph_node_input (node, 0);
      PhNode *exp = ph_graph_add_node (
          model->graph,
          &(PhNodeSpec) {
              .op_type = "Exp", .domain = "", .name = "wrong", .inputs = &input, .n_inputs = 1, .n_outputs = 1, .before = node },
          NULL);

      if (exp == NULL || !ph_value_replace_uses (ph_node_output (node, 0), ph_node_output (exp, 0), NULL))
        return FALSE;
    }
  return TRUE;
}

/* MODE [ARGUMENT] FOLDER. right: as here. kernel OP: each OP wrong. flicker FILE: wrong every second time. */
int
main (int argc, char *argv[])
{
  const char *mode = argv[1], *folder = argv[argc - 1];
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, NULL);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  PhRunOptions options = { 0 };

  if (model == NULL)
    return 4;
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      g_autofree char *file = path_in (folder, "input", i);
      PhTensor *tensor = ph_tensor_load (file, input->type, NULL, NULL);

      if (tensor == NULL)
        return 5;
      g_hash_table_insert (feeds, input, tensor);
    }
  if (g_str_equal (mode, "kernel") && !break_kernel (model, argv[2]))
    return 6;
  if (g_str_equal (mode, "flicker"))
    {
      const gboolean again = g_file_test (argv[2], G_FILE_TEST_EXISTS);

      if (again ? g_unlink (argv[2]) != 0 || !break_kernel (model, "Tanh") : !g_file_set_contents (argv[2], "", 0, NULL))
        return 7;
    }
  results = ph_run_model (model, feeds, NULL, &options, NULL);
  if (results == NULL)
    return 8;
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *output = model->graph->outputs->pdata[i];
      g_autofree char *file = path_in (folder, "output", i);

      if (!ph_tensor_save (g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)), output->name, file, NULL))
        return 9;
    }
  return 0;
}
