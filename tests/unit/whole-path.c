/* whole-path.c: one model with calls in calls, control edges and places in a program, all the way: opened, drawn, entered, stepped,
 * inlined, computed, saved, opened again. It is the same at every turn; a function that calls itself is shown and refused.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gstdio.h>

#include "core/graph/history.h"
#include "core/io/io.h"
#include "session.h"

static const char *const nested
    = "<ir_version: 10, opset_import: [\"\" : 23, \"l\" : 1]>\n"
      "g (float[4] x) => (float[4] y) {\n"
      "  first = l.outer <peephole_where = [\"net.py:7:3\", \"main.py:40\"]> (x)\n"
      "  noise = Exp (x)\n"
      "  then = Relu <peephole_after = [\"noise\"], peephole_where = [\"net.py:9\"]> (first)\n"
      "  second = l.inner (then)\n"
      "  again = Neg (second)\n"
      "  y = Add (again, noise)\n"
      "}\n"
      "<domain: \"l\", opset_import: [\"\" : 23, \"l\" : 1]>\n"
      "outer (a) => (b) {\n"
      "  t = l.inner <peephole_where = [\"layer.py:3\"]> (a)\n"
      "  b = Mul (t, a)\n"
      "}\n"
      "<domain: \"l\", opset_import: [\"\" : 23]>\n"
      "inner (a) => (b) { s = Tanh <peephole_where = [\"layer.py:12\"]> (a) z = Neg (s) b = Neg <peephole_after = [\"z\"]> (s) }\n";

static const char *const recursive = "<ir_version: 10, opset_import: [\"\" : 23, \"l\" : 1]>\n"
                                     "g (float[2] x) => (float[2] y) { y = l.f (x) }\n"
                                     "<domain: \"l\", opset_import: [\"\" : 23, \"l\" : 1]>\n"
                                     "f (a) => (b) { t = Neg (a) b = l.f (t) }\n";

/* All of the model, as text. (transfer full) */
static char *
text_of (Session *session)
{
  return ph_onnx_text_print (ph_document_get_model (session->document), G_MAXSIZE);
}

static void
assert_says (Session *session, const char *line, const char *what)
{
  g_autofree char *answer = ask (session, TRUE, "%s", line);

  if (strstr (answer, what) == NULL)
    g_error ("%s: '%s' is not in: %s", line, what, answer);
}

/* The picture of what is shown has @name in it. */
static void
assert_drawn (Session *session, const char *name)
{
  g_autofree char *path = in_folder ("shown.dot"), *dot = NULL;

  TELL (session, "render '%s'", path);
  g_assert_true (g_file_get_contents (path, &dot, NULL, NULL));
  g_unlink (path);
  if (strstr (dot, name) == NULL)
    g_error ("'%s' is not in the picture", name);
}

/* (transfer full) */
static char *
value_of (Session *session)
{
  TELL (session, "feed x [0.5, -1, 2, 0]");
  return ask (session, TRUE, "eval y");
}

/* Saved under @name and opened again it is the same. */
static void
assert_kept (Session *session, const char *name)
{
  g_autofree char *path = in_folder (name), *before = text_of (session), *after = NULL;
  g_auto (Session) other = { NULL };

  TELL (session, "save '%s'", path);
  session_init (&other);
  TELL (&other, "open '%s'", path);
  g_unlink (path);
  after = text_of (&other);
  g_assert_cmpstr (after, ==, before);
}

static guint
count_nodes (Session *session, const char *op)
{
  guint n = 0;

  PH_FOREACH_NODE (node, ph_document_get_model (session->document)->graph)
    n += g_str_equal (node->op_type, op);
  return n;
}

static void
test_nested (void)
{
  g_auto (Session) session = { NULL };
  g_autofree char *read = NULL, *back = NULL, *inlined = NULL, *forward = NULL, *value = NULL, *same = NULL;

  session_init (&session);
  open_text (&session, nested);
  read = text_of (&session);
  g_assert_nonnull (strstr (read, "peephole_after = [\"noise\"]"));
  assert_says (&session, "functions", "inner");
  assert_says (&session, "why first", "net.py:7:3");
  assert_drawn (&session, "outer");
  TELL (&session, "enter first");
  assert_drawn (&session, "Mul");
  TELL (&session, "leave");
  assert_kept (&session, "called.onnx");
  assert_kept (&session, "called.onnxtxt");
  value = value_of (&session);

  TELL (&session, "pipeline inline-functions,dce");
  TELL (&session, "step into");
  TELL (&session, "run");
  g_assert_cmpuint (count_nodes (&session, "Tanh"), ==, 2);
  g_assert_cmpuint (count_nodes (&session, "inner") + count_nodes (&session, "outer"), ==, 0);
  inlined = text_of (&session);
  /* From the function's own line, called from that of its call, called from that of the call around it. */
  g_assert_nonnull (strstr (inlined, "peephole_where = [\"layer.py:12\", \"layer.py:3\", \"net.py:7:3\", \"main.py:40\"]"));
  g_assert_nonnull (strstr (inlined, "peephole_after = [\"noise\"]"));
  same = value_of (&session);
  g_assert_cmpstr (same, ==, value);
  TELL (&session, "verify");
  assert_drawn (&session, "Tanh");
  assert_kept (&session, "inlined.onnx");
  assert_kept (&session, "inlined.onnxtxt");

  TELL (&session, "goto 0");
  back = text_of (&session);
  g_assert_cmpstr (back, ==, read);
  TELL (&session, "goto end");
  forward = text_of (&session);
  g_assert_cmpstr (forward, ==, inlined);
}

static void
test_recursive (void)
{
  g_auto (Session) session = { NULL };
  g_autofree char *read = NULL, *after = NULL, *answer = NULL;

  session_init (&session);
  open_text (&session, recursive);
  read = text_of (&session);
  assert_drawn (&session, "f");
  TELL (&session, "enter y");
  assert_drawn (&session, "Neg");
  TELL (&session, "leave");
  TELL (&session, "feed x [1, 2]");
  answer = ask (&session, FALSE, "eval y");
  g_assert_nonnull (strstr (answer, "calls itself"));
  TELL (&session, "run inline-functions");
  g_assert_cmpuint (count_nodes (&session, "f"), ==, 1);
  assert_kept (&session, "recursive.onnx");
  assert_kept (&session, "recursive.onnxtxt");
  TELL (&session, "goto 0");
  after = text_of (&session);
  g_assert_cmpstr (after, ==, read);
}

int
main (int argc, char *argv[])
{
  session_test_init (&argc, &argv);
  g_test_add_func ("/whole-path/nested", test_nested);
  g_test_add_func ("/whole-path/recursive", test_recursive);
  return session_test_run ();
}
