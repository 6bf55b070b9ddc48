/* programs.c: programs of the tensor language whose results Python with numpy gave, run eagerly, traced and compiled.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/run/executor.h"
#include "core/script/script.h"

/* A program ends with a call of a function. Its first lines say what that gives ("# gives: 1 2 3", all numbers in order), or with which
 * words it is refused ("# refused: ..."), and perhaps that it cannot be compiled ("# not compiled: ..."). */

static char *
directive (const char *source, const char *name)
{
  const char *at = strstr (source, name);

  return at != NULL ? g_strndup (at + strlen (name), strcspn (at + strlen (name), "\n")) : NULL;
}

static void
add_numbers (PhTensor *tensor, GArray *numbers)
{
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      const double number = ph_tensor_get (tensor, i);

      g_array_append_val (numbers, number);
    }
}

static void
add_value (PhScriptValue *value, GArray *numbers)
{
  g_autoptr (PhTensor) tensor = ph_script_value_tensor (value);

  if (tensor != NULL)
    add_numbers (tensor, numbers);
  for (guint i = 0; i < ph_script_value_n (value); i++)
    add_value (ph_script_value_item (value, i), numbers);
}

static gboolean
check (const char *what, const char *expected, GArray *numbers)
{
  g_auto (GStrv) words = g_strsplit (expected, " ", -1);
  gboolean ok = g_strv_length (words) == numbers->len;

  for (guint i = 0; i < numbers->len && ok; i++)
    {
      const double wanted = g_ascii_strtod (words[i], NULL), got = g_array_index (numbers, double, i);

      ok = wanted == got || fabs (wanted - got) <= 1e-5 * MAX (1, fabs (wanted));
    }
  if (ok)
    return TRUE;
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (text, "%s%.9g", i > 0 ? " " : "", g_array_index (numbers, double, i));
  g_test_message ("%s gives %s instead of %s", what, text->str, expected);
  g_test_fail ();
  return FALSE;
}

static void
check_graph (const char *what, PhScriptGraph *graph, const char *expected)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GError) error = NULL;
  PhRunOptions options = { 0 };

  for (guint i = 0; i < graph->model->graph->inputs->len; i++)
    {
      PhValue *input = graph->model->graph->inputs->pdata[i];

      g_hash_table_insert (feeds, input, ph_tensor_ref (g_hash_table_lookup (graph->feeds, input->name)));
    }
  results = ph_run_model (graph->model, feeds, NULL, &options, &error);
  if (results == NULL)
    {
      g_test_message ("%s does not run: %s", what, error->message);
      g_test_fail ();
      return;
    }
  for (guint i = 0; i < graph->model->graph->outputs->len; i++)
    add_numbers (g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) graph->model->graph->outputs->pdata[i])->id)),
                 numbers);
  check (what, expected, numbers);
}

static gboolean
went_well (const char *what, GError **error)
{
  if (*error == NULL)
    return TRUE;
  g_test_message ("%s: %s", what, (*error)->message);
  g_test_fail ();
  g_clear_error (error);
  return FALSE;
}

