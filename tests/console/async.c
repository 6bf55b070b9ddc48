/* async.c: lines in the window's way: queued, their slow part in a worker, cancelled.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gstdio.h>

#include "core/console/console.h"
#include "core/document/snapshot.h"
#include "core/io/io.h"

typedef struct
{
  GString *log;
  GMainLoop *loop;
  guint replies, failed, cancelled, wanted;
} State;

static void
on_started (PhConsole *console, const char *line, gpointer data)
{
  g_string_append_printf (((State *) data)->log, "<%s", line);
}

static void
on_finished (PhConsole *console, PhReply *reply, gpointer data)
{
  g_string_append_printf (((State *) data)->log, ">%s;", reply->ok ? "" : ph_error_code_name (reply->error));
}

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  State *state = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (source), result, &error);

  state->replies++;
  if (reply == NULL)
    state->cancelled++;
  else if (!reply->ok)
    state->failed++;
  if (state->replies == state->wanted)
    g_main_loop_quit (state->loop);
}

static gboolean
on_late (gpointer data)
{
  g_error ("the console did not answer in time");
  return G_SOURCE_REMOVE;
}

static void
run_lines (const char *const *lines, gboolean cancel, State *state)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *example = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "attention.onnxtxt", NULL);
  guint late = g_timeout_add_seconds (60, on_late, NULL);

  *state = (State) { .log = g_string_new (NULL), .loop = g_main_loop_new (NULL, FALSE) };
  g_signal_connect (console, "started", G_CALLBACK (on_started), state);
  g_signal_connect (console, "finished", G_CALLBACK (on_finished), state);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (GString) line = g_string_new (lines[i]);

      g_string_replace (line, "@example", example, 0);
      ph_console_run_async (console, line->str, on_reply, state);
      state->wanted++;
    }
  g_assert_true (ph_console_is_running (console));
  if (cancel)
    ph_console_cancel (console);
  g_main_loop_run (state->loop);
  while (ph_console_is_running (console))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (late);
  g_assert_false (ph_document_get_busy (document));
  g_main_loop_unref (state->loop);
}

static void
test_order (void)
{
  const char *const lines[] = { "open @example", "run cse dce", "select count(*) from nodes", "nonsense", "step", "diff", NULL };
  State state;

  run_lines (lines, FALSE, &state);
  g_assert_cmpuint (state.replies, ==, 6);
  g_assert_cmpuint (state.failed, ==, 1);
  g_assert_true (g_pattern_match_simple ("<open *>;<run cse dce>;<select count(*) from nodes>;<nonsense>not-found;<step>;<diff>;",
                                         state.log->str));
  g_string_free (state.log, TRUE);
}

static void
test_cancel (void)
{
  const char *const lines[] = { "open @example", "run", "eval --random 1", NULL };
  State state;

  run_lines (lines, TRUE, &state);
  g_assert_cmpuint (state.cancelled, ==, 3);
  g_string_free (state.log, TRUE);
}

static gboolean
on_cancel (gpointer console)
{
  ph_console_cancel (console);
  return G_SOURCE_REMOVE;
}

/* Endless loops are lines that can be cancelled: one of numbers alone, one of operators, one in a function that is compiled. */
static void
test_endless (void)
{
  static const char *const lines[] = { "while True: pass", "while True: t = sin(1.5)", "for i in range(1000000000000): k = i",
                                       "compare spin(array([1.0]))" };
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autoptr (PhReply) defined = ph_console_run (console, "def spin(x):\n  while sum(x) < 9:\n    y = 1\n  return x", NULL);

  g_assert_true (defined->ok);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      State state = { .log = g_string_new (NULL), .loop = g_main_loop_new (NULL, FALSE), .wanted = 1 };
      guint late = g_timeout_add_seconds (60, on_late, NULL);

      ph_console_run_async (console, lines[i], on_reply, &state);
      g_timeout_add (30, on_cancel, console);
      g_main_loop_run (state.loop);
      while (ph_console_is_running (console))
        g_main_context_iteration (NULL, TRUE);
      g_assert_cmpuint (state.failed + state.cancelled, ==, 1);
      g_source_remove (late);
      g_main_loop_unref (state.loop);
      g_string_free (state.log, TRUE);
    }
}

/* Steps computed while somebody else moved the history on are dropped, and say so. */
static void
test_stale (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *example = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "attention.onnxtxt", NULL);
  g_autofree char *line = g_strdup_printf ("open %s", example);
  g_autoptr (PhReply) opened = ph_console_run (console, line, NULL);
  g_autoptr (PhJob) first = ph_job_new (document, (PhPosition) { 0, 0 }), second = ph_job_new (document, (PhPosition) { 0, 0 });
  g_autoptr (GError) error = NULL;

  g_assert_true (opened->ok);
  ph_job_add_pipeline (first, 3);
  ph_job_add_pipeline (second, 3);
  g_assert_true (ph_job_run (first, NULL, &error));
  g_assert_true (ph_job_run (second, NULL, &error));
  g_assert_true (ph_document_take_job (document, first, FALSE, &error));
  g_assert_cmpuint (ph_document_get_position (document).step, ==, 0);
  g_assert_cmpuint (ph_document_get_history (document)->steps->len, ==, 3);
  g_assert_false (ph_document_take_job (document, second, TRUE, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_CANCELLED);
  g_assert_cmpuint (ph_document_get_history (document)->steps->len, ==, 3);
}

