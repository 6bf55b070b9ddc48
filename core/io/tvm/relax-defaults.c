/* relax-defaults.c: completes the attributes of Relax's operators as TVM does. A program that people write leaves defaults out, and what TVM
 * prints after a pass has them: without this each pass would seem to set them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/tvm/script.h"

#define CONV(data, kernel) \
  "strides=1* padding=0** dilation=1* groups=1 data_layout=" data " kernel_layout=" kernel " out_layout=@data_layout"
#define POOL(data) "strides=1* padding=0** dilation=1* ceil_mode=0 count_include_pad=0 layout=" data " out_layout=@layout"

/* "1*": one for each dimension of the picture, "0**": two for each, "@layout": the value of that attribute. */
/* clang-format off */
static const struct { const char *op; guint dims; const char *values; } rows[] = {
  { "nn.conv1d", 1, CONV ("NCW", "OIW") },      { "nn.conv1d_transpose", 1, CONV ("NCW", "IOW") " output_padding=0*" },
  { "nn.conv2d", 2, CONV ("NCHW", "OIHW") },    { "nn.conv2d_transpose", 2, CONV ("NCHW", "IOHW") " output_padding=0*" },
  { "nn.conv3d", 3, CONV ("NCDHW", "OIDHW") },
  { "nn.max_pool2d", 2, POOL ("NCHW") },        { "nn.avg_pool2d", 2, POOL ("NCHW") },
  { "sum", 0, "keepdims=0" }, { "mean", 0, "keepdims=0" }, { "max", 0, "keepdims=0" }, { "min", 0, "keepdims=0" }, { "prod", 0, "keepdims=0" },
  { "std", 0, "keepdims=0" }, { "variance", 0, "keepdims=0" }, { "argmax", 0, "keepdims=0" }, { "argmin", 0, "keepdims=0" },
};
/* clang-format on */

static PhAttr **
find (PhSketchNode *node, const char *name)
{
  for (guint i = 0; i < node->attrs->len; i++)
    if (g_str_equal (((PhAttr *) node->attrs->pdata[i])->name, name))
      return (PhAttr **) &node->attrs->pdata[i];
  return NULL;
}

static PhAttr *
repeated (const char *name, const gint64 *values, gsize n_values, gsize n)
{
  g_autofree gint64 *all = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    all[i] = values[i % n_values];
  return ph_attr_new_ints (ph_intern (name), all, n);
}

/* One number stands for all dimensions, and one padding a dimension for both of its ends. */
static void
spread (PhAttr **attr, gsize n)
{
  const gboolean one = (*attr)->kind == PH_ATTR_INT, some = (*attr)->kind == PH_ATTR_INTS;

  if (one || (some && (*attr)->n > 0 && (*attr)->n < n && n % (*attr)->n == 0))
    {
      PhAttr *old = *attr;

      *attr = repeated (old->name, one ? &old->i : old->ints, one ? 1 : old->n, n);
      ph_attr_unref (old);
    }
}

static void
complete (PhSketchNode *node, const char *name, const char *value, guint dims)
{
  PhAttr **attr = find (node, name), **other = *value == '@' ? find (node, value + 1) : NULL;
  const char *stars = strchr (value, '*');
  const gint64 number = g_ascii_strtoll (value, NULL, 10);
  const gsize n = stars != NULL ? dims * strlen (stars) : 0;

  if (attr != NULL && stars != NULL)
    spread (attr, n);
  else if (attr != NULL)
    return;
  else if (stars != NULL)
    ph_sketch_node_attr (node, repeated (name, &number, 1, n));
  else if (other != NULL)
    ph_sketch_node_attr (node, ph_attr_named (*other, ph_intern (name)));
  else if (g_ascii_isdigit (*value))
    ph_sketch_node_int (node, name, number);
  else if (*value != '@')
    ph_sketch_node_text (node, name, value);
}

void
ph_tvm_relax_complete (PhSketchNode *node, const char *op)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].op, op))
      {
        g_auto (GStrv) values = g_strsplit (rows[i].values, " ", -1);

        for (guint k = 0; values[k] != NULL; k++)
          {
            char *equals = strchr (values[k], '=');

            *equals = '\0';
            complete (node, values[k], equals + 1, rows[i].dims);
          }
      }
}
