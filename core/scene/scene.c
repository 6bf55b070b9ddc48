/* scene.c: turns the record of a history into boxes and edges, and their contents at each time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/discard.h"
#include "core/large-pages.h"
#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"
#include "core/scene/scene-read.h"

#include <stdlib.h>

/* ── boxes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns TRUE if @life is kept: a body's nodes with their owner, an output with a kept producer. */
static gboolean
is_kept (PhScene *scene, const PhLife *life, GHashTable *keep)
{
  if (life->owner != PH_NO_ID)
    return g_hash_table_contains (keep, GUINT_TO_POINTER (life->owner));
  if (life->kind != PH_LIFE_OUTPUT)
    return g_hash_table_contains (keep, GUINT_TO_POINTER (life->id));
  for (guint i = 0; i < scene->record->uses->len; i++)
    if (ph_scene_life (scene, ph_scene_use (scene, i)->to) == life
        && g_hash_table_contains (keep, GUINT_TO_POINTER (ph_scene_life (scene, ph_scene_use (scene, i)->from)->id)))
      return TRUE;
  return FALSE;
}

/* Assigns boxes to lives. Constants that feed a box are pills beside it; one that only feeds an output has its own box. */
static void
assign_boxes (PhSceneBuild *build)
{
  PhScene *scene = build->scene, *previous = build->options->previous;
  GHashTable *keep = build->options->keep;
  const guint n = scene->record->lives->len;
  g_autofree int *known = previous != NULL ? ph_scene_known_lives (scene, previous) : NULL, *goes_on = NULL;
  g_autofree guint8 *is_pill = g_new0 (guint8, n + 1);
  int n_boxes = 0;

  for (guint i = 0; i < scene->record->uses->len; i++)
    if (ph_scene_life (scene, ph_scene_use (scene, i)->from)->kind == PH_LIFE_CONSTANT && !ph_scene_use (scene, i)->control)
      is_pill[ph_scene_use (scene, i)->from] = TRUE;
  scene->box_of_life = g_new (int, n + 1);
  if (previous != NULL)
    {
      goes_on = g_new0 (int, ph_scene_n_boxes (previous) + 1); /* the box here + 1 */
      build->known = g_new (int, n + 1);
    }
  for (guint i = 0; i < n; i++)
    {
      const PhLife *life = ph_scene_life (scene, i);

      if (is_pill[i])
        scene->box_of_life[i] = -1;
      else if (keep != NULL && !is_kept (scene, life, keep))
        scene->box_of_life[i] = -2;
      else if (known != NULL && known[i] >= 0 && goes_on[known[i]] > 0)
        scene->box_of_life[i] = goes_on[known[i]] - 1;
      else if ((known == NULL || known[i] < 0) && life->replaces >= 0 && scene->box_of_life[life->replaces] >= 0
               && (previous == NULL || build->known[scene->box_of_life[life->replaces]] < 0
                   || ph_scene_fits (scene, i, previous, build->known[scene->box_of_life[life->replaces]])))
        scene->box_of_life[i] = scene->box_of_life[life->replaces];
      else
        {
          if (known != NULL)
            build->known[n_boxes] = known[i];
          if (known != NULL && known[i] >= 0)
            goes_on[known[i]] = n_boxes + 1;
          scene->box_of_life[i] = n_boxes++;
        }
    }
  build->n_known = n_boxes;

  g_array_set_size (scene->boxes, n_boxes);
  for (guint i = 0; i < n; i++)
    if (scene->box_of_life[i] >= 0)
      ph_scene_box_at (scene, scene->box_of_life[i])->n_tenants++;
  for (int b = 0, first = 0; b < n_boxes; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      box->parent = -1;
      box->first_tenant = first;
      first += box->n_tenants;
      box->n_tenants = 0;
    }
  g_array_set_size (scene->tenants, n);
  for (guint i = 0; i < n; i++) /* lives are in the order of birth */
    {
      PhLife *life = ph_scene_life (scene, i);
      PhSceneBox *box;
      PhTenant tenant = { life->id,      life->born, life->died,    scene->face_changes->len,
                          life->n_faces, life->role, life->partner, life->has_inside };

      if (scene->box_of_life[i] < 0)
        continue;
      box = ph_scene_box_at (scene, scene->box_of_life[i]);
      box->kind = life->kind == PH_LIFE_INPUT ? PH_BOX_INPUT : life->kind == PH_LIFE_OUTPUT ? PH_BOX_OUTPUT : PH_BOX_NODE;
      box->can_open |= life->has_bodies;
      if (life->scope != NULL && box->path == NULL)
        box->path = life->scope;
      if (life->owner != PH_NO_ID)
        {
          const int owner = ph_record_life_of (scene->record, life->owner);

          if (owner >= 0)
            box->parent = scene->box_of_life[owner];
        }
      if (life->kind == PH_LIFE_OUTPUT)
        tenant.id = PH_NO_ID;
      for (guint f = 0; f < life->n_faces; f++)
        g_array_append_val (scene->face_changes, *ph_life_face (life, f));
      g_array_index (scene->tenants, PhTenant, box->first_tenant + box->n_tenants++) = tenant;
    }
}

