/* functional.c: Python's functions as ATen's operators, which have other names, other parameters or lists of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/call.h"

typedef struct
{
  const char *word, *aten;
} Word;

/* clang-format off */
static const Word names[] = {
  { "grid_sample", "grid_sampler" }, { "affine_grid", "affine_grid_generator" }, { "cross_entropy", "cross_entropy_loss" },
  { "fold", "col2im" }, { "unfold", "im2col" }, { "dropout1d", "feature_dropout" }, { "dropout2d", "feature_dropout" }, { "dropout3d", "feature_dropout" },
};
static const Word modes[] = {
  { "nearest", "upsample_nearest2d" }, { "nearest-exact", "_upsample_nearest_exact2d" }, { "linear", "upsample_linear1d" },
  { "bilinear", "upsample_bilinear2d" }, { "bicubic", "upsample_bicubic2d" }, { "trilinear", "upsample_trilinear3d" },
};
static const Word parameters[] = { { "size", "output_size" }, { "scale_factor", "scale_factors" } };
/* clang-format on */

static const char *
find (const Word *words, gsize n, const char *word)
{
  for (gsize i = 0; i < n && word != NULL; i++)
    if (g_str_equal (words[i].word, word))
      return words[i].aten;
  return NULL;
}

static const char *
text_of (const PhTorchVal *val)
{
  return val != NULL && val->kind == PH_TORCH_LITERAL && val->py->kind == PH_PY_STRING ? val->py->text : NULL;
}

/* None and False, of a parameter that ATen's operator does not have. */
static gboolean
is_nothing (const PhTorchVal *val)
{
  return val != NULL && val->kind == PH_TORCH_LITERAL
         && (ph_py_is_none (val->py) || (val->py->kind == PH_PY_CONSTANT && g_str_equal (val->py->text, "False")));
}

/* Finds the operator by the function's name, and for interpolate () by its mode. */
static void
choose (PhTorchTarget *target, GPtrArray *keywords)
{
  const char *last = strrchr (target->op, '.') != NULL ? strrchr (target->op, '.') + 1 : target->op;
  const char *aten = find (names, G_N_ELEMENTS (names), last), *mode = "nearest";

  for (guint k = 0; g_str_equal (last, "interpolate") && k + 1 < keywords->len; k += 2)
    if (g_str_equal (keywords->pdata[k], "mode"))
      mode = text_of (keywords->pdata[k + 1]);
  if (g_str_equal (last, "interpolate"))
    aten = find (modes, G_N_ELEMENTS (modes), mode);
  if (aten == NULL)
    return;
  g_free (target->op);
  g_free (target->domain);
  target->op = g_strdup (aten);
  target->domain = g_strdup (PH_TORCH_ATEN);
}

/* A word that ATen writes as a number. -1: it is none. */
static gint64
number_of (const char *name, const char *text)
{
  static const struct
  {
    const char *name, *words[4];
  } lists[] = { { "reduction", { "none", "mean", "sum" } },
                { "mode", { "bilinear", "nearest", "bicubic" } },
                { "padding_mode", { "zeros", "border", "reflection" } } };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (gint64 k = 0; g_str_equal (lists[i].name, name) && lists[i].words[k] != NULL; k++)
      if (g_str_equal (lists[i].words[k], text))
        return k;
  return -1;
}

static void
change_keywords (PhTorch *torch, const char *op, GPtrArray *keywords)
{
  static const char *const dropped[] = { "return_indices", "antialias", "recompute_scale_factor", "size_average", "reduce",
                                         "align_corners",  NULL };
  const gboolean resizes = strstr (op, "upsample_") != NULL, samples = g_str_equal (op, "grid_sampler");

  for (guint k = keywords->len / 2; k-- > 0;)
    {
      const char *name = keywords->pdata[2 * k], *text = text_of (keywords->pdata[2 * k + 1]),
                 *other = resizes ? find (parameters, G_N_ELEMENTS (parameters), name) : NULL;

      if (g_str_equal (name, "inplace") || g_str_equal (name, "_stacklevel") || (resizes && g_str_equal (name, "mode"))
          || (g_strv_contains (dropped, name) && is_nothing (keywords->pdata[2 * k + 1])))
        {
          g_ptr_array_remove_range (keywords, 2 * k, 2);
          continue;
        }
      if (g_str_equal (name, "training") && strstr (op, "dropout") != NULL)
        keywords->pdata[2 * k] = (gpointer) "train";
      if (other != NULL)
        keywords->pdata[2 * k] = (gpointer) other;
      if (text != NULL && (samples || g_str_equal (name, "reduction")) && number_of (name, text) >= 0)
        {
          keywords->pdata[2 * k + 1] = ph_torch_int (torch, number_of (name, text));
          if (g_str_equal (name, "mode"))
            keywords->pdata[2 * k] = (gpointer) "interpolation_mode";
        }
    }
}

void
ph_torch_from_functional (PhTorch *torch, PhTorchTarget *target, GPtrArray *args, GPtrArray *keywords)
{
  choose (target, keywords);
  if ((g_str_equal (target->op, "batch_norm") || g_str_equal (target->op, "instance_norm")) && args->len >= 3)
    {
      PhTorchVal *mean = args->pdata[1], *var = args->pdata[2];

      args->pdata[1] = args->len > 3 ? args->pdata[3] : NULL;
      args->pdata[2] = args->len > 4 ? args->pdata[4] : NULL;
      while (args->len < 5)
        g_ptr_array_add (args, NULL);
      args->pdata[3] = mean;
      args->pdata[4] = var;
    }
  else if (g_str_equal (target->op, "embedding") && args->len >= 2)
    {
      gpointer indices = args->pdata[0];

      args->pdata[0] = args->pdata[1];
      args->pdata[1] = indices;
    }
  change_keywords (torch, target->op, keywords);
}

void
ph_torch_gather_tensors (PhTorch *torch, const char *op, GPtrArray *args)
{
  static const char *const ops[] = { "block_diag", "broadcast_tensors", "cartesian_prod", "chain_matmul", "meshgrid", NULL };
  const guint first = g_str_equal (op, "einsum") ? 1 : g_strv_contains (ops, op) ? 0 : G_MAXUINT;
  const PhTorchVal *val = first < args->len ? args->pdata[first] : NULL;
  PhTorchVal *list;

  if (val == NULL || val->kind != PH_TORCH_VALUE || val->whole)
    return;
  list = ph_torch_list (torch, FALSE);
  for (guint i = first; i < args->len; i++)
    g_ptr_array_add (list->items, args->pdata[i]);
  g_ptr_array_set_size (args, (int) first);
  g_ptr_array_add (args, list);
}
