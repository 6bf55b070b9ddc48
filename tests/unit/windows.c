/* windows.c: a window that has no place in its padded input is an error, of every operator that slides one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/ops/op-list.h"
#include "core/run/executor.h"

/* @inputs besides x, of which @node makes y; x is [1,2,s,s] or with the channels last. @fits: an s at which there is a result. */
/* clang-format off */
static const struct { const char *op, *x, *shape, *node; gint64 fits; } rows[] = {
  { "Conv", "float", "1,2,%s,%s", "w = Constant <value = float[1,2,4,4] {%w}> () y = Conv (x, w)", 4 },
  { "Conv", "float", "1,2,%s,%s", "w = Constant <value = float[1,2,4,4] {%w}> () y = Conv <dilations = [2, 1], pads = [1, 0, 1, 0]> (x, w)", 5 },
  { "Conv", "float16", "1,2,%s,%s", "w = Constant <value = float16[1,2,4,4] {%w}> () y = Conv <strides = [3, 3]> (x, w)", 4 },
  { "ConvTranspose", "float", "1,2,%s,%s", "w = Constant <value = float[2,1,4,4] {%w}> () y = ConvTranspose <pads = [3, 3, 3, 3]> (x, w)", 4 },
  { "ConvInteger", "uint8", "1,2,%s,%s", "w = Constant <value = uint8[1,2,4,4] {%w}> () y = ConvInteger (x, w)", 4 },
  { "QLinearConv", "uint8", "1,2,%s,%s", "w = Constant <value = uint8[1,2,4,4] {%w}> () y = QLinearConv (x, s, z, w, s, z, s, z)", 4 },
  { "DeformConv", "float", "1,2,%s,%s", "w = Constant <value = float[1,2,4,4] {%w}> () o = Constant <value = float[1,32,1,1] {%w}> () y = DeformConv (x, w, o)", 4 },
  { "MaxPool", "float", "1,2,%s,%s", "y = MaxPool <kernel_shape = [4, 4]> (x)", 4 },
  { "MaxPool", "float", "1,2,%s,%s", "y = MaxPool <kernel_shape = [4, 4], strides = [3, 3], ceil_mode = 1> (x)", 4 },
  { "MaxPool", "uint8", "1,2,%s,%s", "y = MaxPool <kernel_shape = [4, 4]> (x)", 4 },
  { "AveragePool", "float", "1,2,%s,%s", "y = AveragePool <kernel_shape = [4, 4]> (x)", 4 },
  { "AveragePool", "float", "1,2,%s,%s", "y = AveragePool <kernel_shape = [4, 4], auto_pad = \"VALID\"> (x)", 4 },
  { "LpPool", "float", "1,2,%s,%s", "y = LpPool <kernel_shape = [4, 4]> (x)", 4 },
  { "MaxUnpool", "float", "1,2,%s,%s", "h = Shape (x) i = ConstantOfShape <value = int64[1] {0}> (h) y = MaxUnpool <kernel_shape = [2, 2], pads = [2, 2, 2, 2]> (x, i)", 4 },
  { "Col2Im", "float", "1,32,1,%s", "i = Constant <value = int64[2] {3, 4}> () b = Constant <value_ints = [4, 4]> () y = Col2Im (x, i, b)", 0 },
  { "com.microsoft.FusedConv", "float", "1,2,%s,%s", "w = Constant <value = float[1,2,4,4] {%w}> () y = com.microsoft.FusedConv <activation = \"Relu\"> (x, w)", 4 },
  { "com.microsoft.NhwcConv", "float16", "1,%s,%s,2", "w = Constant <value = float16[1,4,4,2] {%w}> () y = com.microsoft.NhwcConv (x, w)", 4 },
  { "com.microsoft.NhwcMaxPool", "uint8", "1,%s,%s,2", "y = com.microsoft.NhwcMaxPool <kernel_shape = [4, 4]> (x)", 4 },
  { "com.microsoft.ConvTransposeWithDynamicPads", "float", "1,2,%s,%s", "w = Constant <value = float[2,1,4,4] {%w}> () p = Constant <value_ints = [3, 3, 3, 3]> () y = com.microsoft.ConvTransposeWithDynamicPads (x, w, p)", 4 },
  { "com.microsoft.QLinearAveragePool", "uint8", "1,2,%s,%s", "y = com.microsoft.QLinearAveragePool <kernel_shape = [4, 4]> (x, s, z, s, z)", 4 },
  { "com.microsoft.QLinearConv", "uint8", "1,2,%s,%s", "w = Constant <value = uint8[1,2,4,4] {%w}> () y = com.microsoft.QLinearConv (x, s, z, w, s, z, s, z)", 4 },
};
/* clang-format on */

