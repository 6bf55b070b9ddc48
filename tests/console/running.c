/* running.c: tests of models that a program computes: whether the pass, the program's kernel, or both are wrong, and what becomes of programs that hang,
 * flicker or write too much.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "core/console/console.h"

static const char model[] = "<ir_version: 8, opset_import: [\"\": 18]>\n"
                            "graph (float[2, 4] x, float[2, 4] z) => (float[2, 4] y) <float[1] zero = {0}>\n"
                            "{ a = Sigmoid (x) b = Neg (a) c = Add (b, z) d = Tanh (c) y = Abs (d) }\n";

typedef struct
{
  char *folder, *path, *other;
  PhConsole *console;
} Running;

static char *
in_folder (Running *self, const char *name)
{
  return g_build_filename (self->folder, name, NULL);
}

static void
set_up (Running *self, gconstpointer data)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhReply) reply = NULL;
  g_autofree char *line = NULL;

  self->folder = g_dir_make_tmp ("running-XXXXXX", NULL);
  self->path = in_folder (self, "m.onnxtxt");
  self->other = in_folder (self, "other.onnxtxt");
  g_assert_true (g_file_set_contents (self->path, model, -1, NULL));
  self->console = ph_console_new (document);
  line = g_strdup_printf ("open '%s'", self->path);
  reply = ph_console_run (self->console, line, NULL);
  g_assert_no_error (reply->error);
}

static void
tear_down (Running *self, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = in_folder (self, name);

      g_unlink (path);
    }
  g_rmdir (self->folder);
  g_object_unref (self->console);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->other);
}

/* Compares with the model that has @is in the place of @was. */
static void
change (Running *self, const char *was, const char *is)
{
  g_auto (GStrv) parts = g_strsplit (model, was, 2);
  g_autofree char *text = g_strjoinv (is, parts), *line = g_strdup_printf ("compare '%s'", self->other);
  g_autoptr (PhReply) reply = NULL;

  g_assert_true (g_file_set_contents (self->other, text, -1, NULL));
  reply = ph_console_run (self->console, line, NULL);
  g_assert_no_error (reply->error);
}

static PhReply *
run (Running *self, const char *command, const char *mode)
{
  g_autofree char *line = g_strdup_printf ("%s --runner '%s/tests/console/faulty-runner %s'", command,
                                           g_getenv ("PEEPHOLE_BUILD_DIR"), mode);

  return ph_console_run (self->console, line, NULL);
}

static void
assert_verdict (Running *self, const char *mode, const char *verdict, const char *said)
{
  g_autoptr (PhReply) reply = run (self, "verify", mode);

  g_assert_no_error (reply->error);
  g_assert_cmpstr (json_object_get_string_member (reply->json, "verdict"), ==, verdict);
  g_assert_nonnull (strstr (reply->text->str, said));
}

static void
test_equal (Running *self, gconstpointer data)
{
  change (self, "Neg (a)", "Sub (zero, a)");
  assert_verdict (self, "right", "agrees", "all agree");
  assert_verdict (self, "kernel Tanh", "kernel", "its kernels are wrong, not the pass");
  assert_verdict (self, "kernel Sub", "kernel", "on what the pass made");
  assert_verdict (self, "kernel Neg", "kernel", "on the model before the pass");
}

static void
test_wrong_pass (Running *self, gconstpointer data)
{
  change (self, "Neg (a)", "Sin (a)");
  assert_verdict (self, "right", "pass", "the pass is wrong");
  assert_verdict (self, "kernel Tanh", "both", "and so is the program");
}

static void
test_flicker (Running *self, gconstpointer data)
{
  g_autofree char *count = in_folder (self, "count"), *mode = g_strdup_printf ("flicker %s", count);

  change (self, "Neg (a)", "Sub (zero, a)");
  assert_verdict (self, mode, "flickers", "something else the second time");
}