/* Passes and readers take one private model after the other and leave it, as the history ends: none clones it anew. */
static void
test_one_model (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *example = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "attention.onnxtxt", NULL);
  g_autofree char *line = g_strdup_printf ("open %s", example);
  static const char *const lines[] = {
    "feed x random 1 1 4", "eval", "step", "step", "eval", "back", "step", "run", "goto 3", "diff 1 2", "run cse",
  }; /* eval keeps the first one that it gets */
  g_autoptr (PhReply) opened = ph_console_run (console, line, NULL);
  const PhModel *first = NULL;

  g_assert_true (opened->ok);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (PhReply) reply = ph_console_run (console, lines[i], NULL);
      const PhPosition end = { ph_document_get_history (document)->steps->len, 0 };
      g_autoptr (PhSnapshot) snapshot = ph_snapshot_new (document);
      PhModel *model = ph_snapshot_at (snapshot, ph_document_get_position (document));
      g_autofree char *text = ph_onnx_text_print (model, G_MAXSIZE), *last = NULL;
      g_autofree char *expected = ph_onnx_text_print (ph_document_get_model (document), G_MAXSIZE);

      g_assert_no_error (reply->error);
      g_assert_cmpstr (text, ==, expected);
      g_assert_true (i < 2 || model == first);
      first = model;
      ph_snapshot_done (snapshot);
      last = ph_onnx_text_print (ph_snapshot_at (snapshot, end), G_MAXSIZE);
      ph_snapshot_done (snapshot);
      g_assert_nonnull (last);
    }
}

static void
assert_completes (PhConsole *console, const char *line, const char *word, guint start)
{
  guint at = 0;
  g_auto (GStrv) found = ph_console_complete (console, line, (guint) strlen (line), &at);

  if (!g_strv_contains ((const char *const *) found, word))
    {
      g_autofree char *all = g_strjoinv (" ", found);
      g_error ("'%s' does not complete to '%s' but to: %s", line, word, all);
    }
  g_assert_cmpuint (at, ==, start);
}

/* What one thread does alone needs no clone: the passes run on the document's own model, which is as before if nobody takes them over. */
static void
test_in_place (void)
{
  g_autofree char *example = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "attention.onnxtxt", NULL);
  g_autofree char *line = g_strdup_printf ("open %s", example), *after[3] = { NULL };

  for (guint way = 0; way < 4; way++) /* a clone; taken over; taken over without going there; not taken over */
    {
      g_autoptr (PhDocument) document = ph_document_new ();
      g_autoptr (PhConsole) console = ph_console_new (document);
      g_autoptr (PhReply) opened = ph_console_run (console, line, NULL);
      PhModel *model = ph_document_get_model (document);
      g_autofree char *before = ph_onnx_text_print (model, G_MAXSIZE), *now = NULL;
      const PhPosition start = { 0, 0 };
      const guint generation = ph_document_get_generation (document);
      PhJob *job = (way == 0 ? ph_job_new : ph_job_new_in_place) (document, start);
      g_autoptr (GError) error = NULL;

      g_assert_true (opened->ok);
      ph_job_add_pipeline (job, G_MAXUINT);
      g_assert_true (ph_job_run (job, NULL, &error));
      g_assert_cmpuint (ph_job_get_history (job)->edits->len, >, 0);
      g_assert_true ((ph_job_get_model (job) == model) == (way > 0));
      g_assert_true (way == 3 || ph_document_take_job (document, job, way < 2, &error));
      ph_job_free (job);
      g_assert_true (ph_document_get_model (document) == model);
      g_assert_cmpuint (ph_document_get_generation (document), >, generation);
      now = ph_onnx_text_print (model, G_MAXSIZE);
      if (way >= 2)
        {
          g_assert_cmpint (ph_position_compare (ph_document_get_position (document), start), ==, 0);
          g_assert_cmpstr (now, ==, before);
        }
      if (way == 3)
        continue;
      g_assert_true (ph_document_go (document, (PhPosition) { ph_document_get_history (document)->steps->len, 0 }, &error));
      after[way] = ph_onnx_text_print (model, G_MAXSIZE);
      g_assert_cmpstr (after[way], !=, before);
      g_assert_cmpstr (after[way], ==, after[0]);
      g_assert_true (ph_document_go (document, start, &error));
      g_free (now);
      now = ph_onnx_text_print (model, G_MAXSIZE);
      g_assert_cmpstr (now, ==, before);
    }
  for (guint way = 1; way < G_N_ELEMENTS (after); way++)
    g_free (after[way]);
}