/* @at: the spatial sizes as they are declared; NULL with an error of the text. */
static PhModel *
parse (guint row, const char *at)
{
  g_autoptr (GString) shape = g_string_new (rows[row].shape), node = g_string_new (rows[row].node), ones = g_string_new ("1");
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  PhModel *model;

  for (guint i = 1; i < 32; i++)
    g_string_append (ones, ", 1");
  g_string_replace (shape, "%s", at, 0);
  g_string_replace (node, "%w", ones->str, 0);
  text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d, \"com.microsoft\" : 1]> g (%s[%s] x) => (y) "
                          "{ s = Constant <value = float {0.5}> () z = Constant <value = uint8 {1}> () %s }",
                          PH_OPSET_NEWEST, rows[row].x, shape->str, node->str);
  model = ph_onnx_text_read (text, -1, "text", &error);
  g_assert_no_error (error);
  return model;
}

/* Runs row @row at the size @at, with the sizes open or declared. */
static gboolean
run_at (guint row, gint64 at, gboolean declared, gboolean reference, GError **error)
{
  g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT, at);
  g_autoptr (PhModel) sized = parse (row, size), open = declared ? NULL : parse (row, "n");
  PhModel *model = declared ? sized : open;
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  const PhType *type = ((PhValue *) sized->graph->inputs->pdata[0])->type;
  gint64 dims[PH_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], ph_tensor_new (type->dtype, type->rank, dims));
  results = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .reference = reference }, error);
  return results != NULL;
}

static void
test_too_large (void)
{
  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    for (gint64 at = 0; at < MAX (rows[row].fits, 3); at++)
      {
        g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT, at);
        g_autoptr (PhModel) model = parse (row, size);
        g_autoptr (GError) error = NULL;

        for (guint way = 0; way < 4; way++)
          {
            if (run_at (row, at, way & 1, way & 2, &error))
              g_error ("%s of a picture of %s by %s gives a result: %s", rows[row].op, size, size, rows[row].node);
            g_clear_error (&error);
          }
      }
}

static void
test_fits (void)
{
  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    for (guint way = 0; way < 4 && rows[row].fits > 0; way++)
      {
        g_autoptr (GError) error = NULL;

        if (!run_at (row, rows[row].fits, way & 1, way & 2, &error))
          g_error ("%s of a picture of %d: %s", rows[row].op, (int) rows[row].fits, error->message);
      }
}

/* An operator that slides a window is in the table above; one that is spelt out in others has none of its own. */
static void
test_all (void)
{
  guint n;
  const PhOp *const *ops = ph_op_list (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strconcat (ops[i]->domain != NULL ? ops[i]->domain : "", ops[i]->domain != NULL ? "." : "",
                                           ops[i]->name, NULL);
      gboolean found = ph_op_attr (ops[i], "strides") == NULL || ops[i]->kernel == NULL;

      for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
        found = found || g_str_equal (rows[row].op, name);
      if (!found)
        g_error ("%s slides a window, and is not in the table", name);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/windows/all", test_all);
  g_test_add_func ("/windows/too-large", test_too_large);
  g_test_add_func ("/windows/fits", test_fits);
  return g_test_run ();
}
