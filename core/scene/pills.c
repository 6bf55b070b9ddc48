/* pills.c: constants beside the boxes that they feed, and ends of edges that are too long to draw.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-private.h"

#include <stdlib.h>

#include "core/layered/layered.h"
#include "core/scene/scene-build.h"

#define MANY_USERS   8  /* a value with more users is cut to pills where they are far away                       */
#define MANY_SOURCES 4  /* so is a box with more producers, such as the sum of a shared weight's gradients         */
#define FAR          8  /* layers                                                                                */
#define TOO_FAR      48 /* any edge longer than that is cut                                                      */
#define END          6  /* edges from a box to the end of its path                                                  */

typedef struct
{
  int box, use;
  gboolean is_link;
} PillUse;

static int
compare_pill_uses (const void *a, const void *b)
{
  const PillUse *x = a, *y = b;

  return x->box != y->box ? x->box - y->box : x->use - y->use;
}

/* Returns TRUE if both boxes were in the previous picture. @kept: the edge was a line there. */
static gboolean
is_kept (PhSceneBuild *build, const PhUnionEdge *edge, gboolean *kept)
{
  PhScene *previous = build->options->previous;
  const PhSceneBox *before;
  int line;

  if (previous == NULL || build->known[edge->from] < 0 || build->known[edge->to] < 0
      || !ph_scene_box (previous, build->known[edge->from])->shown || !ph_scene_box (previous, build->known[edge->to])->shown)
    return FALSE;
  *kept = ph_scene_kept_edge (build, edge->from, edge->to, edge->from, &line);
  before = ph_scene_box (previous, build->known[edge->to]);
  for (guint p = before->first_pill; p < before->first_pill + before->n_pills && !*kept; p++)
    for (guint u = 0; u < edge->n_uses; u++)
      if (ph_scene_pill (previous, p)->is_link
          && ph_scene_pill (previous, p)->id
                 == ph_scene_life (build->scene, ph_scene_use (build->scene, build->uses[edge->first_use + u])->from)->id)
        return TRUE;
  return *kept;
}

/* For a box of the backward graph: the edges of the longest path to it, and from it to an end. */
typedef struct
{
  int *made, *left;
} Depths;

static void
find_depths (PhSceneBuild *build, const int *rank, Depths *depths)
{
  PhScene *scene = build->scene;
  const int n = scene->boxes->len, n_edges = build->union_edges->len;
  g_autofree PhArc *arcs = g_new (PhArc, n_edges + 1);
  g_autofree int *order = g_new (int, n + 1), *first = NULL;
  PhRows out;
  int n_arcs = 0, n_layers = 0;

  depths->made = g_new0 (int, n + 1);
  depths->left = g_new0 (int, n + 1);
  for (int e = 0; e < n_edges; e++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, e);

      if (edge->n_via == 0 && rank[edge->from] > rank[edge->to] && ph_scene_box (scene, edge->from)->backward
          && ph_scene_box (scene, edge->to)->backward)
        arcs[n_arcs++] = (PhArc) { edge->from, edge->to, 1, 1 };
    }
  for (int b = 0; b < n; b++)
    n_layers = MAX (n_layers, rank[b] + 1);
  first = g_new0 (int, n_layers + 2);
  for (int b = 0; b < n; b++)
    first[n_layers - 1 - rank[b] + 1]++;
  for (int r = 0; r < n_layers; r++)
    first[r + 1] += first[r];
  for (int b = 0; b < n; b++)
    order[first[n_layers - 1 - rank[b]]++] = b;
  ph_rows_init (&out, n, n_arcs, &arcs->from, sizeof (PhArc));
  for (int i = 0; i < n; i++)
    for (int k = out.start[order[i]]; k < out.start[order[i] + 1]; k++)
      depths->made[arcs[out.index[k]].to] = MAX (depths->made[arcs[out.index[k]].to], depths->made[order[i]] + 1);
  for (int i = n - 1; i >= 0; i--)
    for (int k = out.start[order[i]]; k < out.start[order[i] + 1]; k++)
      depths->left[order[i]] = MAX (depths->left[order[i]], depths->left[arcs[out.index[k]].to] + 1);
  ph_rows_clear (&out);
}

