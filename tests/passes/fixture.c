/* fixture.c: the text files that show rules, read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixture.h"

#include <string.h>

#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/ops/verify.h"

void
fixture_free (gpointer data)
{
  Fixture *self = data;

  g_free (self->path);
  g_free (self->name);
  g_hash_table_unref (self->fires);
  g_hash_table_unref (self->ranges);
  g_strfreev (self->arguments);
  g_free (self->head);
  g_free (self->before);
  g_free (self->after);
  g_free (self);
}

static void
fixture_directive (Fixture *self, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  guint n = g_strv_length (words);

  if (g_str_equal (words[1], "fires:") && n == 4)
    g_hash_table_insert (self->fires, g_strdup (words[2]), GUINT_TO_POINTER (atoi (words[3])));
  else if (g_str_equal (words[1], "range:") && n == 5)
    {
      SampleRange range = { g_ascii_strtod (words[3], NULL), g_ascii_strtod (words[4], NULL) };

      g_hash_table_insert (self->ranges, g_strdup (words[2]), g_memdup2 (&range, sizeof range));
    }
  else if (g_str_equal (words[1], "allow:"))
    {
      for (PhExactness e = PH_EXACT; e <= PH_LOSSY; e++)
        if (g_str_equal (words[2], ph_exactness_name (e)))
          self->allow = e;
    }
  else if (g_str_equal (words[1], "arguments:"))
    self->arguments = g_strdupv (words + 2);
  else if (g_str_equal (words[1], "run:"))
    self->runs = FALSE;
}

PhExactness
fixture_exactness (const Fixture *self)
{
  PhExactness least = PH_EXACT;

  for (guint i = 0; i < self->pass->n_rules; i++)
    if (g_hash_table_contains (self->fires, self->pass->rules[i].name))
      least = MAX (least, self->pass->rules[i].exactness);
  return MAX (least, self->pass->exactness);
}

Fixture *
fixture_load (const char *path, const PhPass *pass, const char *name)
{
  Fixture *self = g_new0 (Fixture, 1);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  char *before, *after;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  before = strstr (text, "# before\n");
  after = strstr (text, "# after\n");
  if (before == NULL)
    g_error ("%s: has no line '# before'", path);

  self->path = g_strdup (path);
  self->name = g_strdup (name);
  self->pass = pass;
  self->fires = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->ranges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->runs = TRUE;
  self->allow = -1;
  self->head = g_strndup (text, before - text);
  self->before = g_strndup (before + strlen ("# before\n"),
                            after != NULL ? (gsize) (after - before) - strlen ("# before\n") : strlen (before));
  self->after = after != NULL ? g_strdup (after + strlen ("# after\n")) : NULL;

  g_auto (GStrv) lines = g_strsplit (self->head, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_prefix (*line, "# ") && strlen (*line) > 2)
      fixture_directive (self, *line);
  if (self->allow < 0)
    self->allow = MAX (PH_ROUNDING, fixture_exactness (self));
  return self;
}

PhModel *
fixture_parse (const char *text, const char *path, GError **error)
{
  g_autofree char *whole = NULL;
  g_autoptr (PhModel) model = NULL;
  const char *body = text;

  while (g_ascii_isspace (*body))
    body++;
  if (*body != '<')
    text = whole = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d]>\n%s", PH_OPSET_NEWEST, body);
  model = ph_onnx_text_read (text, -1, path, error);
  if (model == NULL || (ph_model_opset (model, "") == PH_OPSET_NEWEST && !ph_infer_model (model, TRUE, NULL, error))
      || !ph_model_verify (model, error))
    return NULL;
  return g_steal_pointer (&model);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static GPtrArray *
list (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  return names;
}

static void
each_of_pass (const char *folder, const PhPass *pass, void (*function) (Fixture *fixture, gpointer data), gpointer data)
{
  g_autofree char *where = g_build_filename (folder, pass->name, NULL);
  g_autoptr (GPtrArray) names = list (where);

  for (guint i = 0; i < names->len; i++)
    {
      const char *file = g_ptr_array_index (names, i);
      g_autofree char *path = g_build_filename (where, file, NULL);
      g_autofree char *name = g_strndup (file, strcspn (file, "."));

      if (g_str_has_suffix (file, ".onnxtxt"))
        function (fixture_load (path, pass, name), data);
    }
}

void
fixture_each (void (*function) (Fixture *fixture, gpointer data), gpointer data)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "passes", NULL);
  guint n;
  const PhPass *const *passes = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    each_of_pass (folder, passes[i], function, data);
}
