/* python.c: tests the parser of Python text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/python/python.h"

static PhPyModule *
parse (const char *text, GError **error)
{
  g_auto (PhSource) source = { 0 };

  ph_source_init (&source, "t.py", NULL);
  return ph_py_parse (&source, text, strlen (text), 1, NULL, error);
}

/* What is printed is what was read, with brackets only where they are needed. */
static void
test_expressions (void)
{
  /* clang-format off */
  static const char *const texts[] = {
    "a.b.c(x, y=1, *z, **w)", "x[1:2, ::-1, None, ...]", "(a, b)", "(a,)", "()", "[1, 2.5, -3]", "{\"k\": [1], **d}", "{1, 2}", "{}",
    "a + b * c - -d ** 2", "(a + b) * c", "a - (b - c)", "not a and b or c", "a if b else c", "lambda x, *y: x + 1", "[i for i in range(3) if i]",
    "x == y and a not in b", "R.Tensor((1, \"n\"), dtype=\"float16\")", "-x.y", "(a ** b) ** c", "a ** b ** c", "x is not None", "\"a\\\"b\"", "f(g for g in h)",
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhPyModule) module = parse (texts[i], &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      g_assert_cmpuint (module->n_body, ==, 1);
      text = ph_py_to_string (module->body[0]);
      if (strstr (texts[i], "f(g for") == NULL)
        g_assert_cmpstr (text, ==, texts[i]);
    }
}

static void
test_literals (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhPyModule) module = parse (
      "x = 'a\\x41\\u00e9' \"b\" r'\\n'\ny = 0xff_f\nz = 1_0e-1\nu = \"\"\"two\nlines\"\"\"\nv = a < b < c\nw = -9223372036854775807\n",
      &error);
  gint64 value;

  g_assert_no_error (error);
  g_assert_cmpuint (module->n_body, ==, 6);
  g_assert_cmpstr (module->body[0]->items[1]->text, ==,
                   "aA\xc3\xa9"
                   "b\\n");
  g_assert_cmpint (module->body[1]->items[1]->i, ==, 0xfff);
  g_assert_cmpfloat (module->body[2]->items[1]->f, ==, 1.0);
  g_assert_cmpstr (module->body[3]->items[1]->text, ==, "two\nlines");
  g_assert_cmpuint (module->body[4]->line, ==, 6);
  g_assert_cmpstr (module->body[4]->items[1]->text, ==, "and");
  g_assert_true (ph_py_int (module->body[5]->items[1], &value));
  g_assert_cmpint (value, ==, -G_MAXINT64);
}

static void
test_statements (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhPyModule) module = parse ("  import a.b as c\n"
                                         "  @I.ir_module\n"
                                         "  class M(Base):\n"
                                         "      x: int = 3\n"
                                         "      @deco(k=1)\n"
                                         "      def f(self, a: \"f32[8]\", *, b=2) -> T:\n"
                                         "          # above\n"
                                         "          y = a + b;  a = None  # behind\n"
                                         "          a, (b, c) = y\n"
                                         "          with (R.dataflow(), g() as h):\n"
                                         "              pass\n"
                                         "          for i, j in T.grid(1, 2): y += 1\n"
                                         "          while y < 3:\n"
                                         "              break\n"
                                         "          if y: z = 1\n"
                                         "          elif a:\n"
                                         "              z = 2\n"
                                         "          else:\n"
                                         "              z = 3\n"
                                         "          assert z, \"no\"\n"
                                         "          del y\n"
                                         "          return z,\n",
                                         &error);
  const PhPy *class, *def, *with, *branch;

  g_assert_no_error (error);
  g_assert_cmpuint (module->n_body, ==, 2);
  g_assert_cmpint (module->body[0]->kind, ==, PH_PY_IMPORT);
  class = module->body[1];
  g_assert_cmpuint (class->n_decorators, ==, 1);
  def = class->body[1];
  g_assert_cmpstr (def->text, ==, "f");
  g_assert_cmpuint (def->n, ==, 3);
  g_assert_cmpstr (def->items[1]->items[0]->text, ==, "f32[8]");
  g_assert_cmpuint (def->n_body, ==, 10);
  g_assert_cmpstr (def->body[0]->comment, ==, "above\n behind");
  g_assert_cmpint (def->body[2]->items[0]->kind, ==, PH_PY_TUPLE);
  with = def->body[3];
  g_assert_cmpuint (with->n, ==, 4);
  g_assert_cmpstr (with->items[3]->text, ==, "h");
  branch = def->body[6];
  g_assert_cmpint (branch->kind, ==, PH_PY_IF);
  g_assert_cmpuint (branch->n_orelse, ==, 1);
  g_assert_cmpuint (branch->orelse[0]->n_orelse, ==, 1);
  g_assert_cmpint (def->body[9]->items[0]->kind, ==, PH_PY_TUPLE);
}

static void
test_errors (void)
{
  /* clang-format off */
  static const struct { const char *text, *message; } cases[] = {
    { "x = (1,\n  2", "t.py:2:4: ')' was expected, not the end of the line" }, { "x = 'abc", "t.py:1:5: this string does not end" },
    { "def f(:\n  pass", "t.py:1:7: the name of a parameter was expected, not ':'" }, { "x = $$ ?", "t.py:1:8: '?' is not expected here" },
    { "if x:\n    y\n  z\n", "t.py:3:3: this line is indented like none above it" }, { "x = 12ab\n", "t.py:1:5: a number was expected, not '12ab'" },
    { "@d\nx = 1", "t.py:2:1: a function or class after its decorators was expected, not 'x'" }, { "x y", "t.py:1:3: the end of the line was expected, not 'y'" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhPyModule) module = parse (cases[i].text, &error);

      g_assert_null (module);
      g_assert_cmpstr (error->message, ==, cases[i].message);
    }
}

/* Neither brackets nor long chains take the stack away. */
static void
test_depth (void)
{
  static const struct
  {
    const char *before, *after;
  } parts[] = { { "(", ")" },  { "[", "]" }, { "-", "" },   { "a+", "" },       { "a**", "" },         { "not ", "" },
                { "f(", ")" }, { "", ".a" }, { "", "[0]" }, { "lambda: ", "" }, { "a if b else ", "" } };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhPyModule) module = NULL;

      for (guint n = 0; n < 20000; n++)
        g_string_append (text, parts[i].before);
      g_string_append (text, "x");
      for (guint n = 0; n < 20000; n++)
        g_string_append (text, parts[i].after);
      module = parse (text->str, &error);
      g_assert_null (module);
      g_assert_nonnull (strstr (error->message, "more than"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/python/expressions", test_expressions);
  g_test_add_func ("/python/literals", test_literals);
  g_test_add_func ("/python/statements", test_statements);
  g_test_add_func ("/python/errors", test_errors);
  g_test_add_func ("/python/depth", test_depth);
  return g_test_run ();
}