/* Returns TRUE for an edge that gathers a value from far away near an end, such as the sum of the gradients of a weight shared by several
 * layers: a line would pull nodes away from their layer. */
static gboolean
is_gathered (const Depths *depths, const PhUnionEdge *edge)
{
  return depths->made[edge->to] - depths->made[edge->from] > FAR && depths->left[edge->to] <= END;
}

/* Returns TRUE if the edge or any part of its route is cut. */
static gboolean
is_cut (PhSceneBuild *build, const guint8 *cut, int e)
{
  const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, e);

  for (guint k = 0; k < edge->n_via; k++)
    if (is_cut (build, cut, g_array_index (build->vias, int, edge->first_via + k)))
      return TRUE;
  return cut[e];
}

/* Cuts edges that would run across the whole picture: to the far users of a value with many, and any far too long one. One attention mask
 * that feeds every layer makes a layout slow and a picture grey. The backward graph's reads of forward values are never lines: they would
 * run over boxes of both. */
static void
cut_long_edges (PhSceneBuild *build, GArray *pill_uses)
{
  PhScene *scene = build->scene;
  const guint n = scene->boxes->len;
  g_autofree int *rank = ph_scene_rank (build), *n_users = g_new0 (int, n + 1);
  g_autofree int *n_sources = g_new0 (int, n + 1);
  Depths depths;
  g_autofree guint8 *cut = g_new0 (guint8, build->union_edges->len + 1);
  gboolean any_cut = FALSE;

  find_depths (build, rank, &depths);
  for (guint i = 0; i < build->union_edges->len; i++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);

      if (edge->n_via > 0)
        continue;
      n_users[edge->from]++;
      n_sources[edge->to]++;
    }
  for (guint i = 0; i < build->union_edges->len; i++)
    {
      PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);
      const int span = abs (rank[edge->to] - rank[edge->from]);
      const gboolean across = ph_scene_box (scene, edge->from)->backward != ph_scene_box (scene, edge->to)->backward;
      gboolean kept = FALSE;

      if (edge->n_via > 0)
        continue;
      if (is_kept (build, edge, &kept))
        cut[i] = !kept;
      else if (across)
        cut[i] = ph_scene_box (scene, edge->to)->backward;
      else
        cut[i] = ((n_users[edge->from] > MANY_USERS || n_sources[edge->to] > MANY_SOURCES) && span > FAR) || span > TOO_FAR
                 || (n_sources[edge->to] > 1 && is_gathered (&depths, edge));
    }
  for (guint i = 0; i < build->union_edges->len; i++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);

      cut[i] = is_cut (build, cut, i);
      for (guint k = 0; k < edge->n_uses && cut[i]; k++)
        {
          const PillUse pill = { edge->to, build->uses[edge->first_use + k], TRUE };

          g_array_append_val (pill_uses, pill);
        }
    }
  g_free (depths.made);
  g_free (depths.left);
  for (guint i = 0; i < build->union_edges->len; i++)
    if (cut[i])
      {
        g_array_index (build->union_edges, PhUnionEdge, i).from = -1;
        any_cut = TRUE;
      }
  if (!any_cut)
    build->rank = g_steal_pointer (&rank);
}

/* Returns the text of a pill at the end of a cut edge: its origin. A forward value read by the backward graph is named as in the formulas.
 * (transfer full) */
static char *
link_text (PhScene *scene, const PhUseLife *use)
{
  const PhLife *from = ph_scene_life (scene, use->from), *to = ph_scene_life (scene, use->to);
  const PhFace *face = from->n_faces > 0 ? ph_faces_get (scene->record->faces, from->face.face) : NULL;
  const gboolean across = to->role == PH_ROLE_BACKWARD && from->role != PH_ROLE_BACKWARD;
  const char *name = across && from->kind == PH_LIFE_NODE ? ph_record_known (scene->record, use->value).name : NULL;

  return g_strconcat (name != NULL || across ? "" : "↖ ", name != NULL ? name : face != NULL ? face->title : "?", NULL);
}

