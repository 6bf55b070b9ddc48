/* doubts.c: tests of what a hunt must not accuse: rounding that overflows elsewhere, and what it says of it instead; the clock that ends a proof.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "core/console/console.h"
#include "core/prove/hunt/deadline.h"

static const char before[] = "<ir_version: 8, opset_import: [\"\" : 18]>\n"
                             "scale (float[4] x) => (float[4] y) <float two = {2}, float half = {0.5}> {\n"
                             "  a = Mul (x, two)\n  b = Mul (a, half)\n  y = Tanh (b)\n}\n";
/* What another compiler folded: not to the last digit, and without what overflows between. */
static const char after[] = "<ir_version: 8, opset_import: [\"\" : 18]>\n"
                            "scale (float[4] x) => (float[4] y) <float one = {%s}> {\n  b = Mul (x, one)\n  y = Tanh (b)\n}\n";

static PhReply *
run (PhConsole *console, const char *format, ...)
{
  g_autofree char *line = NULL;
  PhReply *reply;
  va_list args;

  va_start (args, format);
  line = g_strdup_vprintf (format, args);
  va_end (args);
  reply = ph_console_run (console, line, NULL);
  g_assert_no_error (reply->error);
  return reply;
}

static PhReply *
hunt_texts (const char *was_text, const char *is_text)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *folder = g_dir_make_tmp ("doubts-XXXXXX", NULL), *was = g_build_filename (folder, "was.onnxtxt", NULL),
                  *is = g_build_filename (folder, "is.onnxtxt", NULL);
  g_autoptr (PhReply) opened = NULL, compared = NULL;
  PhReply *reply;

  g_assert_true (g_file_set_contents (was, was_text, -1, NULL) && g_file_set_contents (is, is_text, -1, NULL));
  opened = run (console, "open '%s'", was);
  compared = run (console, "compare '%s'", is);
  reply = run (console, "hunt");
  g_remove (was);
  g_remove (is);
  g_rmdir (folder);
  return reply;
}

static PhReply *
hunt (const char *factor)
{
  g_autofree char *text = g_strdup_printf (after, factor);

  return hunt_texts (before, text);
}

/* At 3e38 one side is infinite and the other is not; where numbers are ordinary they agree but for the last digits. */
static void
test_rounding (void)
{
  g_autoptr (PhReply) reply = hunt ("1.000002");

  g_assert_false (json_object_get_boolean_member (reply->json, "found"));
  g_assert_nonnull (json_object_get_string_member (reply->json, "note"));
}

static void
test_wrong (void)
{
  g_autoptr (PhReply) reply = hunt ("1.01");

  g_assert_true (json_object_get_boolean_member (reply->json, "found"));
  g_assert_cmpfloat (json_object_get_double_member (reply->json, "max_error"), >, 0);
}

/* Two elements hold few of the numbers that decide something: they come one after the other, until the bound shows. */
static void
test_bound (void)
{
  static const char *const bounds[] = { "-80", "1000", "-1000000" };

  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      static const char head[]
          = "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[2] x) => (float[2] y) <float m = {%s}> {\n%s}\n";
      g_autofree char *was = g_strdup_printf (head, bounds[i], "  y = Neg (x)\n"),
                      *is = g_strdup_printf (head, bounds[i],
                                             *bounds[i] == '-' ? "  c = Max (x, m)\n  y = Neg (c)\n"
                                                               : "  c = Min (x, m)\n  y = Neg (c)\n");
      g_autoptr (PhReply) reply = hunt_texts (was, is);

      g_assert_true (json_object_get_boolean_member (reply->json, "found"));
      g_assert_cmpint (json_object_get_int_member (reply->json, "nodes_of_reduced"), ==, 1);
    }
}

/* A rule that is refused, or crashes, is named, though it left no rewrite. */
static void
test_refused (gconstpointer data)
{
  const char *const *names = data;
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *folder = g_dir_make_tmp ("doubts-XXXXXX", NULL), *file = g_build_filename (folder, "m.onnxtxt", NULL);
  g_autoptr (PhReply) opened = NULL, loaded = NULL, reply = NULL;

  g_assert_true (g_file_set_contents (file, before, -1, NULL));
  opened = run (console, "open '%s'", file);
  loaded = run (console, "load-pass '%s/tests/console/faulty.so'", g_getenv ("PEEPHOLE_BUILD_DIR"));
  reply = run (console, "hunt %s", names[0]);
  g_assert_true (json_object_get_boolean_member (reply->json, "found"));
  g_assert_cmpstr (json_object_get_string_member (reply->json, "kind"), ==, "crash");
  g_assert_cmpstr (json_object_get_string_member (reply->json, "rule"), ==, names[1]);
  g_remove (file);
  g_rmdir (folder);
}

