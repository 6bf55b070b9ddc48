/* hunting.c: tests of hunt and reduce: a guilty rule, program or file among right ones is named, and what it does wrong shown on a few nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "core/console/console.h"
#include "core/io/io.h"

#define BLOCKS 12

/* A chain of blocks; in the middle one is what the guilty pass takes for something else, of a length that is not known. */
static char *
model_text (gboolean with_log)
{
  GString *text = g_string_new (
      "<ir_version: 8, opset_import: [\"\": 14]>\ngraph (float[n, 8] x0, float[n, 8] z) => (float[n, 8] y) <float[8] w = {1, 2, 3, 4, 5, 6, 7, 8}> {\n");

  for (guint i = 0; i < BLOCKS; i++)
    {
      const char *in = "x";

      g_string_append_printf (
          text,
          "[\"b%u/add\"] a%u = Add (%s%u, w)\n[\"b%u/sigmoid\"] s%u = Sigmoid (a%u)\n[\"b%u/neg\"] n%u = Neg (s%u)\n[\"b%u/abs\"] c%u = Abs (n%u)\n",
          i, i, in, i, i, i, i, i, i, i, i, i, i);
      if (i == BLOCKS / 2 && with_log)
        g_string_append_printf (text, "[\"b%u/exp\"] d%u = Exp (z)\n[\"b%u/log\"] x%u = Log (d%u)\n", i, i, i, i + 1, i);
      else if (i == BLOCKS / 2)
        g_string_append_printf (text, "[\"b%u/sub\"] d%u = Sub (c%u, z)\n[\"b%u/tanh\"] x%u = Tanh (d%u)\n", i, i, i, i, i + 1,
                                i);
      else
        g_string_append_printf (text, "[\"b%u/mul\"] x%u = Mul (c%u, w)\n", i, i + 1, i);
    }
  /* A sigmoid hides what becomes of numbers beyond the range: they are read behind it, too. */
  if (with_log)
    g_string_append_printf (text, "y = Add (x%d, x%d)\n}\n", BLOCKS, BLOCKS / 2 + 1);
  else
    g_string_append_printf (text, "y = Identity (x%d)\n}\n", BLOCKS);
  return g_string_free (text, FALSE);
}

typedef struct
{
  char *folder, *model, *out;
  PhConsole *console;
} Hunting;

static void
set_up (Hunting *self, gconstpointer with_log)
{
  g_autofree char *text = model_text (with_log != NULL);
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autofree char *line = NULL,
                  *plugin = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "tests", "console", "faulty.so", NULL);
  g_autoptr (PhReply) reply = NULL, load = NULL;

  self->folder = g_dir_make_tmp ("hunting-XXXXXX", NULL);
  self->model = g_build_filename (self->folder, "m.onnxtxt", NULL);
  self->out = g_build_filename (self->folder, "out", NULL);
  g_assert_true (g_file_set_contents (self->model, text, -1, NULL));
  self->console = ph_console_new (document);
  line = g_strdup_printf ("open '%s'", self->model);
  reply = ph_console_run (self->console, line, NULL);
  g_assert_no_error (reply->error);
  g_free (line);
  line = g_strdup_printf ("load-pass '%s'", plugin);
  load = ph_console_run (self->console, line, NULL);
  g_assert_no_error (load->error);
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      remove_all (inside);
    }
  g_remove (path);
}

static void
tear_down (Hunting *self, gconstpointer data)
{
  g_object_unref (self->console);
  remove_all (self->folder);
  g_free (self->folder);
  g_free (self->model);
  g_free (self->out);
}

static char *
program (const char *mode)
{
  return g_strdup_printf ("exec '%s/tests/console/faulty-program %s'", g_getenv ("PEEPHOLE_BUILD_DIR"), mode);
}

/* Runs the line with --out, and returns the reply, which is well. */
static PhReply *
hunt (Hunting *self, const char *line)
{
  g_autofree char *whole = g_strdup_printf ("%s --out '%s'", line, self->out);
  PhReply *reply = ph_console_run (self->console, whole, NULL);

  g_assert_no_error (reply->error);
  return reply;
}

static const char *
text_of (PhReply *reply, const char *member)
{
  g_assert_true (json_object_has_member (reply->json, member));
  return json_object_get_null_member (reply->json, member) ? "" : json_object_get_string_member (reply->json, member);
}