/* The cotangents that go in and the gradients that come out belong to the backward graph. */
static void
mark_backward (PhScene *scene)
{
  g_autofree guint8 *forward = g_new0 (guint8, scene->boxes->len + 1), *backward = g_new0 (guint8, scene->boxes->len + 1);

  for (guint b = 0; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      box->backward = box->kind == PH_BOX_NODE && box->n_tenants > 0
                      && g_array_index (scene->tenants, PhTenant, box->first_tenant).role == PH_ROLE_BACKWARD;
    }
  for (guint i = 0; i < scene->record->uses->len; i++)
    {
      const int from = scene->box_of_life[ph_scene_use (scene, i)->from], to = scene->box_of_life[ph_scene_use (scene, i)->to];

      if (from == -1 && to >= 0 && ph_scene_box (scene, to)->kind == PH_BOX_OUTPUT)
        *(ph_scene_life (scene, ph_scene_use (scene, i)->from)->role == PH_ROLE_BACKWARD ? &backward[to] : &forward[to]) = TRUE;
      if (from < 0 || to < 0)
        continue;
      if (ph_scene_box (scene, from)->kind == PH_BOX_INPUT)
        *(ph_scene_box (scene, to)->backward ? &backward[from] : &forward[from]) = TRUE;
      if (ph_scene_box (scene, to)->kind == PH_BOX_OUTPUT)
        *(ph_scene_box (scene, from)->backward ? &backward[to] : &forward[to]) = TRUE;
    }
  for (guint b = 0; b < scene->boxes->len; b++)
    if (ph_scene_box (scene, b)->kind != PH_BOX_NODE)
      ph_scene_box_at (scene, b)->backward = backward[b] && !forward[b];
}

/* ── edges ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  guint64 key;
  int use;
  guint8 link;
} KeyedUse;

static int
compare_keyed_uses (const void *a, const void *b)
{
  const KeyedUse *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->link != y->link ? x->link - y->link : x->use - y->use;
}

/* Uses between the same two boxes are one edge. */
static void
collect_edges (PhSceneBuild *build)
{
  PhScene *scene = build->scene;
  const guint n = scene->record->uses->len;
  g_autofree KeyedUse *keyed = g_new (KeyedUse, n + 1);
  guint n_keyed = 0;

  build->uses = g_new (int, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const int from = scene->box_of_life[ph_scene_use (scene, i)->from], to = scene->box_of_life[ph_scene_use (scene, i)->to];

      if (from >= 0 && to >= 0 && from != to)
        keyed[n_keyed++] = (KeyedUse) { (guint64) from << 32 | (guint) to, i, ph_scene_use (scene, i)->link != FALSE };
    }
  qsort (keyed, n_keyed, sizeof *keyed, compare_keyed_uses);
  for (guint i = 0; i < n_keyed; i++)
    {
      if (i == 0 || keyed[i].key != keyed[i - 1].key || keyed[i].link != keyed[i - 1].link)
        {
          const PhUnionEdge edge = { .from = keyed[i].key >> 32,
                                     .to = keyed[i].key & 0xffffffff,
                                     .first_use = i,
                                     .link = keyed[i].link,
                                     .operand = ph_scene_use (scene, keyed[i].use)->operand };

          g_array_append_val (build->union_edges, edge);
        }
      build->uses[i] = keyed[i].use;
      g_array_index (build->union_edges, PhUnionEdge, build->union_edges->len - 1).n_uses++;
    }
}

