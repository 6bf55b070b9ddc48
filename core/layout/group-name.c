/* group-name.c: what a region is called: by what its operators make together, or by the operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/layout/scene-private.h"

#define MAX_PARTS 3            /* operators in a name */

static const struct { const char *op, *name; } short_names[] = {
  { "BatchNormalization", "BN" }, { "LayerNormalization", "LayerNorm" }, { "InstanceNormalization", "InstanceNorm" },
  { "RMSNormalization", "RMSNorm" }, { "GlobalAveragePool", "Pool" }, { "AveragePool", "Pool" }, { "MaxPool", "Pool" },
  { "ConvTranspose", "ConvT" }, { "QuantizeLinear", "Quantize" }, { "DequantizeLinear", "Dequantize" },
};

static const char *
short_name (const char *op)
{
  for (guint i = 0; i < G_N_ELEMENTS (short_names); i++)
    if (strcmp (short_names[i].op, op) == 0)
      return short_names[i].name;
  return op;
}

typedef struct { guint conv, matmul, softmax, norm, curve, add, concat, pool, erf; } Tally;

/* Fused nodes are named after what they hold: "Conv" is in "Conv+Relu" too. */
static void
count (Tally *tally, const char *op)
{
  tally->conv += g_str_has_prefix (op, "Conv") || strstr (op, "QLinearConv") != NULL;
  tally->matmul += strstr (op, "MatMul") != NULL || g_str_has_prefix (op, "Gemm");
  tally->softmax += strcmp (op, "Softmax") == 0 || strstr (op, "Attention") != NULL;
  tally->norm += strstr (op, "LayerNorm") != NULL || strstr (op, "RMSNorm") != NULL || strcmp (op, "ReduceMean") == 0;
  tally->erf += strcmp (op, "Erf") == 0 || strstr (op, "Gelu") != NULL || strcmp (op, "Tanh") == 0;
  tally->curve += strcmp (op, "Relu") == 0 || strcmp (op, "Sigmoid") == 0;
  tally->add += strcmp (op, "Add") == 0 || strcmp (op, "Sum") == 0;
  tally->concat += strcmp (op, "Concat") == 0;
  tally->pool += strstr (op, "Pool") != NULL;
}

/* What is known by sight. (nullable) */
static const char *
known_name (const Tally *t, int n)
{
  const gboolean attention = t->softmax > 0 && t->matmul >= 2, mlp = t->matmul >= 2 && t->erf + t->curve > 0;

  if (attention && t->matmul >= 5 && t->erf + t->curve > 0)
    return "Transformer block";
  if (attention)
    return t->norm > 0 ? "Norm + Attention" : "Attention";
  if (mlp && t->conv == 0)
    return t->norm > 0 ? "Norm + MLP" : "MLP";
  if (t->conv >= 3 && t->concat > 0)
    return t->pool > 0 ? "Inception block" : "Conv branches";
  if (t->conv >= 3 && t->add > 0)
    return "Bottleneck";
  if (t->conv == 2 && t->add > 0)
    return "Residual block";
  return NULL;
}

/* "Bottleneck: Conv-BN-Relu", "Conv-Relu-Pool"; @boxes in the order of computing. (transfer full) */
char *
ph_scene_region_title (PhScene *scene, const int *boxes, int n, gboolean backward)
{
  Tally tally = { 0, };
  const char *parts[MAX_PARTS];
  const char *known;
  g_autoptr(GString) title = g_string_new (backward ? "∇ " : NULL);
  int n_parts = 0;

  /* What computes names a region; what only moves data does where there is nothing else. */
  for (int pass = 0; pass < 2 && (pass == 0 || n_parts == 0); pass++)
    for (int i = 0; i < n; i++)
      {
        const PhSceneBox *box = ph_scene_box (scene, boxes[i]);
        const PhFace *face = box->n_tenants > 0
                             ? ph_scene_face (scene, &g_array_index (scene->tenants, PhTenant, box->first_tenant), 0) : NULL;
        gboolean new = n_parts < MAX_PARTS && face != NULL;

        if (face == NULL)
          continue;
        if (pass == 0)
          count (&tally, face->title);
        new = new && (pass > 0 || (face->family != PH_FAMILY_MOVEMENT && face->family != PH_FAMILY_CONSTANT));
        for (int k = 0; k < n_parts && new; k++)
          new = strcmp (parts[k], short_name (face->title)) != 0;
        if (new)
          parts[n_parts++] = short_name (face->title);
      }
  known = backward ? NULL : known_name (&tally, n);
  if (known != NULL)
    g_string_append (title, known);
  if (known != NULL && g_str_has_prefix (known, "Conv branches"))
    n_parts = 0;
  if (known != NULL && tally.conv == 0)
    n_parts = 0;
  if (known != NULL && n_parts > 0)
    g_string_append (title, ": ");
  for (int k = 0; k < n_parts; k++)
    g_string_append_printf (title, "%s%s", k > 0 ? "-" : "", parts[k]);
  return g_string_free (g_steal_pointer (&title), FALSE);
}
