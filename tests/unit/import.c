/* import.c: what all readers share: names become values. A toy format is described by hand, as a reader would.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/import.h"
#include "core/io/io.h"

/* "name = Op (input, input)"; all names are interned, as a reader's are. */
static PhImportNode
node (const char *output, const char *op, const char *a, const char *b)
{
  const char **inputs = g_new (const char *, 2), **outputs = g_new (const char *, 1);

  inputs[0] = ph_intern (a);
  inputs[1] = ph_intern (b != NULL ? b : "");
  outputs[0] = ph_intern (output);
  return (PhImportNode) { .op_type = ph_intern (op),
                          .domain = "",
                          .name = "",
                          .inputs = inputs,
                          .n_inputs = b != NULL ? 2 : 1,
                          .outputs = outputs,
                          .n_outputs = 1,
                          .part = inputs };
}

static void
free_nodes (PhImportNode *nodes, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_free ((gpointer) nodes[i].inputs);
      g_free ((gpointer) nodes[i].outputs);
    }
}

/* The text of what is imported, or the error. */
static char *
import (const PhImportGraph *file, guint line_of_second)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_auto (PhSource) source = { 0 };
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GError) error = NULL;
  PhImporter importer = { &source, model };

  ph_source_init (&source, "toy", problems);
  ph_model_set_opset (model, "", 21);
  if (line_of_second > 0)
    ph_source_mark (&source, file->nodes[1].part, line_of_second, 7);
  if (!ph_import_graph (&importer, model->graph, file, &error))
    return g_strdup (error->message);
  return ph_onnx_text_print (model, 16);
}

static void
test_forward (void)
{
  PhImportNode nodes[] = { node ("c", "Neg", "b", NULL), node ("b", "Add", "a", "a") };
  PhImportValue in = { ph_intern ("a"), ph_type_tensor (PH_FLOAT, 0, NULL), NULL, NULL },
                out = { ph_intern ("c"), NULL, NULL, NULL };
  PhImportGraph file
      = { .name = ph_intern ("g"), .inputs = &in, .n_inputs = 1, .nodes = nodes, .n_nodes = 2, .outputs = &out, .n_outputs = 1 };
  g_autofree char *text = import (&file, 0);

  g_assert_nonnull (strstr (text, "b = Add (a, a)\n  c = Neg (b)"));
  free_nodes (nodes, 2);
}

static void
test_faults (void)
{
  PhImportNode nodes[] = { node ("b", "Neg", "a", NULL), node ("b", "Add", "a", "a") };
  PhImportValue in = { ph_intern ("a"), NULL, NULL, NULL }, out = { ph_intern ("b"), NULL, NULL, NULL };
  PhImportGraph file
      = { .name = ph_intern ("g"), .inputs = &in, .n_inputs = 1, .nodes = nodes, .n_nodes = 2, .outputs = &out, .n_outputs = 1 };
  g_autofree char *twice = import (&file, 12), *cycle = NULL, *missing = NULL;

  g_assert_nonnull (strstr (twice, "toy:12:7: value 'b' is defined twice"));
  free_nodes (nodes, 2);
  nodes[0] = node ("b", "Neg", "c", NULL);
  nodes[1] = node ("c", "Neg", "b", NULL);
  cycle = import (&file, 0);
  g_assert_nonnull (strstr (cycle, "has a cycle: node 0 (Neg) -> node 1 (Neg) -> node 0 (Neg)"));
  free_nodes (nodes, 2);
  nodes[0] = node ("b", "Neg", "x", NULL);
  nodes[1] = node ("c", "Neg", "b", NULL);
  missing = import (&file, 0);
  g_assert_nonnull (strstr (missing, "node 0 (Neg) uses 'x'"));
  free_nodes (nodes, 2);
}

/* A body that captures what a later node makes: the node that owns it waits. */
static void
test_body (void)
{
  PhImportNode inner = node ("d", "Neg", "b", NULL);
  PhImportValue inner_out = { ph_intern ("d"), NULL, NULL, NULL };
  PhImportGraph then = { .name = ph_intern ("t"),
                         .attr = ph_intern ("then_branch"),
                         .nodes = &inner,
                         .n_nodes = 1,
                         .outputs = &inner_out,
                         .n_outputs = 1 };
  PhImportGraph other = { .name = ph_intern ("e"),
                          .attr = ph_intern ("else_branch"),
                          .nodes = &inner,
                          .n_nodes = 1,
                          .outputs = &inner_out,
                          .n_outputs = 1 };
  PhImportGraph *bodies[] = { &then, &other };
  PhImportNode nodes[] = { node ("c", "If", "k", NULL), node ("b", "Abs", "a", NULL) };
  PhImportValue ins[] = { { ph_intern ("a"), NULL, NULL, NULL }, { ph_intern ("k"), NULL, NULL, NULL } },
                out = { ph_intern ("c"), NULL, NULL, NULL };
  PhImportGraph file
      = { .name = ph_intern ("g"), .inputs = ins, .n_inputs = 2, .nodes = nodes, .n_nodes = 2, .outputs = &out, .n_outputs = 1 };
  g_autofree char *text = NULL;

  nodes[0].bodies = bodies;
  nodes[0].n_bodies = 2;
  text = import (&file, 0);
  g_assert_nonnull (strstr (text, "b = Abs (a)\n  c = If"));
  g_assert_nonnull (strstr (text, "d_1 = Neg (b)")); /* two branches may use one name in a file, values may not */
  free_nodes (nodes, 2);
  free_nodes (&inner, 1);
}

/* Every row of the list: what probes it, and what it promises. */
static void
test_list (void)
{
  guint n;
  const PhFormat *const *list = ph_format_list (&n);

  g_assert_cmpuint (n, >, 2);
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (ph_format_find (list[i]->name) == list[i]);
      g_assert_true (list[i]->probe != NULL || list[i]->magic != NULL);
      g_assert_nonnull (list[i]->title);
      if (list[i]->read != NULL)
        {
          g_assert_nonnull (list[i]->probe);
          g_assert_nonnull (list[i]->patterns);
          g_assert_nonnull (list[i]->dialect);
        }
      if (list[i]->magic != NULL)
        {
          g_autoptr (GBytes) head = g_bytes_new_static (list[i]->magic, strlen (list[i]->magic));
          g_autoptr (GError) error = NULL;

          g_assert_true (ph_format_recognise (head, "model.onnx") == list[i]);
          g_assert_null (ph_format_read_bytes (list[i], head, "f", NULL, &error));
          g_assert_nonnull (strstr (error->message, list[i]->title));
        }
      for (guint k = 0; list[i]->write != NULL && list[i]->patterns[k] != NULL; k++)
        g_assert_true (ph_format_for_saving (list[i]->patterns[k] + 1) == list[i]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import/forward", test_forward);
  g_test_add_func ("/import/faults", test_faults);
  g_test_add_func ("/import/body", test_body);
  g_test_add_func ("/formats/list", test_list);
  return g_test_run ();
}