/* Returns the index of the first stop that is not before @time. */
static int
stop_at (PhRecord *record, int time)
{
  int low = 0, high = record->stops->len;

  while (low < high)
    {
      const int middle = (low + high) / 2;

      if (g_array_index (record->stops, int, middle) < time)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
add_presence (PhSceneBuild *build, PhUnionEdge *edge, guint presence)
{
  edge->presence += presence;
  for (guint i = 0; i < edge->n_via; i++)
    add_presence (build, &g_array_index (build->union_edges, PhUnionEdge, g_array_index (build->vias, int, edge->first_via + i)),
                  presence);
}

static void
weigh_edges (PhSceneBuild *build)
{
  PhRecord *record = build->scene->record;

  for (guint e = 0; e < build->union_edges->len; e++)
    {
      PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, e);
      guint presence = 0;

      for (guint u = 0; u < edge->n_uses; u++)
        {
          const PhUseLife *use = ph_scene_use (build->scene, build->uses[edge->first_use + u]);

          presence += stop_at (record, use->died) - stop_at (record, use->born);
        }
      add_presence (build, edge, MIN (presence, record->stops->len));
    }
}

static void
size_boxes (PhSceneBuild *build)
{
  PhScene *scene = build->scene, *previous = build->options->previous;

  for (guint b = 0; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);

      for (guint t = 0; t < box->n_tenants; t++)
        {
          const PhTenant *tenant = &g_array_index (scene->tenants, PhTenant, box->first_tenant + t);

          for (guint f = 0; f < tenant->n_faces; f++)
            {
              const PhFace *face = ph_faces_get (scene->record->faces,
                                                 g_array_index (scene->face_changes, PhFaceChange, tenant->first_face + f).face);

              box->rect.width = MAX (box->rect.width, face->width);
              box->rect.height = MAX (box->rect.height, face->height);
            }
        }
      if (previous != NULL && build->known[b] >= 0)
        {
          const PhSceneBox *before = ph_scene_box (previous, build->known[b]);

          /* The text may have become longer, but the room between neighbours is limited. */
          if (!before->open)
            {
              box->rect.width = CLAMP (box->rect.width, before->rect.width, before->rect.width + PH_SCENE_ROOM);
              box->rect.height = CLAMP (box->rect.height, before->rect.height, before->rect.height + PH_SCENE_ROOM);
            }
        }
      box->rect.width = MAX (box->rect.width, 30);
      box->rect.height = MAX (box->rect.height, PH_FACE_HEADER);
    }
}

/* ── making ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
go_on (PhSceneBuild *build, GError **error)
{
  if (!g_cancellable_is_cancelled (build->cancellable))
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
  return FALSE;
}

static gboolean
arrange_across (PhSceneBuild *build, GError **error)
{
  const PhSceneOptions *options = build->options;
  PhSceneOptions turned = *options;
  gboolean done;

  if (options->previous != NULL)
    turned.previous = ph_scene_new_turned (options->previous);
  build->options = &turned;
  ph_scene_turn_sizes (build);
  done = ph_scene_arrange (build, error);
  ph_scene_turn (build->scene);
  build->options = options;
  g_clear_pointer (&turned.previous, ph_scene_free_turned);
  return done;
}

/* Builds the boxes and edges of the scene from the record's lives. */
static gboolean
build_scene (PhSceneBuild *build, GError **error)
{
  assign_boxes (build);
  mark_backward (build->scene);
  collect_edges (build);
  if (!go_on (build, error))
    return FALSE;
  ph_scene_bypass (build);
  weigh_edges (build);
  if (!go_on (build, error))
    return FALSE;
  ph_scene_pills (build);
  size_boxes (build);
  if (!go_on (build, error))
    return FALSE;
  ph_scene_group (build);
  if (!go_on (build, error) || !(build->scene->across ? arrange_across : ph_scene_arrange) (build, error))
    return FALSE;
  ph_scene_place_blocks (build->scene);
  ph_scene_index (build->scene);
  return TRUE;
}

