/* sources.c: the models that proofs are tried on: what the fixtures of the rules have, and the bundled examples.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "sources.h"

#include <string.h>

#include "core/io/io.h"
#include "core/ops/infer.h"
#include "tests/passes/random-graph.h"
#include "tests/passes/sample.h"

static void
source_free (gpointer data)
{
  Source *self = data;

  g_free (self->name);
  g_strfreev (self->arguments);
  g_hash_table_unref (self->ranges);
  g_free (self->before);
  g_free (self->after);
  g_free (self->file);
  g_free (self);
}

static Source *
source_new (const char *kind, const char *folder, const char *file)
{
  Source *self = g_new0 (Source, 1);

  self->name = g_strdup_printf ("%s/%s%s%.*s", kind, folder, *folder != '\0' ? "/" : "", (int) strcspn (file, "."), file);
  self->allow = PH_ROUNDING;
  self->ranges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

static void
read_directive (Source *self, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  const guint n = g_strv_length (words);

  if (n == 5 && g_str_equal (words[1], "range:"))
    {
      SampleRange range = { g_ascii_strtod (words[3], NULL), g_ascii_strtod (words[4], NULL) };

      g_hash_table_insert (self->ranges, g_strdup (words[2]), g_memdup2 (&range, sizeof range));
    }
  else if (n > 2 && g_str_equal (words[1], "arguments:"))
    self->arguments = g_strdupv (words + 2);
  else if (n > 2 && g_str_equal (words[1], "allow:"))
    {
      for (PhExactness e = PH_EXACT; e <= PH_LOSSY; e++)
        if (g_str_equal (words[2], ph_exactness_name (e)))
          self->allow = e;
    }
  else if (n == 4 && g_str_equal (words[1], "fires:") && self->pass != NULL)
    {
      for (guint i = 0; i < self->pass->n_rules; i++)
        if (g_str_equal (self->pass->rules[i].name, words[2]))
          self->allow = MAX (self->allow, self->pass->rules[i].exactness);
    }
}

static void
add_fixture (GPtrArray *sources, const PhPass *pass, const char *folder, const char *path, const char *file)
{
  Source *self = source_new ("fixtures", folder, file);
  g_autofree char *text = NULL, *head = NULL;
  g_auto (GStrv) lines = NULL;
  const char *before, *after;

  g_file_get_contents (path, &text, NULL, NULL);
  before = strstr (text, "# before\n");
  after = strstr (text, "# after\n");
  self->pass = pass;
  head = g_strndup (text, before - text);
  lines = g_strsplit (head, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_prefix (*line, "# ") && strlen (*line) > 2)
      read_directive (self, *line);
  self->allow = MAX (self->allow, pass->exactness);
  before += strlen ("# before\n");
  self->before = after != NULL ? g_strndup (before, after - before) : g_strdup (before);
  self->after = after != NULL ? g_strdup (after + strlen ("# after\n")) : NULL;
  g_ptr_array_add (sources, self);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(Source *const *) a)->name, (*(Source *const *) b)->name);
}

/* @n passes of O3, or all; whether the last of them changed something. */
static gboolean
run_passes (PhModel *model, guint n)
{
  const PhPipeline *pipeline = ph_pipeline_find ("O3");
  g_autoptr (PhHistory) history = ph_history_new ();
  gboolean changed = FALSE;

  for (guint i = 0; i < n && pipeline->passes[i] != NULL; i++)
    {
      const guint before = history->rewrites->len;
      g_autoptr (GError) error = NULL;

      ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, NULL, &error);
      g_assert_no_error (error);
      changed = history->rewrites->len > before;
    }
  return changed;
}

/* An example as it is, and after each pass of O3 that changes it. */
static void
add_example (GPtrArray *sources, const char *path, const char *file)
{
  const PhPipeline *pipeline = ph_pipeline_find ("O3");
  guint n = 0;

  while (pipeline->passes[n] != NULL)
    n++;
  for (guint i = 0; i <= n; i++)
    {
      Source *source = source_new ("examples", "", file);
      g_autofree char *name = g_strdup_printf ("%s@%02u", source->name, i);
      g_autoptr (PhModel) model = NULL;

      g_file_get_contents (path, &source->before, NULL, NULL);
      source->n_passes = i;
      g_free (source->name);
      source->name = g_steal_pointer (&name);
      model = source_parse (source, source->before);
      if (i == 0 || (model != NULL && run_passes (model, i)))
        g_ptr_array_add (sources, source);
      else
        source_free (source);
    }
}