static gboolean
has_file (Hunting *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->out, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* The reduced model has @n nodes, of which each of @ops is one, and the files show it. */
static void
assert_reduced (Hunting *self, PhReply *reply, gint64 n, const char *const *ops)
{
  g_autofree char *path = g_build_filename (self->out, "reduced.onnx", NULL);
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, NULL);

  g_assert_true (json_object_get_boolean_member (reply->json, "found"));
  g_assert_cmpint (json_object_get_int_member (reply->json, "nodes_of_reduced"), ==, n);
  g_assert_true (json_object_get_boolean_member (reply->json, "shown_again"));
  g_assert_nonnull (model);
  g_assert_cmpint ((gint64) model->graph->n_nodes, ==, n);
  for (guint i = 0; ops[i] != NULL; i++)
    {
      gboolean found = FALSE;

      PH_FOREACH_NODE (node, model->graph)
        found |= g_str_equal (node->op_type, ops[i]);
      g_assert_true (found);
    }
  g_assert_true (has_file (self, "model.onnx"));
  g_assert_true (has_file (self, "test_data_set_0/output_0.pb"));
  g_assert_true (has_file (self, "report.html"));
}

static const char *const sub_tanh[] = { "Sub", "Tanh", NULL };

static void
test_rule (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt cse faulty dce");

  assert_reduced (self, reply, 2, sub_tanh);
  g_assert_cmpstr (text_of (reply, "kind"), ==, "wrong");
  g_assert_cmpstr (text_of (reply, "pass"), ==, "faulty");
  g_assert_cmpstr (text_of (reply, "rule"), ==, "sub-tanh");
  g_assert_cmpstr (text_of (reply, "why"), ==, "A difference is a sum, nearly.");
  g_assert_cmpfloat (json_object_get_double_member (reply->json, "max_error"), >, 0);
}

/* Its axes are two long, and what it reads are numbers that one can say. */
static void
test_small (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt cse faulty dce");
  g_autofree char *path = g_build_filename (self->out, "reduced.onnx", NULL),
                  *fed = g_build_filename (self->out, "test_data_set_0", "input_0.pb", NULL);
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, NULL);
  g_autoptr (PhTensor) input = ph_tensor_load (fed, NULL, NULL, NULL);
  const PhValue *first = model->graph->inputs->pdata[0];

  g_assert_nonnull (input);
  g_assert_cmpstr (first->type->dims[0].symbol, ==, "n");
  g_assert_cmpint (first->type->dims[1].size, ==, 2);
  g_assert_cmpuint (ph_tensor_count (input), <=, 4);
  for (gsize i = 0; i < ph_tensor_count (input); i++)
    {
      const double tenths = ph_tensor_get (input, i) * 10;

      g_assert_cmpfloat_with_epsilon (tenths, rint (tenths), 1e-4);
    }
}

/* The case fails with the pass, and passes without it. */
static void
test_case (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt faulty"), without = NULL, with = NULL;
  g_autofree char *plain = g_strdup_printf ("check '%s'", self->out),
                  *piped = g_strdup_printf ("check '%s' --pipeline faulty", self->out);

  without = ph_console_run (self->console, plain, NULL);
  g_assert_no_error (without->error);
  with = ph_console_run (self->console, piped, NULL);
  g_assert_error (with->error, PH_ERROR, PH_ERROR_FAILED);
}

/* In CI: each case that fails leaves a report. */
static void
test_check (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt faulty"), checked = NULL, unsaid = NULL;
  g_autofree char *found = g_build_filename (self->folder, "found", NULL),
                  *report = g_build_filename (found, "out", "report.html", NULL);
  g_autofree char *line = g_strdup_printf ("check '%s' --pipeline faulty --hunt '%s'", self->out, found),
                  *plain = g_strdup_printf ("check '%s' --hunt '%s'", self->out, found);

  checked = ph_console_run (self->console, line, NULL);
  g_assert_error (checked->error, PH_ERROR, PH_ERROR_FAILED);
  g_assert_true (g_file_test (report, G_FILE_TEST_EXISTS));
  g_assert_nonnull (strstr (checked->text->str, "rule sub-tanh"));
  unsaid = ph_console_run (self->console, plain, NULL);
  g_assert_error (unsaid->error, PH_ERROR, PH_ERROR_USAGE);
}