static void
check_program (const char *source)
{
  g_autofree char *gives = NULL, *refused = NULL, *not_compiled = NULL, *last = NULL;
  g_autoptr (PhScript) script = ph_script_new ();
  g_autoptr (PhScriptGraph) traced = NULL, compiled = NULL;
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GError) error = NULL;
  PhScriptResult result = { NULL };
  PhScriptText *text, *call;
  gboolean ok;

  gives = directive (source, "# gives: ");
  refused = directive (source, "# refused: ");
  not_compiled = directive (source, "# not compiled: ");
  last = g_strdup (strrchr (source, '\n') + 1);
  text = ph_script_parse (source, "program.py", &error);
  g_assert_no_error (error);
  ok = ph_script_run (script, text, FALSE, NULL, &result, &error);
  if (refused != NULL)
    {
      /* And says where. */
      if (ok || strstr (error->message, refused) == NULL || !g_str_has_prefix (error->message, "program.py:"))
        {
          g_test_message ("'%s' does not say '%s', and where", ok ? "no error" : error->message, refused);
          g_test_fail ();
        }
    }
  else
    {
      if (went_well ("the eager run", &error))
        {
          add_value (result.value, numbers);
          check ("the eager run", gives, numbers);
        }
    }
  ph_script_result_clear (&result);
  ph_script_text_free (text);
  g_clear_error (&error);
  if (refused == NULL && *last == 'f')
    {
      /* A call alone can be a graph. */
      g_autofree char *bare = g_strndup (last, (gsize) (strrchr (last, ')') - last) + 1);

      if (strlen (bare) < strlen (last))
        return;
      call = ph_script_parse (last, NULL, &error);
      g_assert_no_error (error);
      traced = ph_script_trace (script, call, NULL, &error);
      if (went_well ("the trace", &error))
        check_graph ("the trace", traced, gives);
      compiled = ph_script_compile (script, call, NULL, &error);
      ph_script_text_free (call);
      if (not_compiled != NULL)
        {
          if (compiled != NULL || strstr (error->message, not_compiled) == NULL)
            {
              g_test_message ("'%s' does not say '%s'", compiled != NULL ? "no error" : error->message, not_compiled);
              g_test_fail ();
            }
          return;
        }
      if (went_well ("the compiled graph", &error))
        check_graph ("the compiled graph", compiled, gives);
    }
}

static void
test_program (gconstpointer data)
{
  g_autofree char *source = NULL;

  g_assert_true (g_file_get_contents (data, &source, NULL, NULL));
  check_program (g_strchomp (source));
}

/* Many of them in one file, each behind a line "### NAME". */
static void
test_programs (gconstpointer data)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) programs = NULL;

  g_assert_true (g_file_get_contents (data, &text, NULL, NULL));
  programs = g_strsplit (text, "### ", -1);
  for (guint i = 1; programs[i] != NULL; i++)
    {
      g_test_message ("%.*s", (int) strcspn (programs[i], "\n"), programs[i]);
      check_program (g_strchomp (strchr (programs[i], '\n') + 1));
    }
}

/* A run that computes more than is recorded: what the names have from before is there as long as they are. */
static void
test_many_operators (void)
{
  static const char source[] = "x = array([0.5])\nt = sin(x)\nfor i in range(60000):\n    y = exp(x)\n"
                               "u = cos(t)\nv = cos(t)\nc = array([1.0, 2.0])\ny = sin(c)\nz = cos(c)\n(v, z, y)\n";
  g_autoptr (PhScript) script = ph_script_new ();
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GError) error = NULL;
  PhScriptResult result = { NULL };
  PhScriptText *text = ph_script_parse (source, "many.py", &error);

  g_assert_no_error (error);
  ph_script_run (script, text, FALSE, NULL, &result, &error);
  g_assert_no_error (error);
  add_value (result.value, numbers);
  g_assert_true (check ("the run", "0.8872600 0.5403023 -0.4161468 0.8414710 0.9092974", numbers));
  ph_script_result_clear (&result);
  ph_script_text_free (text);
  /* Constants that nothing kept uses are gone. */
  g_assert_cmpuint (ph_script_get_model (script)->graph->constants->len, <, 10);
}

int
main (int argc, char *argv[])
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "script", "programs", NULL);
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".py") || g_str_has_suffix (name, ".txt"))
      {
        g_autofree char *path = g_strconcat ("/programs/", name, NULL);

        g_ptr_array_add (files, g_build_filename (folder, name, NULL));
        g_test_add_data_func (path, files->pdata[files->len - 1], g_str_has_suffix (name, ".py") ? test_program : test_programs);
      }
  g_assert_cmpuint (files->len, >=, 40);
  g_test_add_func ("/programs/many-operators", test_many_operators);
  return g_test_run ();
}