PhScene *
ph_scene_new_of (PhRecord *record, const PhSceneOptions *options, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhScene) scene = g_new0 (PhScene, 1);
  PhSceneOptions asked = options != NULL ? *options : (PhSceneOptions) { 0 };
  PhSceneBuild build = { scene, &asked, .cancellable = cancellable };
  const guint n = record != NULL ? record->lives->len : 0;
  gboolean done;

  g_atomic_ref_count_init (&scene->ref_count);
  scene->record = record;
  scene->across = asked.across;
  /* Positions from the other orientation are of no use. */
  if (asked.previous != NULL && asked.previous->across != asked.across)
    asked.previous = NULL;
  scene->boxes = ph_large_array (TRUE, sizeof (PhSceneBox), n);
  scene->tenants = ph_large_array (TRUE, sizeof (PhTenant), n);
  scene->face_changes = ph_large_array (FALSE, sizeof (PhFaceChange), n);
  scene->pills = g_array_new (FALSE, FALSE, sizeof (PhPill));
  scene->edges = g_array_new (FALSE, TRUE, sizeof (PhSceneEdge));
  scene->points = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  scene->spans = g_array_new (FALSE, FALSE, sizeof (PhEdgeSpan));
  scene->counts = g_array_new (FALSE, FALSE, sizeof (PhEdgeCount));
  scene->group_states = g_array_new (FALSE, FALSE, sizeof (PhGroupState));
  scene->pill_of_id = g_hash_table_new (NULL, NULL);
  if (record == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
      return NULL;
    }

  build.union_edges = ph_large_array (FALSE, sizeof (PhUnionEdge), record->uses->len);
  build.vias = g_array_new (FALSE, FALSE, sizeof (int));
  done = build_scene (&build, error);
  ph_faces_finish (record->faces);
  g_array_unref (build.union_edges);
  g_array_unref (build.vias);
  g_free (build.uses);
  g_free (build.column);
  g_free (build.known);
  g_free (build.rank);
  g_free (build.stack);
  return done ? g_steal_pointer (&scene) : NULL;
}

PhScene *
ph_scene_new (PhModel *model, PhHistory *history, const PhSceneOptions *options, GCancellable *cancellable, GError **error)
{
  PhRecord *record = ph_record_new (model, history, PH_NO_ID, cancellable);

  ph_model_free (model);
  g_clear_pointer (&history, ph_history_free);
  return ph_scene_new_of (record, options, cancellable, error);
}

PhId
ph_scene_inside (PhScene *scene)
{
  return scene->record->inside;
}

PhScene *
ph_scene_ref (PhScene *scene)
{
  g_atomic_ref_count_inc (&scene->ref_count);
  return scene;
}

static void
scene_free (gpointer data)
{
  PhScene *scene = data;

  g_clear_pointer (&scene->record, ph_record_free);
  g_array_unref (scene->boxes);
  g_array_unref (scene->tenants);
  g_array_unref (scene->face_changes);
  g_array_unref (scene->pills);
  g_array_unref (scene->edges);
  g_array_unref (scene->points);
  g_array_unref (scene->spans);
  g_array_unref (scene->counts);
  g_array_unref (scene->group_states);
  g_hash_table_unref (scene->pill_of_id);
  g_free (scene->box_of_life);
  g_free (scene->out_start);
  g_free (scene->out);
  g_free (scene->in_start);
  g_free (scene->in);
  g_free (scene->child_start);
  g_free (scene->children);
  ph_grid_clear (&scene->box_grid);
  ph_grid_clear (&scene->edge_grid);
  g_free (scene);
}

void
ph_scene_unref (PhScene *scene)
{
  if (scene != NULL && g_atomic_ref_count_dec (&scene->ref_count))
    ph_discard (scene, scene_free);
}
