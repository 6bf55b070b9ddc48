/* short-type.c: long names of dimensions as letters.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/scene/short-type.h"

static void
test_letters (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
        "g (float[batch, 3, height_of_the_image, width_of_the_image] x, float[height_of_the_image] z) => (float[N] y)\n"
        "{\n  y = Relu (x)\n}\n";
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "short", &error);

  g_assert_no_error (error);
  g_autoptr (GPtrArray) names = ph_long_dimensions (model->graph);
  g_assert_cmpuint (names->len, ==, 2);
  g_assert_cmpstr (names->pdata[0], ==, "height_of_the_image");
  /* clang-format off */
  static const struct { const char *type, *narrow; } cases[] = {
    { "float[batch,3,height_of_the_image,width_of_the_image]", "float[batch,3,A,B]" },
    { "float[floor((height_of_the_image + 1)/2),8]", "float[floor((A+1)/2),8]" },
    { "float[floor((batch + 1)/2),8]", "float[floor((batch + 1)/2),8]" },
    { "int64[what_nobody_said]", "int64[what_nob…]" },
    { "seq(float[])", "seq(float[])" },
    { "float", "float" },
    { "?", "?" },
  };
  /* clang-format on */
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *narrow = ph_type_to_short (cases[i].type, names);
      g_assert_cmpstr (narrow, ==, cases[i].narrow);
    }
  /* clang-format off */
  static const struct { const char *dimension, *narrow; } dimensions[] = {
    { "8", "8" }, { "batch", "batch" }, { "width_of_the_image", "B" }, { "floor((width_of_the_image + 15)/16)", "⌈B/16⌉" },
    { "floor((width_of_the_image + 14)/16)", "floor((B+14)/16)" }, { "floor(height_of_the_image/2)", "⌊A/2⌋" }, { "floor((batch + 1)/2)", "⌈batch/2⌉" },
  };
  /* clang-format on */
  for (guint i = 0; i < G_N_ELEMENTS (dimensions); i++)
    {
      g_autofree char *narrow = ph_dimension_to_short (dimensions[i].dimension, names);
      g_assert_cmpstr (narrow, ==, dimensions[i].narrow);
    }
  ph_model_free (model);
}

/* A scalar and a tensor of unknown rank do not read alike. */
static void
test_shown (void)
{
  static const gint64 dims[] = { 3, 4 };
  const PhType *unranked = ph_type_unranked (PH_FLOAT);
  const struct
  {
    const PhType *type;
    const char *shown;
  } rows[] = {
    { unranked, "float ?" },
    { ph_type_sequence (PH_KIND_SEQUENCE, unranked), "seq(float ?)" },
    { ph_type_static (PH_FLOAT, 0, dims), "float" },
    { ph_type_static (PH_FLOAT, 2, dims), "float[3,4]" },
    { NULL, "?" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *shown = ph_type_to_shown (rows[i].type);

      g_assert_cmpstr (shown, ==, rows[i].shown);
    }
}

static void
test_many (void)
{
  g_autofree char *first = ph_dimension_letter (0), *last = ph_dimension_letter (25), *more = ph_dimension_letter (27);

  g_assert_cmpstr (first, ==, "A");
  g_assert_cmpstr (last, ==, "Z");
  g_assert_cmpstr (more, ==, "B1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/short-type/letters", test_letters);
  g_test_add_func ("/short-type/shown", test_shown);
  g_test_add_func ("/short-type/many", test_many);
  return g_test_run ();
}
