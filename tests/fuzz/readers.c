/* readers.c: whatever bytes come in, a reader answers with a model or one error, and a model that it gives can be verified,
 * printed and written. Built as a test, it mutates small models for a few seconds; built with
 * -DPH_LIBFUZZER and clang's -fsanitize=fuzzer it is an entry for libFuzzer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"

#include <string.h>

#include "core/ops/verify.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
use (PhModel *model, GError *error)
{
  g_autoptr (GError) fault = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_assert_true ((model == NULL) == (error != NULL));
  if (model == NULL)
    {
      if (strchr (error->message, ':') == NULL)
        g_error ("an error that does not say where: %s", error->message);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return;
    }
  if (!ph_model_verify (model, &fault) && g_error_matches (fault, PH_ERROR, PH_ERROR_FAILED))
    g_error ("a model that does not hang together: %s", fault->message);
  text = ph_onnx_text_print (model, 64);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  bytes = ph_onnx_write (model, NULL);
}

static gboolean
try_model (const guint8 *data, gsize size)
{
  const gboolean as_text = size > 0 && (data[0] == '<' || g_ascii_isalpha (data[0]));
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  if (as_text)
    model = ph_onnx_text_read ((const char *) data, (gssize) size, "fuzz", &error);
  else
    {
      g_autoptr (GBytes) bytes = g_bytes_new (data, size);

      model = ph_onnx_read (bytes, "fuzz", problems, &error);
    }
  use (model, error);
  return model != NULL;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  try_model (data, size);
  return 0;
}

#ifndef PH_LIBFUZZER

static const char *const seeds[] = {
  "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1], producer_name: \"p\", metadata_props: [\"a\" : \"b\"]>\n"
  "g (float[N,4] x, bool c, seq(float[2]) s, optional(int64[]) o) => (float[N,4] y, float[4] z)\n"
  "< float[4] w = {0.5, -1, 2, inf}, int64[2] shape = {-1, 4}, string[2] t = {\"a\", \"b\\n\"}, int4[3] q = {1, -2, 3}, float[N,4] a >\n"
  "{\n"
  "  [\"n/0\"] a = Add (x, w)\n"
  "  b = If <then_branch = t () => (float[N,4] u) { u = Relu (a) }, else_branch = e () => (float[N,4] u) { v = Neg (a) u = Abs (v) }> (c)\n"
  "  d = Reshape <allowzero = 0> (b, shape)\n"
  "  f = peephole.Fused <body = f (float[N,4] p) => (float[N,4] r) <float k = {2}> { h = Mul (p, k) r = Tanh (h) }> (d)\n"
  "  y = local.twice <alpha = 1.5, modes = [\"x\", \"y\"], axes = [0, 1], scales = [1.0, 2.5], v = float16[2] {1, 2}> (f)\n"
  "  z, \"\" = Dropout (w, \"\")\n"
  "}\n"
  "<domain: \"local\", opset_import: [\"\" : 17]>\n"
  "twice <alpha, beta: int = 3> (a) => (b) { c = Constant <value_float : float = @alpha> () b = Mul (a, c) }\n",
  "g (int64 n, float[2] x) => (float[2] y) { t = Constant <value = bool {1}> ()\n"
  "  y = Loop <body = b (int64 i, bool c, float[2] s) => (bool c, float[2] r) { r = Add (s, x) }> (n, t, x) }",
};

static void
fuzz (gboolean as_text)
{
  g_autoptr (GPtrArray) corpus = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (gsize i = 0; i < G_N_ELEMENTS (seeds); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (seeds[i], -1, "seed", &error);

      g_assert_no_error (error);
      g_ptr_array_add (corpus, as_text ? g_bytes_new_static (seeds[i], strlen (seeds[i])) : ph_onnx_write (model, NULL));
    }
  fuzz_run (corpus, try_model);
}

static void
test_text (void)
{
  fuzz (TRUE);
}

static void
test_binary (void)
{
  fuzz (FALSE);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fuzz/text", test_text);
  g_test_add_func ("/fuzz/binary", test_binary);
  return g_test_run ();
}

#endif
