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

/* Openings of files, and what they are taken for: NULL is no format at all, whose refusal says so. */
static void
test_openings (void)
{
  static const struct
  {
    const char *name, *text, *format;
  } rows[] = {
    { "f", "", NULL },
    { "f", " \n\n", NULL },
    { "f", "# only a comment\n", NULL },
    { "f", "[1, 2]", "json" },
    { "f", "[{\"a\": 1}]", "json" },
    { "f", "\n [\n  \"a\"\n]", "json" },
    { "f", " {\"a\": 1}", "json" },
    { "f", "{\"a\": 1}", "json" },
    { "f", "[section]\nkey = 1\n", NULL },
    { "f", "\"a string of JSON\"", NULL },
    { "f", "\"a string that does not end", NULL },
    { "f", "17", NULL },
    { "f", "It was a dark and stormy night.\n", NULL },
    { "f.txt", "# A title\n\nIt was a dark night (the rain fell in torrents).\n", NULL },
    { "f.txt", "Shopping: buy milk\n", NULL },
    { "f.csv", "name,age\nAda,36\n", NULL },
    { "f.csv", "1,2\n3,4\n", NULL },
    { "f.xml", "<?xml version=\"1.0\"?>\n<a/>\n", "xml" },
    { "f.xml", "<a b=\"c\"/>\n", NULL },
    { "f", "<html>", "html" },
    { "f", "g (float[N] x) => (float[N] y) { y = Relu (x) }", "onnx-text" },
    { "f", "\xef\xbb\xbf// first\n# second\n  g\n( float[N] x)", "onnx-text" },
    { "f", "\"a graph\" (float[N] x)", "onnx-text" },
    { "f", "<ir_version: 8>", "onnx-text" },
    { "f", "# ours\n< # keys\n ir_version: 8>", "onnx-text" },
    { "f", "<opset_import: [\"\": 17]>\ng () => () {}", "onnx-text" },
    { "f", "<> g () => () {}", "onnx-text" },
    { "f.onnxtxt", "It was a dark and stormy night.\n", "onnx-text" }, /* its errors have places */
    { "f.onnxtxt", "[1, 2]", "onnx-text" },
    { "f.onnxtxt", "", "onnx-text" },
  };
  g_autoptr (GString) comments = g_string_new (NULL);
  g_autoptr (GBytes) long_head = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) head = g_bytes_new_static (rows[i].text, strlen (rows[i].text));
      const PhFormat *format = ph_format_recognise (head, rows[i].name);

      g_test_message ("%s: %s", rows[i].name, rows[i].text);
      g_assert_cmpstr (format != NULL ? format->name : NULL, ==, rows[i].format);
    }
  /* Comments that fill the head tell nothing yet. */
  while (comments->len < PH_FORMAT_HEAD)
    g_string_append (comments, "# what this model is\n");
  long_head = g_bytes_new_static (comments->str, comments->len);
  g_assert_true (ph_format_recognise (long_head, "f") == ph_format_find ("onnx-text"));
}

static gboolean
has_control_characters (const char *head, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if ((guint8) head[i] < 0x20 && (head[i] == 0 || strchr ("\t\n\v\f\r\033", head[i]) == NULL))
      return TRUE;
  return FALSE;
}

/* How many formats are the surest of the file @path; those that are, go to @names. */
static guint
count_surest (const char *path, GString *names)
{
  guint n, n_surest = 0, surest = 1;
  const PhFormat *const *list = ph_format_list (&n);
  g_autofree char *text = NULL;
  gsize size;
  gboolean binary;

  g_assert_true (g_file_get_contents (path, &text, &size, NULL));
  size = MIN (size, PH_FORMAT_HEAD);
  binary = has_control_characters (text, size);
  for (guint i = 0; i < n; i++)
    if (list[i]->probe != NULL && !(list[i]->text && binary))
      {
        const guint sure = list[i]->probe ((const guint8 *) text, size, path);

        g_assert_cmpuint (sure, <=, 100);
        if (sure < surest)
          continue;
        if (sure > surest)
          {
            g_string_truncate (names, 0);
            n_surest = 0;
          }
        surest = sure;
        n_surest++;
        g_string_append_printf (names, " %s", list[i]->name);
      }
  return n_surest;
}

static guint
check_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (GString) names = g_string_new (NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += check_folder (path);
      else if (n++, count_surest (path, names) > 1)
        {
          g_test_message ("%s: several are as sure:%s", path, names->str);
          g_test_fail ();
        }
    }
  return n;
}

/* Which format reads a file hangs on what it is, not on the order of the list. */
static void
test_one_reader (void)
{
  static const char *const folders[] = { "console/data", "fuzz/corpus", "passes", "conformance/operators", "unit/stablehlo" };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, folders[i], NULL);

      g_assert_cmpuint (check_folder (path), >, 0);
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
  g_test_add_func ("/formats/openings", test_openings);
  g_test_add_func ("/formats/one-reader", test_one_reader);
  return g_test_run ();
}