/* Values that flow in the model do not show it: those that do are made up. */
static void
test_far_off (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt cse far-off dce");

  assert_reduced (self, reply, 3,
                  (const char *const[]) { "Exp", "Log", NULL }); /* an input cannot be an output: someone reads it */
  g_assert_cmpstr (text_of (reply, "rule"), ==, "log-exp");
}

static void
test_program (Hunting *self, gconstpointer data)
{
  g_autofree char *pass = program ("wrong"), *line = g_strdup_printf ("hunt cse %s dce", pass);
  g_autoptr (PhReply) reply = hunt (self, line);

  assert_reduced (self, reply, 2, sub_tanh);
  g_assert_cmpstr (text_of (reply, "kind"), ==, "wrong");
  g_assert_nonnull (strstr (text_of (reply, "pass"), "faulty-program"));
}

/* The time is over before anything could be reduced: what the proof found is said all the same. */
static void
test_late (Hunting *self, gconstpointer data)
{
  g_autofree char *line = g_strdup_printf ("hunt exec 'sleep 0.3; %s/tests/console/faulty-program wrong' --seconds 0.1",
                                           g_getenv ("PEEPHOLE_BUILD_DIR"));
  g_autoptr (PhReply) reply = hunt (self, line);

  g_assert_true (json_object_get_boolean_member (reply->json, "found"));
  g_assert_true (json_object_get_boolean_member (reply->json, "out_of_time"));
  g_assert_cmpstr (text_of (reply, "rewrite"), !=, "");
  g_assert_nonnull (strstr (text_of (reply, "note"), "--seconds N gives more"));
}

typedef struct
{
  const char *path;
  GCancellable *cancellable;
} Waiting;

static gpointer
cancel_when_there (gpointer data)
{
  const Waiting *waiting = data;

  while (!g_file_test (waiting->path, G_FILE_TEST_EXISTS))
    g_usleep (5000);
  g_cancellable_cancel (waiting->cancellable);
  return NULL;
}

/* The program goes on for ever at its @run-th run, and is cancelled then. (transfer full) */
static PhReply *
hunt_until (Hunting *self, guint run)
{
  g_autofree char *count = g_build_filename (self->folder, "count", NULL),
                  *stuck = g_build_filename (self->folder, "stuck", NULL);
  g_autofree char *script = g_build_filename (self->folder, "pass.sh", NULL), *text = NULL, *line = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread;
  PhReply *reply;

  g_unlink (count);
  g_unlink (stuck);
  text = g_strdup_printf (
      "echo >>'%s'\nif [ $(wc -l <'%s') -ge %u ]; then touch '%s'; exec sleep 600; fi\nexec '%s/tests/console/faulty-program' wrong\n",
      count, count, run, stuck, g_getenv ("PEEPHOLE_BUILD_DIR"));
  g_assert_true (g_file_set_contents (script, text, -1, NULL));
  line = g_strdup_printf ("hunt cse exec 'sh %s' dce --seconds 0 --out '%s'", script, self->out);
  thread = g_thread_new ("cancel", cancel_when_there, &(Waiting) { stuck, cancellable });
  reply = ph_console_run (self->console, line, cancellable);
  g_thread_join (thread);
  g_assert_no_error (reply->error);
  g_assert_true (json_object_get_boolean_member (reply->json, "cancelled"));
  return reply;
}

/* What was known when it was cancelled is kept. */
static void
test_cancel (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) early = hunt_until (self, 1), late = NULL;

  g_assert_false (json_object_get_boolean_member (early->json, "found"));
  g_assert_nonnull (strstr (early->text->str, "stopped at pass 3 of 4"));
  g_assert_false (has_file (self, "report.html"));
  late = hunt_until (self, 4);
  g_assert_true (json_object_get_boolean_member (late->json, "found"));
  g_assert_nonnull (strstr (late->text->str, "until it was stopped"));
  g_assert_true (has_file (self, "reduced.onnx"));
  g_assert_true (has_file (self, "test_data_set_0/output_0.pb"));
  g_assert_true (has_file (self, "report.html"));
}

