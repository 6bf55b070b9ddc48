/* hostile.c: tests of models that no schema allows, through lines of the console: odd nodes, odd numbers, odd names.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/escape.h"

/* A filter as wide as a scale that is next to nothing asks for is none that can be counted: the sanitizers see it. */
static void
test_tiny_scale (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *answer = NULL;

  session_init (&session);
  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[1,1,4,4] x, float[4] s) => (float[A,B,C,D] y) {\n"
                       " e = Constant <value = float[0] {}> ()\n y = Resize <antialias = 1, mode = \"linear\"> (x, e, s) }\n");
  TELL (&session, "feed x random 1");
  TELL (&session, "feed s [1, 1, 1e-30, 1]");
  answer = ask (&session, FALSE, "eval");
  g_assert_nonnull (strstr (answer, "Resize"));
}

/* Passes go over what no schema allows: branches that take inputs, nodes that lack theirs. */
static void
test_odd_nodes (void)
{
  g_auto (Session) session = { 0 };

  session_init (&session);
  open_text (
      &session,
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x, bool c) => (float[2] y, float[2] z) {\n"
      " y = If <then_branch = t (float[2] a) => (float[2] u) { u = Neg (a) }, else_branch = e (float[2] b) => (float[2] v) { v = Abs (b) }> (c)\n"
      " z = Einsum <equation = \"i,i->i\"> (x, \"\") }\n");
  TELL (&session, "info");
  TELL (&session, "run if-to-where sink-transposes inline-if --no-verify");
}

/* Nodes that make nothing: every pass goes past them. */
static void
test_no_outputs (void)
{
  static const int opsets[] = { 4, 23 };
  guint n;
  const PhPass *const *passes = ph_pass_list (&n);

  for (guint k = 0; k < G_N_ELEMENTS (opsets); k++)
    for (guint i = 0; i < n; i++)
      {
        g_auto (Session) session = { 0 };
        g_autofree char *text = NULL, *line = g_strdup_printf ("run %s --no-verify", passes[i]->name);

        if (passes[i]->needs_arguments || !ph_pass_is_builtin (passes[i]))
          continue;
        session_init (&session);
        text = g_strdup_printf (
            "<ir_version: 8, opset_import: [\"\" : %d]>\ng (float[4] x, bool c) => (float[4] y)\n"
            "< float[4] w = {0.5, -1, 2, 3}, int64[2] shape = {2, 2} >\n{\n = Add (x, w) = Mul (w, w) = Transpose (w)\n"
            " = ConstantOfShape (shape) = MatMul (x, w) = Max (x, w) = Gelu (x) = Identity (x)\n"
            " = If (c) <then_branch = t () => (float[4] u) { u = Relu (x) }, else_branch = e () => (float[4] v) { v = Neg (x) }>\n"
            " y = Relu (x) }\n",
            opsets[k]);
        open_text (&session, text);
        TELL (&session, "%s", line);
        TELL (&session, "info");
        TELL (&session, "run convert-to-onnx --no-verify"); /* back from StableHLO */
        TELL (&session, "grad y");
      }
}

/* Names of a hostile file: what they would do to a terminal, a label or a picture. */
static void
test_escapes (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 23, \"e\\x1bvil\" : 1], producer_name: \"\\x1b]0;TITLE\\x07\">\n"
        "\"g\\x1b[2J\" (float[2,\"d\\x1b[31m\"] \"x\\x01\\x04\") => (float[M,K] \"y\\x1b]0;T\\x07\") {\n"
        "  [\"n\\x02o\\x9bd\"] t = Relu <\"a\\x1b\" = \"v\\x1b[31m\"> (\"x\\x01\\x04\")\n"
        "  [\"second\\x1bc\"] \"y\\x1b]0;T\\x07\" = \"e\\x1bvil\".\"Op\\x1b[5m\" (t) }\n";
  /* clang-format off */
  static const char *const lines[] = {
    "info", "problems", "eval --random 1", "run", "steps", "rewrites", "node n1", "node n9", "find Relu", "select * from nodes", "print", "why n9",
    "select * from \"values\"", "diff 0 0 --text", "neighbours n9 2", "history", "verify", "feed 1", "values", "open nothing\x1b[31m", "profile",
  };
  /* clang-format on */
  g_autofree char *dot = in_folder ("picture.dot"), *drawn = NULL, *shown = NULL;
  g_auto (Session) session = { 0 };
  gboolean seen = FALSE;

  session_init (&session);
  ph_console_set_colour (session.console, FALSE);
  open_text (&session, text);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (PhReply) reply = ph_console_run (session.console, lines[i], NULL);

      for (const guchar *p = (const guchar *) reply->text->str; *p != 0; p++)
        if ((*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f)
          g_error ("'%s' lets byte %d through: %s", lines[i], *p, reply->text->str);
      seen = seen || strstr (reply->text->str, "x\\x01\\x04") != NULL;
    }
  g_assert_true (seen); /* shown, neither swallowed nor taken for a colour */
  TELL (&session, "render '%s'", dot);
  g_assert_true (g_file_get_contents (dot, &drawn, NULL, NULL));
  g_assert_null (strchr (drawn, '\x1b'));
  g_unlink (dot);
  shown = ph_escape ("a\x1b\x7f\xc2\x9b\xe2\x80\xae\xff"
                     "b\n",
                     FALSE);
  g_assert_cmpstr (shown, ==, "a\\x1b\\x7f\\x9b\\u202e\357\277\275b\\x0a");
}

int
main (int argc, char *argv[])
{
  session_test_init (&argc, &argv);
  g_test_add_func ("/hostile/tiny-scale", test_tiny_scale);
  g_test_add_func ("/hostile/odd-nodes", test_odd_nodes);
  g_test_add_func ("/hostile/no-outputs", test_no_outputs);
  g_test_add_func ("/hostile/escapes", test_escapes);
  return session_test_run ();
}