static void
test_complete (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *example = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "seed.onnxtxt", NULL);
  g_autofree char *line = g_strdup_printf ("open %s", example), *half = g_strndup (line, strlen (line) - 5);
  g_autoptr (PhReply) opened = ph_console_run (console, line, NULL);

  g_assert_true (opened->ok);
  assert_completes (console, "", "open", 0);
  assert_completes (console, "ste", "step", 0);
  assert_completes (console, "step in", "into", 5);
  assert_completes (console, "run alg", "algebraic", 4);
  assert_completes (console, "pipeline O", "O2", 9);
  assert_completes (console, "feed x", "x1", 5);
  assert_completes (console, "grad ", "y", 5);
  assert_completes (console, "help dif", "diff", 5);
  assert_completes (console, "check --pi", "--pipeline", 6);
  assert_completes (console, "select count(*) from no", "nodes", 21);
  assert_completes (console, half, example, 5);
  {
    g_autofree char *modules = g_test_build_filename (G_TEST_DIST, "console", "data", "modules.hlo", NULL);
    g_autofree char *begun = g_strdup_printf ("open %s/s", modules), *whole = g_strdup_printf ("%s/second", modules);
    g_autofree char *dump = g_test_build_filename (G_TEST_DIST, "console", "data", "xla", "module_0004", NULL);
    g_autofree char *folder = g_strdup_printf ("open %.*s", (int) (strlen (dump) - strlen ("0004")), dump);

    assert_completes (console, begun, whole, 5);
    assert_completes (console, folder, dump, 5);
  }
  assert_completes (console, "y1 = zero", "zeros", 5);
  assert_completes (console, "y1 = soft", "softmax", 5);
  assert_completes (console, "y1 = Soft", "Softmax", 5);
  assert_completes (console, "y1 = tanh(x", "x1", 10);
  {
    g_autoptr (PhReply) defined = ph_console_run (console, "def spin(x): return x", NULL);

    g_assert_true (defined->ok);
  }
  assert_completes (console, "y1 = sp", "spin", 5);
  assert_completes (console, "compile sp", "spin", 8);
  assert_completes (console, "language ar", "arange", 9);
}

/* A name that is not UTF-8 cannot be typed, and its last bytes may claim characters that are not there. */
static void
test_complete_bytes (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *good = g_build_filename (folder, "right", NULL);
  g_autofree char *bad = g_build_filename (folder, "right\xff\xff", NULL), *plain = g_strdup_printf ("open %s/ri", folder);
  g_autofree char *fuzzy = g_strdup_printf ("open %s/ght", folder);
  const char *lines[] = { plain, fuzzy };

  g_assert_true (g_file_set_contents (good, "", 0, NULL) && g_file_set_contents (bad, "", 0, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      guint at;
      g_auto (GStrv) found = ph_console_complete (console, lines[i], (guint) strlen (lines[i]), &at);

      g_assert_cmpuint (g_strv_length (found), ==, 1);
      g_assert_cmpstr (found[0], ==, good);
    }
  g_assert_true (g_unlink (good) == 0 && g_unlink (bad) == 0 && g_rmdir (folder) == 0);
}

static void
test_help_covers_all (void)
{
  guint n;
  const PhCommand *const *list = ph_command_list (&n);
  g_autofree char *manual = ph_command_manual ();

  g_assert_cmpuint (n, >, 30);
  for (guint i = 0; i < n; i++)
    {
      g_assert_nonnull (list[i]->summary);
      g_assert_true (ph_command_find (list[i]->name) == list[i]);
      for (guint k = 0; k < i; k++)
        g_assert_cmpstr (list[i]->name, !=, list[k]->name);
    }
  g_assert_nonnull (strstr (manual, "step into"));
}

/* Who clicked is told what is wrong, not how the line is written; what only looks like a usage, in the user's own words, stays. */
static void
test_problem (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autoptr (GError) cancelled = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
  g_autoptr (PhReply) right = ph_console_run (console, "formats", NULL);
  g_autoptr (PhReply) usage = ph_console_run (console, "open x 'a; usage: b'", NULL);
  g_autofree char *none = ph_reply_problem (right, NULL), *stopped = ph_reply_problem (NULL, cancelled);
  g_autofree char *problem = ph_reply_problem (usage, NULL);

  g_assert_null (none);
  g_assert_null (stopped);
  g_assert_error (usage->error, PH_ERROR, PH_ERROR_USAGE);
  g_assert_cmpstr (usage->error->message, ==, "open does not know what to do with 'a; usage: b'" PH_USAGE_FOLLOWS "open FILE");
  g_assert_cmpstr (problem, ==, "open does not know what to do with 'a; usage: b'");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/console/order", test_order);
  g_test_add_func ("/console/cancel", test_cancel);
  g_test_add_func ("/console/endless", test_endless);
  g_test_add_func ("/console/stale", test_stale);
  g_test_add_func ("/console/one-model", test_one_model);
  g_test_add_func ("/console/in-place", test_in_place);
  g_test_add_func ("/console/complete", test_complete);
  g_test_add_func ("/console/complete-bytes", test_complete_bytes);
  g_test_add_func ("/console/help", test_help_covers_all);
  g_test_add_func ("/console/problem", test_problem);
  return g_test_run ();
}