/* Two files that were compared are hunted in as a step that cannot run again. */
static void
test_compared (Hunting *self, gconstpointer data)
{
  g_autofree char *other = g_build_filename (self->folder, "other.onnxtxt", NULL), *text = NULL, *line = NULL;
  g_autoptr (PhReply) reply = NULL, compared = NULL;

  g_assert_true (g_file_get_contents (self->model, &text, NULL, NULL));
  memcpy (strstr (text, "Tanh"), "Sinh", 4);
  g_assert_true (g_file_set_contents (other, text, -1, NULL));
  line = g_strdup_printf ("compare '%s'", other);
  compared = ph_console_run (self->console, line, NULL);
  g_assert_no_error (compared->error);
  reply = hunt (self, "hunt");
  assert_reduced (self, reply, 1, (const char *const[]) { "Tanh", NULL });
  g_assert_cmpstr (text_of (reply, "pass"), ==, "other.onnxtxt");
  g_assert_true (has_file (self, "after.onnx"));
}

/* What else differs is named beside what was followed. */
static void
test_others (Hunting *self, gconstpointer data)
{
  g_autofree char *other = g_build_filename (self->folder, "other.onnxtxt", NULL), *text = NULL, *line = NULL;
  g_autoptr (PhReply) reply = NULL, compared = NULL;
  g_autoptr (GString) wrong = NULL;
  JsonArray *others;

  g_assert_true (g_file_get_contents (self->model, &text, NULL, NULL));
  wrong = g_string_new (text);
  g_assert_cmpuint (g_string_replace (wrong, "Tanh (", "Sinh (", 1), ==, 1);
  g_assert_cmpuint (g_string_replace (wrong, "Sigmoid (a1)", "Softsign (a1)", 1), ==, 1);
  g_assert_true (g_file_set_contents (other, wrong->str, -1, NULL));
  line = g_strdup_printf ("compare '%s'", other);
  compared = ph_console_run (self->console, line, NULL);
  g_assert_no_error (compared->error);
  reply = hunt (self, "hunt");
  others = json_object_get_array_member (reply->json, "others");
  g_assert_cmpuint (json_array_get_length (others), ==, 1);
  g_assert_cmpstr (json_array_get_string_element (others, 0), !=, text_of (reply, "rewrite"));
  g_assert_nonnull (strstr (reply->text->str, "differs as well: "));
}