/* Small programs of the shell that compute nothing. */
static void
test_failures (Running *self, gconstpointer data)
{
  /* clang-format off */
  static const struct { const char *text, *said; } cases[] = {
    { "exit 0", "wrote no output_0.pb, which is for 'y'" }, { "echo no kernel >&2; exit 2", "no kernel" },
    { "kill -SEGV $$", "killed by signal 11" }, { "exec sleep 1000", "took more than 1 seconds" },
    { "exec head -c 1000000000 /dev/zero", "wrote more than a model of this size can need" },
    { "exec head -c 1000000000 /dev/zero >\"$1/output_0.pb\"", "wrote more than a model of this size can need" },
    { "echo nonsense >\"$1/output_0.pb\"", "output_0.pb: " },
  };
  /* clang-format on */
  g_autofree char *script = in_folder (self, "run.sh"), *line = g_strdup_printf ("verify --runner 'sh %s'", script);

  change (self, "Neg (a)", "Sub (zero, a)");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PhReply) reply = NULL;

      g_assert_true (g_file_set_contents (script, cases[i].text, -1, NULL));
      if (strstr (cases[i].text, "sleep"))
        g_setenv ("PEEPHOLE_PASS_SECONDS", "1", TRUE);
      reply = ph_console_run (self->console, line, NULL);
      g_unsetenv ("PEEPHOLE_PASS_SECONDS");
      g_assert_false (reply->ok);
      if (strstr (reply->error->message, cases[i].said) == NULL)
        g_error ("%s: %s", cases[i].text, reply->error->message);
    }
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

static void
test_cancel (Running *self, gconstpointer data)
{
  g_autofree char *there = in_folder (self, "there"), *script = in_folder (self, "run.sh"),
                  *text = g_strdup_printf ("touch '%s'; exec sleep 1000", there);
  g_autofree char *line = g_strdup_printf ("along --runner 'sh %s'", script);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PhReply) reply = NULL;
  GThread *thread;

  g_assert_true (g_file_set_contents (script, text, -1, NULL));
  thread = g_thread_new ("cancel", cancel_when_there, &(Waiting) { there, cancellable });
  reply = ph_console_run (self->console, line, cancellable);
  g_thread_join (thread);
  g_assert_false (reply->ok);
}

/* The border where it happens. */
static void
test_along (Running *self, gconstpointer data)
{
  g_autoptr (PhReply) right = run (self, "along", "right"), wrong = run (self, "along", "kernel Add"),
                      usage = run (self, "along 0 0", "right");

  g_assert_no_error (right->error);
  g_assert_cmpint (json_object_get_int_member (right->json, "different"), ==, 0);
  g_assert_cmpint (json_object_get_int_member (right->json, "common"), ==, 5);
  g_assert_no_error (wrong->error);
  g_assert_cmpstr (json_object_get_string_member (wrong->json, "first"), ==, "c");
  g_assert_error (usage->error, PH_ERROR, PH_ERROR_USAGE);
}

/* A right pass makes what the program computes wrongly; a wrong one is wrong there, too. */
static void
test_hunt (Running *self, gconstpointer data)
{
  g_autofree char *program = g_strdup_printf ("%s/tests/console/faulty-program", g_getenv ("PEEPHOLE_BUILD_DIR"));
  g_autofree char *line = g_strdup_printf ("hunt exec '%s spell'", program);
  g_autoptr (PhReply) kernel = run (self, line, "kernel Identity"), nothing = run (self, line, "right");

  g_assert_no_error (kernel->error);
  g_assert_true (json_object_get_boolean_member (kernel->json, "found"));
  g_assert_nonnull (strstr (json_object_get_string_member (kernel->json, "note"), "on what the pass made"));
  g_assert_cmpint (json_object_get_int_member (kernel->json, "nodes_of_reduced"), <=, 2);
  g_assert_no_error (nothing->error);
  g_assert_false (json_object_get_boolean_member (nothing->json, "found"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path_, func_) g_test_add (path_, Running, NULL, set_up, func_, tear_down)
  ADD ("/running/equal", test_equal);
  ADD ("/running/wrong-pass", test_wrong_pass);
  ADD ("/running/flicker", test_flicker);
  ADD ("/running/failures", test_failures);
  ADD ("/running/cancel", test_cancel);
  ADD ("/running/along", test_along);
  ADD ("/running/hunt", test_hunt);
  return g_test_run ();
}
