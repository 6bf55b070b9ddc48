/* group-name.c: names a region by a known pattern of its operators, or by the operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/scene/scene-build.h"
#include "core/scene/scene-read.h"

#define MAX_PARTS 3 /* operators in a name                                     */
#define BRANCHES  5 /* convolutions per Concat in a block of four branches, one of them a pool */

static const char *
short_name (const PhFace *face)
{
  return face->short_name != NULL ? face->short_name : face->title;
}

/* The operators of a region, and patterns in their order of execution. */
typedef struct
{
  guint tally[PH_N_MOTIFS];
  gboolean weighed; /* a product after a softmax, which weighs by it          */
  gboolean layered; /* a product after the second of two curves */
} Sight;

/* Names cells of a recurrent layer, which have parallel products: three gates and two curves around a state, or two gates and one. */
static const char *
cell_name (const guint t[PH_N_MOTIFS])
{
  const guint gates = t[PH_MOTIF_GATE], curves = t[PH_MOTIF_SMOOTH], products = t[PH_MOTIF_PRODUCT];

  if (t[PH_MOTIF_CONV] > 0 || t[PH_MOTIF_SOFTMAX] > 0 || t[PH_MOTIF_CURVE] > 0 || products == 0 || curves == 0)
    return NULL;
  if (2 * gates == 3 * curves)
    return gates == 3 ? "LSTM cell" : "LSTM cells";
  return gates == 2 * curves ? (gates == 2 ? "GRU cell" : "GRU cells") : NULL;
}

/* Returns the name of a known pattern. (nullable) */
static const char *
known_name (const Sight *sight)
{
  const guint *t = sight->tally;
  const guint conv = t[PH_MOTIF_CONV], matmul = t[PH_MOTIF_PRODUCT], norm = t[PH_MOTIF_NORM],
              curves = t[PH_MOTIF_CURVE] + t[PH_MOTIF_SMOOTH] + t[PH_MOTIF_GATE];
  const gboolean attention = sight->weighed && matmul >= 2;
  /* An MLP has one product per curve and one at the end, or a third beside a gate. If there are more, a curve is applied to their sum, as
   * in a recurrent layer. */
  const gboolean mlp = sight->layered && (matmul <= curves + 1 || (curves == 1 && matmul == 3))
                       && (t[PH_MOTIF_GATE] == 0 || t[PH_MOTIF_SMOOTH] == 0);

  if (cell_name (t) != NULL)
    return cell_name (t);

  if (attention && matmul >= 5 && curves > 0)
    return "Transformer block";
  if (attention)
    return norm > 0 ? "Norm + Attention" : "Attention";
  if (mlp && conv == 0)
    return norm > 0 ? "Norm + MLP" : "MLP";
  if (conv >= 3 && t[PH_MOTIF_CONCAT] > 0)
    return t[PH_MOTIF_POOL] > 0 && conv >= BRANCHES * t[PH_MOTIF_CONCAT] && conv <= 2 * BRANCHES * t[PH_MOTIF_CONCAT]
               ? "Inception block"
               : "Conv branches";
  if (conv >= 3 && t[PH_MOTIF_SUM] > 0)
    return "Bottleneck";
  if (conv == 2 && t[PH_MOTIF_SUM] > 0)
    return "Residual block";
  return NULL;
}

/* "Bottleneck: Conv-BN-Relu", "Conv-Relu-Pool"; @boxes in the order of computing. (transfer full) */
char *
ph_scene_region_title (PhSceneBuild *build, const int *boxes, int n, gboolean backward)
{
  PhScene *scene = build->scene;
  Sight sight = { .weighed = FALSE };
  const char *parts[MAX_PARTS];
  const char *known;
  gboolean bent = FALSE; /* a curve after a product */
  g_autoptr (GString) title = g_string_new (backward ? "∇ " : NULL);
  int n_parts = 0;

  /* Computing operators name a region; data movement only if there is nothing else. */
  for (int pass = 0; pass < 2 && (pass == 0 || n_parts == 0); pass++)
    for (int i = 0; i < n; i++)
      {
        const PhSceneBox *box = ph_scene_box (scene, boxes[i]);
        const PhFace *face = box->n_tenants > 0
                                 ? ph_scene_face (scene, &g_array_index (scene->tenants, PhTenant, box->first_tenant), 0)
                                 : NULL;
        gboolean new = n_parts < MAX_PARTS &&face != NULL;

        if (face == NULL)
          continue;
        sight.weighed |= face->motif == PH_MOTIF_PRODUCT && sight.tally[PH_MOTIF_SOFTMAX] > 0;
        sight.layered |= face->motif == PH_MOTIF_PRODUCT && bent;
        bent |= sight.tally[PH_MOTIF_PRODUCT] > 0
                && (face->motif == PH_MOTIF_CURVE || face->motif == PH_MOTIF_SMOOTH || face->motif == PH_MOTIF_GATE);
        /* The sum with a bias joins nothing. */
        if (pass == 0 && (face->motif != PH_MOTIF_SUM || build->n_fed[boxes[i]] > 1))
          sight.tally[face->motif]++;
        new = new && (pass > 0 || (face->family != PH_FAMILY_MOVEMENT && face->family != PH_FAMILY_CONSTANT));
        for (int k = 0; k < n_parts && new; k++)
          new = strcmp (parts[k], short_name (face)) != 0;
        if (new)
          parts[n_parts++] = short_name (face);
      }
  known = backward ? NULL : known_name (&sight);
  if (known != NULL)
    g_string_append (title, known);
  if (known != NULL && g_str_has_prefix (known, "Conv branches"))
    n_parts = 0;
  if (known != NULL && sight.tally[PH_MOTIF_CONV] == 0)
    n_parts = 0;
  if (known != NULL && n_parts > 0)
    g_string_append (title, ": ");
  for (int k = 0; k < n_parts; k++)
    g_string_append_printf (title, "%s%s", k > 0 ? "-" : "", parts[k]);
  return g_string_free (g_steal_pointer (&title), FALSE);
}
