/* aten.c: PyTorch's operators, converted to ONNX, compute what PyTorch computed: the cases of aten-cases.txt, as they are and after O2.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/io/io.h"
#include "core/io/npy.h"
#include "core/io/torch/schema.h"
#include "core/prove/cases/cases.h"
#include "passes/convert-aten.h"

/* "float[2,3] 1 2 3 4 5 6" */
static PhTensor *
read_tensor (const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1), dims = NULL;
  char *open = strchr (words[0], '[');
  gint64 sizes[PH_MAX_RANK];
  guint rank = 0;
  g_autoptr (PhTensor) wide = NULL;
  g_autofree char *type = g_strndup (words[0], (gsize) (open - words[0]));
  double *data;
  gsize n = 1;

  dims = g_strsplit (open + 1, ",", -1);
  for (guint i = 0; dims[i] != NULL; i++)
    if (g_ascii_isdigit (dims[i][0]))
      n *= (gsize) (sizes[rank++] = g_ascii_strtoll (dims[i], NULL, 10));
  wide = ph_tensor_new (PH_DOUBLE, rank, sizes);
  data = ph_tensor_writable (wide);
  for (gsize i = 0; i < n; i++)
    data[i] = g_ascii_strtod (words[1 + i], NULL);
  g_assert_cmpint (ph_dtype_from_name (type), !=, PH_UNDEFINED);
  return ph_tensor_cast (wide, ph_dtype_from_name (type));
}

/* Without waiting for the disk: there are hundreds. */
static void
write_file (const char *path, GBytes *bytes)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  g_assert_true (g_file_set_contents_full (path, data, (gssize) size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_bytes_unref (bytes);
}

static void
run_case (const char *text, gboolean optimised)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-aten-XXXXXX", NULL), *model = g_build_filename (folder, "model.py", NULL);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) code = g_string_new (NULL);
  g_autoptr (GPtrArray) passes = g_ptr_array_new (), files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  PhCaseOptions options = { .allow = PH_ROUNDING, .rtol = -1, .atol = -1 };
  guint n[2] = { 0, 0 };

  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    {
      const gboolean in = g_str_has_prefix (lines[i], "in "), out = g_str_has_prefix (lines[i], "out ");

      if (in || out)
        {
          g_autoptr (PhTensor) tensor = read_tensor (lines[i] + (in ? 3 : 4));
          g_autofree char *name = g_strdup_printf ("%s_%u.npy", in ? "input" : "output", n[out]++);

          g_ptr_array_add (files, g_build_filename (folder, name, NULL));
          write_file (files->pdata[files->len - 1], ph_npy_write (tensor, &error));
          g_assert_no_error (error);
        }
      else
        g_string_append_printf (code, "%s\n", lines[i]);
    }
  write_file (model, g_bytes_new (code->str, code->len));
  for (const char *const *pass = ph_pipeline_find ("O2")->passes; optimised && *pass != NULL; pass++)
    if (ph_pass_find (*pass) != NULL)
      g_ptr_array_add (passes, (gpointer) ph_pass_find (*pass));
  options.passes = (const PhPass *const *) passes->pdata;
  options.n_passes = passes->len;
  if (!ph_case_run (folder, &options, NULL, &error))
    g_error ("%s%s: %s", lines[0], optimised ? " after O2" : "", error->message);
  for (guint i = 0; i < files->len; i++)
    g_remove (files->pdata[i]);
  g_remove (model);
  g_rmdir (folder);
}

static void
test_cases (gconstpointer optimised)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", "aten-cases.txt", NULL), *text = NULL;
  g_auto (GStrv) cases = NULL;
  guint n;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  cases = g_strsplit (text, "=== ", -1);
  for (n = 1; cases[n] != NULL; n++)
    run_case (cases[n], GPOINTER_TO_INT (optimised));
  g_assert_cmpuint (n, >, 470);
}

/* A rule reads its parameters by their names: they are known for each operator that has one. */
static void
test_signatures (void)
{
  const PhConvertRule *const tables[] = { ph_convert_aten,        ph_convert_aten_shape,   ph_convert_aten_linear,
                                          ph_convert_aten_reduce, ph_convert_aten_layer,   ph_convert_aten_index,
                                          ph_convert_aten_loss,   ph_convert_aten_part,    ph_convert_aten_special,
                                          ph_convert_aten_order,  ph_convert_aten_matrix,  ph_convert_aten_recurrent,
                                          ph_convert_aten_resize, ph_convert_aten_combine, ph_convert_aten_bessel };
  guint n = 0;

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const PhConvertRule *rule = tables[t]; rule->op != NULL; rule++)
      if (g_str_has_prefix (rule->op, "aten:"))
        {
          n++;
          if (ph_torch_signature (rule->op + strlen ("aten:")) == NULL)
            g_error ("the parameters of %s are not known", rule->op);
        }
  g_assert_cmpuint (n, >=, 400);
  g_test_message ("%u operators have a rule", n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/aten/cases", GINT_TO_POINTER (FALSE), test_cases);
  g_test_add_data_func ("/aten/cases-O2", GINT_TO_POINTER (TRUE), test_cases);
  g_test_add_func ("/aten/signatures", test_signatures);
  return g_test_run ();
}