/* What a program did to a function shows in none of the model's results, and where the function is called alone. */
static void
test_function (void)
{
  static const char calling[] = "<ir_version: 8, opset_import: [\"\" : 18, \"own\" : 1]>\n"
                                "g (float[4] x) => (float[4] y) <float tiny = {0.000001}> {\n"
                                "  f = own.act (x)\n  z = Mul (f, tiny)\n  y = Add (x, z)\n}\n"
                                "<domain: \"own\", opset_import: [\"\" : 18]>\nact (a) => (b) {\n  b = Tanh (a)\n}\n";
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *folder = g_dir_make_tmp ("doubts-XXXXXX", NULL), *file = g_build_filename (folder, "m.onnxtxt", NULL);
  g_autoptr (PhReply) opened = NULL, reply = NULL;

  g_assert_true (g_file_set_contents (file, calling, -1, NULL));
  opened = run (console, "open '%s'", file);
  reply = run (console, "hunt exec 'LC_ALL=C sed s/Tanh/Sinh/'");
  g_assert_true (json_object_get_boolean_member (reply->json, "found"));
  g_assert_cmpstr (json_object_get_string_member (reply->json, "kind"), ==, "wrong");
  g_assert_cmpint (json_object_get_int_member (reply->json, "nodes_of_reduced"), ==, 1);
  g_remove (file);
  g_rmdir (folder);
}

/* What was right the first time runs again. */
static void
test_right_first (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *folder = g_dir_make_tmp ("doubts-XXXXXX", NULL), *file = g_build_filename (folder, "m.onnxtxt", NULL),
                  *count = g_build_filename (folder, "count", NULL);
  g_autoptr (PhReply) opened = NULL, reply = NULL;

  g_assert_true (g_file_set_contents (file, before, -1, NULL));
  opened = run (console, "open '%s'", file);
  reply = run (console, "hunt exec 'echo >> %s; if [ $(wc -l < %s) -gt 2 ]; then LC_ALL=C sed s/Tanh/Sinh/; else cat; fi'", count,
               count);
  g_assert_true (json_object_get_boolean_member (reply->json, "found"));
  g_assert_nonnull (strstr (json_object_get_string_member (reply->json, "note"), "right 2 times before it was wrong"));
  g_remove (file);
  g_remove (count);
  g_rmdir (folder);
}

/* A program stands among the passes of a check, as it does in a hunt. */
static void
test_check (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *folder = g_dir_make_tmp ("doubts-XXXXXX", NULL), *file = g_build_filename (folder, "m.onnxtxt", NULL),
                  *out = g_build_filename (folder, "out", NULL), *line = NULL, *remove = g_strconcat ("rm -r ", folder, NULL);
  g_autoptr (PhReply) opened = NULL, hunted = NULL, passed = NULL, failed = NULL;

  g_assert_true (g_file_set_contents (file, before, -1, NULL));
  opened = run (console, "open '%s'", file);
  hunted = run (console, "hunt exec 'LC_ALL=C sed s/Tanh/Sinh/' --out '%s'", out);
  passed = run (console, "check '%s' --pipeline \"cse,exec 'LC_ALL=C sed s/Tanh,/Sinh/',dce\"", out);
  line = g_strdup_printf ("check '%s' --pipeline \"cse,exec 'LC_ALL=C sed s/Tanh/Sinh/'\"", out);
  failed = ph_console_run (console, line, NULL);
  g_assert_error (failed->error, PH_ERROR, PH_ERROR_FAILED);
  g_assert_true (g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL));
}

static void
test_clock (void)
{
  g_autoptr (GCancellable) outer = g_cancellable_new ();
  g_autoptr (PhDeadline) past = ph_deadline_new (outer, 1), none = ph_deadline_new (outer, 0), far = NULL;

  while (!g_cancellable_is_cancelled (ph_deadline_get_cancellable (past)))
    g_usleep (1000);
  g_assert_false (g_cancellable_is_cancelled (ph_deadline_get_cancellable (none)));
  far = ph_deadline_new (NULL, G_MAXINT64);
  g_assert_false (g_cancellable_is_cancelled (ph_deadline_get_cancellable (far)));
  g_cancellable_cancel (outer);
  g_assert_true (g_cancellable_is_cancelled (ph_deadline_get_cancellable (none)));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/doubts/rounding", test_rounding);
  g_test_add_func ("/doubts/wrong", test_wrong);
  g_test_add_func ("/doubts/bound", test_bound);
  g_test_add_data_func ("/doubts/refused", (const char *[]) { "retyping", "product-is-equal" }, test_refused);
  g_test_add_data_func ("/doubts/crashes", (const char *[]) { "dying", "tanh-dies" }, test_refused);
  g_test_add_func ("/doubts/function", test_function);
  g_test_add_func ("/doubts/right-first", test_right_first);
  g_test_add_func ("/doubts/check", test_check);
  g_test_add_func ("/doubts/clock", test_clock);
  return g_test_run ();
}