/* @values: the value that a text refers to, PH_NO_ID if there are several: then the text names the value. */
static guint
link_face (PhScene *scene, const PhUseLife *use, GHashTable *values)
{
  g_autofree char *text = link_text (scene, use);
  g_autoptr (GString) title = g_string_new (text);

  if (GPOINTER_TO_UINT (g_hash_table_lookup (values, text)) != use->value)
    g_string_append_printf (title, " v%u", use->value);
  if (use->times > 1)
    g_string_append_printf (title, " ×%u", use->times);
  return ph_faces_add_text (scene->record->faces, title->str, NULL, PH_FAMILY_IO);
}

/* (transfer full): see link_face(). */
static GHashTable *
find_texts (PhScene *scene, const GArray *pill_uses)
{
  GHashTable *values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < pill_uses->len; i++)
    {
      const PillUse *pill_use = &g_array_index (pill_uses, PillUse, i);
      const PhUseLife *use = ph_scene_use (scene, pill_use->use);
      char *text = pill_use->is_link ? link_text (scene, use) : NULL;
      gpointer known;

      if (text != NULL && g_hash_table_lookup_extended (values, text, NULL, &known) && GPOINTER_TO_UINT (known) != use->value)
        g_hash_table_insert (values, text, GUINT_TO_POINTER (PH_NO_ID));
      else if (text != NULL)
        g_hash_table_insert (values, text, GUINT_TO_POINTER (use->value));
    }
  return values;
}

static void
place_pills (PhSceneBuild *build, GArray *pill_uses)
{
  PhScene *scene = build->scene;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (int)); /* when each row is free again */
  g_autoptr (GHashTable) texts = find_texts (scene, pill_uses);

  g_array_sort (pill_uses, compare_pill_uses);
  build->column = g_new0 (float, scene->boxes->len + 1);
  build->stack = g_new0 (float, scene->boxes->len + 1);
  for (guint i = 0; i < pill_uses->len; i++)
    {
      const PillUse *pill_use = &g_array_index (pill_uses, PillUse, i);
      const PhUseLife *use = ph_scene_use (scene, pill_use->use);
      const PhLife *from = ph_scene_life (scene, use->from);
      PhSceneBox *box = ph_scene_box_at (scene, pill_use->box);
      PhPill pill = { { 0, 0, 0, PH_PILL_HEIGHT }, from->id, use->born, use->died, 0, pill_use->is_link };
      guint row = 0;

      if (from->kind == PH_LIFE_OUTPUT)
        continue;
      if (box->n_pills == 0)
        {
          box->first_pill = scene->pills->len;
          g_array_set_size (rows, 0);
        }
      pill.face = pill.is_link || from->n_faces == 0 ? link_face (scene, use, texts) : from->face.face;
      pill.rect.width = MIN (ph_faces_get (scene->record->faces, pill.face)->width, 150);
      while (row < rows->len && g_array_index (rows, int, row) > pill.born)
        row++;
      if (row == rows->len)
        g_array_append_val (rows, pill.died);
      else
        g_array_index (rows, int, row) = pill.died;
      pill.rect.y = row * (PH_PILL_HEIGHT + 3);
      build->column[pill_use->box] = MAX (build->column[pill_use->box], pill.rect.width + PH_PILL_GAP);
      build->stack[pill_use->box] = rows->len * (PH_PILL_HEIGHT + 3) - 3;
      g_array_append_val (scene->pills, pill);
      box->n_pills++;
      if (!pill.is_link && !g_hash_table_contains (scene->pill_of_id, GUINT_TO_POINTER (pill.id)))
        g_hash_table_insert (scene->pill_of_id, GUINT_TO_POINTER (pill.id), GUINT_TO_POINTER (scene->pills->len));
    }
  g_array_unref (rows);
}

void
ph_scene_pills (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  g_autoptr (GArray) pill_uses = g_array_new (FALSE, FALSE, sizeof (PillUse));

  for (guint i = 0; i < scene->record->uses->len; i++)
    {
      const PhUseLife *use = ph_scene_use (scene, i);
      const PillUse pill = { scene->box_of_life[use->to], i, scene->box_of_life[use->from] == -2 };

      if (scene->box_of_life[use->from] < 0 && pill.box >= 0)
        g_array_append_val (pill_uses, pill);
    }
  cut_long_edges (build, pill_uses);
  place_pills (build, pill_uses);
}