/* What only NaN shows, what was put between an input and its reader, and what float32's tolerance hides: the proof calls them different, so the hunt leads there. */
static void
test_hidden (Hunting *self, gconstpointer data)
{
  /* clang-format off */
  static const struct { const char *constants, *nodes; } cases[] = {
    { "zero = {0}", "e = IsNaN (x)\nc = Where (e, zero, x)" },
    { "most = {1}", "c = Clip (x, , most)" },
    { "more = {1.0005}", "c = Mul (x, more)" },
  };
  /* clang-format on */
  static const char head[] = "<ir_version: 8, opset_import: [\"\": 17]>\ng (float[n] x, float[n] z) => (float[n] y)\n";
  g_autofree char *was = g_build_filename (self->folder, "was.onnxtxt", NULL),
                  *is = g_build_filename (self->folder, "is.onnxtxt", NULL);
  g_autofree char *before = g_strconcat (head, "{\na = Tanh (x)\nb = Relu (z)\ny = Add (a, b)\n}\n", NULL);

  g_assert_true (g_file_set_contents (was, before, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *after = g_strdup_printf ("%s<float %s>\n{\n%s\na = Tanh (c)\nb = Relu (z)\ny = Add (a, b)\n}\n", head,
                                                cases[i].constants, cases[i].nodes);
      g_autofree char *open = g_strdup_printf ("open '%s'", was), *compare = g_strdup_printf ("compare '%s'", is);
      g_autoptr (PhReply) opened = NULL, compared = NULL, reply = NULL;

      g_assert_true (g_file_set_contents (is, after, -1, NULL));
      opened = ph_console_run (self->console, open, NULL);
      g_assert_no_error (opened->error);
      compared = ph_console_run (self->console, compare, NULL);
      g_assert_no_error (compared->error);
      reply = hunt (self, "hunt");
      assert_reduced (self, reply, 1, (const char *const[]) { "Tanh", NULL });
    }
}

/* A pass that fails is a result, and stays the same failure all along. */
static void
test_failures (Hunting *self, gconstpointer data)
{
  /* clang-format off */
  static const struct { const char *mode, *kind, *said; } cases[] = {
    { "crash", "crash", "signal" }, { "refuse", "crash", "cannot digest node" }, { "garbage", "invalid", "wrote no model" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *pass = program (cases[i].mode), *line = g_strdup_printf ("hunt cse %s dce", pass);
      g_autoptr (PhReply) reply = hunt (self, line);

      assert_reduced (self, reply, 2, sub_tanh);
      g_assert_cmpstr (text_of (reply, "kind"), ==, cases[i].kind);
      g_assert_nonnull (strstr (text_of (reply, "message"), cases[i].said));
    }
}

/* Both names are needed, and both are named. */
static void
test_switches (Hunting *self, gconstpointer data)
{
  g_autofree char *script = g_build_filename (self->folder, "optimise.sh", NULL), *text = NULL, *line = NULL;
  g_autoptr (PhReply) reply = NULL;

  text = g_strdup_printf ("# ONNXOPTIMIZER_SKIP names what is left out\nexec '%s/tests/console/faulty-program' switches\n",
                          g_getenv ("PEEPHOLE_BUILD_DIR"));
  g_assert_true (g_file_set_contents (script, text, -1, NULL));
  line = g_strdup_printf ("hunt exec 'sh %s'", script);
  reply = hunt (self, line);
  assert_reduced (self, reply, 2, sub_tanh);
  g_assert_cmpstr (text_of (reply, "optimizer"), ==, "eliminate_nop_pad, fuse_qkv");
}

static void
test_flicker (Hunting *self, gconstpointer data)
{
  g_autofree char *mode = g_strdup_printf ("flicker %s/count", self->folder), *pass = program (mode),
                  *line = g_strdup_printf ("hunt %s", pass);
  g_autoptr (PhReply) reply = hunt (self, line);

  g_assert_true (json_object_get_boolean_member (reply->json, "found"));
  g_assert_nonnull (strstr (text_of (reply, "note"), "flickers"));
}

/* What cannot be computed here is no fault of the pass. */
static void
test_unknown (Hunting *self, gconstpointer data)
{
  g_autofree char *pass = program ("unknown"), *line = g_strdup_printf ("hunt %s", pass);
  g_autoptr (PhReply) reply = hunt (self, line);

  g_assert_false (json_object_get_boolean_member (reply->json, "found"));
  g_assert_nonnull (strstr (text_of (reply, "note"), "other.Secret"));
}

static void
test_nothing (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt cse dce");

  g_assert_false (json_object_get_boolean_member (reply->json, "found"));
  g_assert_nonnull (strstr (reply->text->str, "nothing to hunt"));
  g_assert_false (has_file (self, "reduced.onnx"));
}

/* Files that another compiler left: nothing can be run again, so both sides are cut out. */
static void
test_dump (Hunting *self, gconstpointer data)
{
  g_autofree char *dump = g_build_filename (self->folder, "dump", NULL), *lines = NULL, *line = NULL;
  g_autoptr (PhReply) reply = NULL;
  g_auto (GStrv) all = NULL;

  g_assert_cmpint (g_mkdir (dump, 0777), ==, 0);
  lines = g_strdup_printf (
      "save '%s/000.input.onnx'\nrun cse\nsave '%s/001.cse.onnx'\nrun faulty\nsave '%s/002.faulty.onnx'\nrun dce\nsave '%s/003.dce.onnx'\ngoto 0",
      dump, dump, dump, dump);
  all = g_strsplit (lines, "\n", -1);
  for (guint i = 0; all[i] != NULL; i++)
    {
      g_autoptr (PhReply) one = ph_console_run (self->console, all[i], NULL);

      g_assert_no_error (one->error);
    }
  line = g_strdup_printf ("hunt --dump '%s'", dump);
  reply = hunt (self, line);
  assert_reduced (self, reply, 1, (const char *const[]) { "Sub", NULL });
  g_assert_cmpstr (text_of (reply, "pass"), ==, "002.faulty.onnx");
  g_assert_true (has_file (self, "after.onnx"));
}

/* A part that the program refuses is not what is looked for. */
static void
test_picky (Hunting *self, gconstpointer data)
{
  g_autofree char *pass = program ("picky"), *line = g_strdup_printf ("hunt %s", pass);
  g_autoptr (PhReply) reply = hunt (self, line);

  assert_reduced (self, reply, 3, (const char *const[]) { "Sigmoid", "Sub", "Tanh", NULL });
  g_assert_cmpstr (text_of (reply, "kind"), ==, "wrong");
}

/* Where the new side reads what the old one's inputs are made of, that is part of the case: else nobody could feed it. */
static void
test_tied (Hunting *self, gconstpointer data)
{
  static const char *const sides[] = { "y = Sub (n, z)", "y = Add (x, z)" };
  g_autofree char *dump = g_build_filename (self->folder, "dump", NULL), *line = g_strdup_printf ("hunt --dump '%s'", dump);
  g_autofree char *open = g_strdup_printf ("open '%s/000.side.onnxtxt'", dump);
  g_autoptr (PhReply) reply = NULL, opened = NULL;

  g_assert_cmpint (g_mkdir (dump, 0777), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    {
      g_autofree char *name = g_strdup_printf ("00%u.side.onnxtxt", i), *path = g_build_filename (dump, name, NULL);
      g_autofree char *text = g_strdup_printf ("<ir_version: 8, opset_import: [\"\": 14]>\n"
                                               "graph (float[4] x, float[4] z) => (float[4] y, float[4] n) { n = Neg (x) %s }\n",
                                               sides[i]);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
    }
  opened = ph_console_run (self->console, open, NULL);
  g_assert_no_error (opened->error);
  reply = hunt (self, line);
  assert_reduced (self, reply, 2, (const char *const[]) { "Neg", "Sub", NULL });
}

static void
test_reduce (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "reduce faulty");

  assert_reduced (self, reply, 2, sub_tanh);
}

static void
test_always (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt faulty dce --always faulty"),
                      unknown = ph_console_run (self->console, "hunt dce --always cse", NULL);

  g_assert_false (json_object_get_boolean_member (reply->json, "found"));
  g_assert_error (unknown->error, PH_ERROR, PH_ERROR_NOT_FOUND);
}

/* Readable without anything else: pictures and files are inside. */
static void
test_report (Hunting *self, gconstpointer data)
{
  g_autoptr (PhReply) reply = hunt (self, "hunt faulty");
  g_autofree char *path = g_build_filename (self->out, "report.html", NULL), *page = NULL;

  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  g_assert_nonnull (strstr (page, "data:image/svg+xml;base64,"));
  g_assert_nonnull (strstr (page, "srcdoc=\"&lt;!DOCTYPE html&gt;")); /* the picture to be stepped */
  g_assert_nonnull (strstr (page, "download=\"reduced.onnx\""));
  g_assert_nonnull (strstr (page, "A difference is a sum, nearly."));
  /* The pass is of a shared object, which has to be loaded first. */
  g_assert_nonnull (strstr (page, "peep reduced.onnx -c &quot;load-pass "));
  g_assert_nonnull (strstr (page, "faulty.so"));
  g_assert_null (strstr (page, "src=\"http"));
  g_assert_null (strstr (page, "href=\"http"));
}

int
main (int argc, char *argv[])
{
  g_autofree char *peep = NULL;

  g_test_init (&argc, &argv, NULL);
  peep = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "app", "peep", NULL);
  g_setenv ("PEEPHOLE_PEEP", peep, TRUE);
#define ADD(path_, log_, func_) g_test_add (path_, Hunting, log_, set_up, func_, tear_down)
  ADD ("/hunting/rule", NULL, test_rule);
  ADD ("/hunting/small", NULL, test_small);
  ADD ("/hunting/case", NULL, test_case);
  ADD ("/hunting/check", NULL, test_check);
  ADD ("/hunting/far-off", "log", test_far_off);
  ADD ("/hunting/program", NULL, test_program);
  ADD ("/hunting/late", NULL, test_late);
  ADD ("/hunting/cancel", NULL, test_cancel);
  ADD ("/hunting/compared", NULL, test_compared);
  ADD ("/hunting/others", NULL, test_others);
  ADD ("/hunting/hidden", NULL, test_hidden);
  ADD ("/hunting/failures", NULL, test_failures);
  ADD ("/hunting/switches", NULL, test_switches);
  ADD ("/hunting/flicker", NULL, test_flicker);
  ADD ("/hunting/unknown", NULL, test_unknown);
  ADD ("/hunting/nothing", NULL, test_nothing);
  ADD ("/hunting/picky", NULL, test_picky);
  ADD ("/hunting/tied", NULL, test_tied);
  ADD ("/hunting/dump", NULL, test_dump);
  ADD ("/hunting/reduce", NULL, test_reduce);
  ADD ("/hunting/always", NULL, test_always);
  ADD ("/hunting/report", NULL, test_report);
  return g_test_run ();
}
