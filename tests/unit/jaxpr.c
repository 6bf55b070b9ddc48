/* jaxpr.c: programs that JAX prints become models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/io.h"
#include "core/ops/verify.h"

static PhModel *
try_read (const char *text, GPtrArray *problems, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ph_format_read_bytes (ph_format_find ("jaxpr"), bytes, "x.jaxpr", problems, error);
}

static char *
printed (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = try_read (text, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  return ph_onnx_text_print (model, 16);
}

static void
expect (const char *text, const char *wanted)
{
  if (strstr (text, wanted) == NULL)
    {
      g_test_message ("not found: %s\nin: %s", wanted, text);
      g_test_fail ();
    }
}

static void
test_forms (void)
{
  /* clang-format off */
  static const struct { const char *text, *wanted; } rows[] = {
    { "{ lambda ; a:f32[8] b:f32[8]. let c:f32[8] = mul b 2.0:f32[] d:f32[8] = add c a in (d,) }", "[d] d = jax.add (c, a)" },
    { "{ lambda a:f32[]; b:i32[n,3]. let c:bool[n,3] = gt b 1:i32[] in (c, a) }", "graph (float a, int32[n,3] b) => (bool[n,3] c, float a)" },
    { "{ lambda ; a b.\n  let c = mul a b\n      d e = foo c True\n  in (d, e) }", "[d] d, e = jax.foo (c, \"literal#1\")" },
    { "{ lambda ; . let\n    #  a:foo[3,4] = make[shape=(3, 4)]\n    #  in (a,) }", "[a] a = jax.make <shape = [3, 4]> ()" },
    { "{ lambda ; a:f32[3]. let in (a, [...]:f32[3]) }", "= jax.literal <value = \"[...]\"> ()" },
    { "{ lambda ; <a id=\"v_a\">a</a>:f32[1]. let b:f32[1] = integer_pow[y=2] <a href=\"#v_a\">a</a> in (b,) }", "jax.integer_pow <y = 2> (a)" },
    { "{ lambda ; x:Ref{f32[8]} i:i32[]. let\n  a:f32[8] <- x[:]\n  x[i] <- a\n  x[i] += a\n  b:f32[], x[0] <- x[0], a in () }", "jax.get <index = \"[:]\"> (x)" },
    { "{ lambda ; x:Ref{f32[8]} i:i32[]. let\n  a:f32[8] <- x[:]\n  x[i] <- a in () }", "jax.set <index = \"[i]\"> (x, a)" },
    { "{ lambda ; x:Ref{f32[8]} a:f32[]. let\n  x[0] += a\n  b:f32[], x[0] <- x[0], a in (b,) }", "b = jax.swap <index = \"[0]\"> (x, a)" },
    { "{ lambda ; a:bf16[2] c:u4[] d:f8_e4m3fn[2]. let  in (a, c, d) }", "graph (bfloat16[2] a, uint4 c, float8e4m3fn[2] d)" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = printed (rows[i].text);

      expect (text, rows[i].wanted);
    }
}

static void
test_nested (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz/corpus/jaxpr/nested.jaxpr", NULL), *file = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  /* clang-format off */
  static const char *const wanted[] = {
    "lhs_contracting_dims = [1], rhs_contracting_dims = [0], lhs_batch_dims = [], rhs_batch_dims = []", "jaxpr = relu (float[4,8] a) => (float[4,8] b)",
    "body = jaxpr (int32 p, float[4,8] q) => (int32 r, float[4,8] s)", "cond = jaxpr (int32 p_1, float[4,8] q_1) => (bool t)",
    "branch_0 = jaxpr", "branch_1 = jaxpr", "reduce_sum <axes = [0, 1]>", "[l] l = jax.random_wrap <impl = \"fry\">",
    "jvp_jaxpr_fun = \"<function _memoize.<locals>.memoized at 0x7f>\"",
  };
  /* clang-format on */

  g_file_get_contents (path, &file, NULL, &error);
  g_assert_no_error (error);
  text = printed (file);
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    expect (text, wanted[i]);
}

static void
test_errors (void)
{
  /* clang-format off */
  static const struct { const char *text, *message; } rows[] = {
    { "{ lambda ; a:f32[].\n  let b:f32[] = add a q in (b,) }", "x.jaxpr:2:23: 'q' is used here, which nothing above defines" },
    { "{ lambda ; a:f32[]. let a:f32[] = neg a in (a,) }", "variable 'a' is defined twice" },
    { "{ lambda ; a:f32[]. let b:f32[] = neg a", "but the text ends. Is it complete?" },
    { "{ lambda ; a:f32[]. let b:f32[] = f[x=(1] a in (b,) }", "a bracket ']' that nothing opened" },
    { "{ x }", "a program ({ lambda" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = try_read (rows[i].text, NULL, &error);

      g_assert_null (model);
      g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
      expect (error->message, rows[i].message);
    }
}

static void
test_foreign (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR"), "foreign/jaxpr", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  if (dir == NULL)
    {
      g_test_skip ("the files are not there: set PEEPHOLE_DATA_DIR to a folder whose foreign/jaxpr has them");
      return;
    }
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);

      g_assert_no_error (error);
      g_assert_true (ph_model_verify (model, &error));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jaxpr/forms", test_forms);
  g_test_add_func ("/jaxpr/nested", test_nested);
  g_test_add_func ("/jaxpr/errors", test_errors);
  g_test_add_func ("/jaxpr/foreign", test_foreign);
  return g_test_run ();
}