GPtrArray *
sources_all (void)
{
  g_autofree char *fixtures = g_test_build_filename (G_TEST_DIST, "passes", NULL);
  g_autofree char *examples = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", NULL);
  GPtrArray *sources = g_ptr_array_new_with_free_func (source_free);
  g_autoptr (GDir) dir = g_dir_open (fixtures, 0, NULL), models = g_dir_open (examples, 0, NULL);
  const char *folder, *file;

  g_assert_nonnull (dir);
  g_assert_nonnull (models);
  while ((folder = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixtures, folder, NULL);
      g_autoptr (GDir) files = ph_pass_find (folder) != NULL ? g_dir_open (path, 0, NULL) : NULL;

      while (files != NULL && (file = g_dir_read_name (files)) != NULL)
        {
          g_autofree char *full = g_build_filename (path, file, NULL);

          if (g_str_has_suffix (file, ".onnxtxt"))
            add_fixture (sources, ph_pass_find (folder), folder, full, file);
        }
    }
  while ((file = g_dir_read_name (models)) != NULL)
    {
      g_autofree char *full = g_build_filename (examples, file, NULL);

      if (g_str_has_suffix (file, ".onnxtxt"))
        add_example (sources, full, file);
    }
  g_ptr_array_sort (sources, by_name);
  return sources;
}

static void
add_files (GPtrArray *sources, const char *path, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *full = g_build_filename (path, name, NULL);

      if (g_str_has_suffix (name, ".onnx"))
        {
          Source *source = source_new ("models", folder, name);

          source->file = g_steal_pointer (&full);
          g_ptr_array_add (sources, source);
        }
      else if (g_file_test (full, G_FILE_TEST_IS_DIR))
        add_files (sources, full, name);
    }
}

GPtrArray *
sources_in (const char *folder)
{
  GPtrArray *sources = g_ptr_array_new_with_free_func (source_free);

  add_files (sources, folder, "");
  g_ptr_array_sort (sources, by_name);
  return sources;
}

GPtrArray *
sources_random (guint n, guint64 seed)
{
  GPtrArray *sources = g_ptr_array_new_with_free_func (source_free);

  for (guint64 i = seed; i < seed + n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%" G_GUINT64_FORMAT, i);
      Source *source = source_new ("random", "", name);

      source->seed = i;
      g_ptr_array_add (sources, source);
    }
  return sources;
}

static PhModel *
random_model (guint64 seed)
{
  guint n_ops;
  g_autofree guint *made = NULL, *tried = NULL;
  g_autoptr (GString) faults = g_string_new (NULL);
  g_autoptr (GHashTable) feeds = NULL;
  RandomTally tally;

  ph_op_list (&n_ops);
  tally = (RandomTally) { made = g_new0 (guint, n_ops), tried = g_new0 (guint, n_ops), faults };
  return random_graph (seed, (guint) (5 + seed % 20), TRUE, &tally, &feeds);
}

/* Brought to the newest opset; what cannot be stays as it is. */
static PhModel *
open_file (const char *path)
{
  g_autofree char *data = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  PhModel *model;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, NULL))
    return NULL;
  bytes = g_bytes_new_take (g_steal_pointer (&data), size);
  model = ph_onnx_read (bytes, path, NULL, NULL);
  if (model != NULL)
    {
      ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, NULL, NULL);
      ph_infer_model (model, FALSE, NULL, NULL);
    }
  return model;
}

PhModel *
source_parse (const Source *source, const char *text)
{
  g_autofree char *whole = NULL;
  g_autoptr (GError) error = NULL;
  PhModel *model;

  if (strstr (text, "opset_import") == NULL)
    text = whole = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d]>\n%s", PH_OPSET_NEWEST, text);
  model = ph_onnx_text_read (text, -1, source->name, &error);
  if (model == NULL)
    g_error ("%s: %s", source->name, error->message);
  if (ph_model_opset (model, "") < PH_OPSET_NEWEST
      && (source->pass == NULL || !g_str_equal (source->pass->name, "upgrade-opset")))
    {
      g_autoptr (PhHistory) history = ph_history_new ();

      if (!ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, NULL, NULL))
        g_clear_pointer (&model, ph_model_free);
    }
  if (model != NULL && ph_model_opset (model, "") >= PH_OPSET_NEWEST)
    ph_infer_model (model, FALSE, NULL, NULL);
  return model;
}

PhModel *
source_model (const Source *source)
{
  PhModel *model;

  if (source->seed > 0)
    return random_model (source->seed);
  if (source->file != NULL)
    return open_file (source->file);
  model = source_parse (source, source->after != NULL ? source->after : source->before);
  if (model != NULL)
    run_passes (model, source->n_passes);
  return model;
}
