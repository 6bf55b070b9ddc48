/* dim-numbers.c: which dimension of a convolution's operands is the batch, which the features, which are spatial.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/intern.h"
#include "core/io/mlir/lexer.h"

static PhMlirAttr *
new_attr (PhMlirParser *parser, PhMlirAttrKind kind, const char *name)
{
  PhMlirAttr *attr = ph_mlir_new (parser, sizeof *attr);

  attr->kind = kind;
  attr->name = ph_intern (name);
  if (kind == PH_MLIR_ARRAY || kind == PH_MLIR_DICT)
    attr->items = ph_mlir_ptr_array (parser);
  return attr;
}

static void
add_number (PhMlirParser *parser, PhMlirAttr *to, const char *name, gint64 i)
{
  PhMlirAttr *number = new_attr (parser, PH_MLIR_INT, name);

  number->i = i;
  g_ptr_array_add (to->items, number);
}

/* Adds to @dict what "[b, f, 0, 1]" says. @names: of the batch or the output features, of the features, of the spatial dimensions. */
static gboolean
add_list (PhMlirParser *parser, PhMlirAttr *dict, const char *const *names, const char *first)
{
  const PhMlirAttr *list = ph_mlir_value (parser);
  PhMlirAttr *spatial = new_attr (parser, PH_MLIR_ARRAY, names[2]);
  gint64 places[2] = { 0 };

  if (list == NULL)
    return FALSE;
  if (list->kind != PH_MLIR_ARRAY)
    return ph_mlir_fail (parser, "a list of dimensions, such as [b, f, 0, 1], is expected here");
  for (guint i = 0; i < list->items->len; i++)
    {
      const PhMlirAttr *item = list->items->pdata[i];

      if (item->kind == PH_MLIR_TEXT && item->text != NULL)
        places[g_str_equal (item->text, first) ? 0 : 1] = i;
    }
  for (guint s = 0; s < list->items->len; s++)
    for (guint i = 0; i < list->items->len; i++)
      {
        const PhMlirAttr *item = list->items->pdata[i];

        if (item->kind == PH_MLIR_INT && item->i == (gint64) s)
          add_number (parser, spatial, "", i);
      }
  add_number (parser, dict, names[0], places[0]);
  add_number (parser, dict, names[1], places[1]);
  g_ptr_array_add (dict->items, spatial);
  return TRUE;
}

PhMlirAttr *
ph_mlir_dim_numbers (PhMlirParser *parser)
{
  /* clang-format off */
  static const char *const names[3][3] = {
    { "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions" },
    { "kernel_output_feature_dimension", "kernel_input_feature_dimension", "kernel_spatial_dimensions" },
    { "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions" } };
  static const char *const first[] = { "b", "o", "b" };
  /* clang-format on */
  PhMlirAttr *dict = new_attr (parser, PH_MLIR_DICT, "dimension_numbers");

  for (guint k = 0; k < 3; k++)
    {
      if (!add_list (parser, dict, names[k], first[k]))
        return NULL;
      if (k == 0 && ph_mlir_is_word (parser, "x"))
        ph_mlir_next (parser);
      else if (k == 1 && parser->token.kind == PH_MLIR_ARROW)
        ph_mlir_next (parser);
      else if (k < 2)
        {
          ph_mlir_fail (parser, "dimension numbers are written [b, f, 0]x[o, i, 0]->[b, f, 0]");
          return NULL;
        }
    }
  return dict;
}
