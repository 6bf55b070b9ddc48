/* scene.c: from the record of a history to boxes and edges, and what is in them at each time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layout/scene-private.h"

#include <math.h>
#include <stdlib.h>

#include "core/layout/layered.h"

#define MANY_USERS 8           /* a value with more users is cut to pills where they are far away                       */
#define FAR        8           /* layers                                                                                */
#define TOO_FAR    48          /* any edge longer than that is cut                                                      */

static PhLife *
life_at (PhScene *scene, int life)
{
  return &g_array_index (scene->record->lives, PhLife, life);
}

static PhUseLife *
use_at (PhScene *scene, int use)
{
  return &g_array_index (scene->record->uses, PhUseLife, use);
}

/* ── boxes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Of a body, what its owner is; of the graph's ends, what touches something that is kept. */
static gboolean
is_kept (PhScene *scene, const PhLife *life, GHashTable *keep)
{
  if (life->owner != PH_NO_ID)
    return g_hash_table_contains (keep, GUINT_TO_POINTER (life->owner));
  if (life->kind != PH_LIFE_OUTPUT)
    return g_hash_table_contains (keep, GUINT_TO_POINTER (life->id));
  for (guint i = 0; i < scene->record->uses->len; i++)
    if (life_at (scene, use_at (scene, i)->to) == life
        && g_hash_table_contains (keep, GUINT_TO_POINTER (life_at (scene, use_at (scene, i)->from)->id)))
      return TRUE;
  return FALSE;
}

/* Constants that feed a box are pills at its side; one that feeds nothing else has a box of its own. */
static void
assign_boxes (PhScene *scene, GHashTable *keep)
{
  const guint n = scene->record->lives->len;
  g_autofree guint8 *is_pill = g_new0 (guint8, n + 1);
  int n_boxes = 0;

  for (guint i = 0; i < scene->record->uses->len; i++)
    if (life_at (scene, use_at (scene, i)->from)->kind == PH_LIFE_CONSTANT && !use_at (scene, i)->control)
      is_pill[use_at (scene, i)->from] = TRUE;
  scene->box_of_life = g_new (int, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const PhLife *life = life_at (scene, i);

      if (is_pill[i])
        scene->box_of_life[i] = -1;
      else if (keep != NULL && !is_kept (scene, life, keep))
        scene->box_of_life[i] = -2;
      else if (life->replaces >= 0 && scene->box_of_life[life->replaces] >= 0)
        scene->box_of_life[i] = scene->box_of_life[life->replaces];
      else
        scene->box_of_life[i] = n_boxes++;
    }

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
  for (guint i = 0; i < n; i++)        /* lives are in the order of birth */
    {
      const PhLife *life = life_at (scene, i);
      PhSceneBox *box;
      PhTenant tenant = { life->id, life->born, life->died, scene->face_changes->len, life->faces->len, life->role, life->partner };

      if (scene->box_of_life[i] < 0)
        continue;
      box = ph_scene_box_at (scene, scene->box_of_life[i]);
      box->kind = life->kind == PH_LIFE_INPUT ? PH_BOX_INPUT : life->kind == PH_LIFE_OUTPUT ? PH_BOX_OUTPUT : PH_BOX_NODE;
      box->can_open |= life->has_bodies;
      if (life->scope != NULL && box->path == NULL)
        box->path = life->scope;
      if (life->owner != PH_NO_ID)
        {
          const int owner = GPOINTER_TO_INT (g_hash_table_lookup (scene->record->by_id, GUINT_TO_POINTER (life->owner))) - 1;

          if (owner >= 0)
            box->parent = scene->box_of_life[owner];
        }
      if (life->kind == PH_LIFE_OUTPUT)
        tenant.id = PH_NO_ID;
      g_array_append_vals (scene->face_changes, life->faces->data, life->faces->len);
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
      const int from = scene->box_of_life[use_at (scene, i)->from], to = scene->box_of_life[use_at (scene, i)->to];

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

typedef struct { guint64 key; int use; } KeyedUse;

static int
compare_keyed_uses (const void *a, const void *b)
{
  const KeyedUse *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->use - y->use;
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
      const int from = scene->box_of_life[use_at (scene, i)->from], to = scene->box_of_life[use_at (scene, i)->to];

      if (from >= 0 && to >= 0 && from != to)
        keyed[n_keyed++] = (KeyedUse) { (guint64) from << 32 | (guint) to, i };
    }
  qsort (keyed, n_keyed, sizeof *keyed, compare_keyed_uses);
  for (guint i = 0; i < n_keyed; i++)
    {
      if (i == 0 || keyed[i].key != keyed[i - 1].key)
        {
          const PhUnionEdge edge = { keyed[i].key >> 32, keyed[i].key & 0xffffffff, i, 0, 0, 0 };

          g_array_append_val (build->union_edges, edge);
        }
      build->uses[i] = keyed[i].use;
      g_array_index (build->union_edges, PhUnionEdge, build->union_edges->len - 1).n_uses++;
    }
}

typedef struct { int box, use; gboolean is_link; } PillUse;

static int
compare_pill_uses (const void *a, const void *b)
{
  const PillUse *x = a, *y = b;

  return x->box != y->box ? x->box - y->box : x->use - y->use;
}

/* Cuts what would run across the whole picture: the far users of a value with many, and any edge that is far too long.
 * One attention mask that feeds every layer makes a layout slow and a picture grey. */
static void
cut_long_edges (PhSceneBuild *build, GArray *pill_uses)
{
  PhScene *scene = build->scene;
  const guint n = scene->boxes->len;
  PhLayout *layout = ph_layout_new (n, build->union_edges->len);
  g_autofree int *rank = g_new0 (int, n + 1), *n_users = g_new0 (int, n + 1);
  g_autofree guint8 *reversed = g_new0 (guint8, build->union_edges->len + 1), *cut = g_new0 (guint8, build->union_edges->len + 1);
  int span;

  for (guint i = 0; i < build->union_edges->len; i++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);

      /* What has no way of its own counts as a loop, which ranking skips. */
      layout->edges[i].from = edge->from;
      layout->edges[i].to = edge->n_via > 0 ? edge->from : edge->to;
      if (edge->n_via == 0)
        n_users[edge->from]++;
    }
  ph_layered_rank (layout, rank, reversed);
  for (guint i = 0; i < build->union_edges->len; i++)
    {
      PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, i);
      gboolean way_is_cut = FALSE;

      for (guint k = 0; k < edge->n_via && !way_is_cut; k++)
        way_is_cut = cut[g_array_index (build->vias, int, edge->first_via + k)];
      span = abs (rank[edge->to] - rank[edge->from]);
      if (edge->n_via == 0 ? (n_users[edge->from] > MANY_USERS && span > FAR) || span > TOO_FAR : way_is_cut)
        {
          cut[i] = TRUE;
          for (guint k = 0; k < edge->n_uses; k++)
            {
              const PillUse pill = { edge->to, build->uses[edge->first_use + k], TRUE };

              g_array_append_val (pill_uses, pill);
            }
        }
    }
  for (guint i = 0; i < build->union_edges->len; i++)
    if (cut[i])
      g_array_index (build->union_edges, PhUnionEdge, i).from = -1;
  ph_layout_free (layout);
}

/* What a pill at the end of a cut edge says: where it comes from. */
static guint
link_face (PhScene *scene, const PhUseLife *use)
{
  const PhLife *from = life_at (scene, use->from);
  const PhFace *face = from->faces->len > 0
                       ? ph_faces_get (scene->record->faces, g_array_index (from->faces, PhFaceChange, 0).face) : NULL;
  g_autofree char *text = g_strdup_printf ("↖ %s", face != NULL ? face->title : "?");

  return ph_faces_add_text (scene->record->faces, text, NULL, PH_FAMILY_IO);
}

static void
place_pills (PhSceneBuild *build, GArray *pill_uses)
{
  PhScene *scene = build->scene;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (int));     /* when each row is free again */

  g_array_sort (pill_uses, compare_pill_uses);
  build->column = g_new0 (float, scene->boxes->len + 1);
  build->stack = g_new0 (float, scene->boxes->len + 1);
  for (guint i = 0; i < pill_uses->len; i++)
    {
      const PillUse *pill_use = &g_array_index (pill_uses, PillUse, i);
      const PhUseLife *use = use_at (scene, pill_use->use);
      const PhLife *from = life_at (scene, use->from);
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
      pill.face = pill.is_link || from->faces->len == 0 ? link_face (scene, use) : g_array_index (from->faces, PhFaceChange, 0).face;
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

static void
size_boxes (PhScene *scene)
{
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
      box->rect.width = MAX (box->rect.width, 30);
      box->rect.height = MAX (box->rect.height, PH_FACE_HEADER);
    }
}

/* ── making ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

PhScene *
ph_scene_new (PhModel *model, PhHistory *history, const PhSceneOptions *options, GCancellable *cancellable, GError **error)
{
  static const PhSceneOptions plain = { 0, };
  g_autoptr(PhScene) scene = g_new0 (PhScene, 1);
  g_autoptr(PhModel) clone = model;
  PhHistory *journal = history;
  PhSceneBuild build = { scene, options != NULL ? options : &plain, NULL, };
  GArray *pill_uses;
  gboolean done;

  g_atomic_ref_count_init (&scene->ref_count);
  scene->record = ph_record_new (clone, journal, cancellable);
  g_clear_pointer (&journal, ph_history_free);
  scene->boxes = g_array_new (FALSE, TRUE, sizeof (PhSceneBox));
  scene->tenants = g_array_new (FALSE, TRUE, sizeof (PhTenant));
  scene->face_changes = g_array_new (FALSE, FALSE, sizeof (PhFaceChange));
  scene->pills = g_array_new (FALSE, FALSE, sizeof (PhPill));
  scene->edges = g_array_new (FALSE, TRUE, sizeof (PhSceneEdge));
  scene->points = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  scene->spans = g_array_new (FALSE, FALSE, sizeof (PhSpan));
  scene->pill_of_id = g_hash_table_new (NULL, NULL);
  if (scene->record == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
      return NULL;
    }

  build.union_edges = g_array_new (FALSE, FALSE, sizeof (PhUnionEdge));
  build.cancellable = cancellable;
  assign_boxes (scene, build.options->keep);
  mark_backward (scene);
  build.vias = g_array_new (FALSE, FALSE, sizeof (int));
  collect_edges (&build);
  ph_scene_bypass (&build);
  pill_uses = g_array_new (FALSE, FALSE, sizeof (PillUse));
  for (guint i = 0; i < scene->record->uses->len; i++)
    {
      const PhUseLife *use = use_at (scene, i);
      const PillUse pill = { scene->box_of_life[use->to], i, scene->box_of_life[use->from] == -2 };

      if (scene->box_of_life[use->from] < 0 && pill.box >= 0)
        g_array_append_val (pill_uses, pill);
    }
  cut_long_edges (&build, pill_uses);
  place_pills (&build, pill_uses);
  g_array_unref (pill_uses);
  size_boxes (scene);
  ph_scene_group (&build);
  done = ph_scene_arrange (&build, error);
  ph_faces_finish (scene->record->faces);
  if (done)
    ph_scene_index (scene);
  g_array_unref (build.union_edges);
  g_array_unref (build.vias);
  g_free (build.uses);
  g_free (build.column);
  g_free (build.stack);
  return done ? g_steal_pointer (&scene) : NULL;
}

PhScene *
ph_scene_ref (PhScene *scene)
{
  g_atomic_ref_count_inc (&scene->ref_count);
  return scene;
}

void
ph_scene_unref (PhScene *scene)
{
  if (scene == NULL || !g_atomic_ref_count_dec (&scene->ref_count))
    return;
  g_clear_pointer (&scene->record, ph_record_free);
  g_array_unref (scene->boxes);
  g_array_unref (scene->tenants);
  g_array_unref (scene->face_changes);
  g_array_unref (scene->pills);
  g_array_unref (scene->edges);
  g_array_unref (scene->points);
  g_array_unref (scene->spans);
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

/* ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────── */

int
ph_scene_time (PhHistory *history, PhPosition position)
{
  if (position.step >= history->steps->len)
    return history->rewrites->len;
  return g_array_index (history->steps, PhStep, position.step).first_rewrite + position.rewrite;
}

int ph_scene_end (PhScene *scene) { return scene->record->end; }
float ph_scene_width (PhScene *scene) { return scene->width; }
float ph_scene_height (PhScene *scene) { return scene->height; }
gboolean ph_scene_is_coarse (PhScene *scene) { return scene->coarse; }
guint ph_scene_n_boxes (PhScene *scene) { return scene->boxes->len; }
guint ph_scene_n_edges (PhScene *scene) { return scene->edges->len; }

const PhSceneBox *
ph_scene_box (PhScene *scene, int box)
{
  return &g_array_index (scene->boxes, PhSceneBox, box);
}

const PhSceneEdge *
ph_scene_edge (PhScene *scene, int edge)
{
  return &g_array_index (scene->edges, PhSceneEdge, edge);
}

const PhPoint *
ph_scene_points (PhScene *scene, const PhSceneEdge *edge)
{
  return &g_array_index (scene->points, PhPoint, edge->first_point);
}

const PhPill *
ph_scene_pill (PhScene *scene, guint pill)
{
  return &g_array_index (scene->pills, PhPill, pill);
}

const PhTenant *
ph_scene_tenant (PhScene *scene, int box, int time)
{
  const PhSceneBox *at = ph_scene_box (scene, box);

  for (guint t = 0; t < at->n_tenants; t++)
    {
      const PhTenant *tenant = &g_array_index (scene->tenants, PhTenant, at->first_tenant + t);

      if (tenant->born <= time && time < tenant->died)
        return tenant;
    }
  return NULL;
}

static guint
face_index (PhScene *scene, const PhTenant *tenant, int time)
{
  guint f = tenant->n_faces;

  while (f > 1 && g_array_index (scene->face_changes, PhFaceChange, tenant->first_face + f - 1).time > time)
    f--;
  return g_array_index (scene->face_changes, PhFaceChange, tenant->first_face + MAX (f, 1) - 1).face;
}

const PhFace *
ph_scene_face (PhScene *scene, const PhTenant *tenant, int time)
{
  return ph_faces_get (scene->record->faces, face_index (scene, tenant, time));
}

PhRect
ph_scene_card (PhScene *scene, int box, int time, int since)
{
  const PhSceneBox *at = ph_scene_box (scene, box);
  const PhTenant *tenant;
  const PhFace *face;
  PhRect card = at->rect;

  if (at->n_tenants == 0 || at->open)
    return card;
  tenant = ph_scene_tenant (scene, box, time);
  if (tenant == NULL)
    tenant = ph_scene_tenant (scene, box, time = since);
  if (tenant == NULL)
    return card;
  face = ph_scene_face (scene, tenant, time);
  card.width = MIN (face->width, card.width);
  card.height = MIN (face->height, card.height);
  card.x += (at->rect.width - card.width) / 2;
  card.y += (at->rect.height - card.height) / 2;
  return card;
}

const PhFace *
ph_scene_pill_face (PhScene *scene, const PhPill *pill)
{
  return ph_faces_get (scene->record->faces, pill->face);
}

PhChange
ph_scene_change (PhScene *scene, int box, int a, int b, const PhTenant **gone)
{
  const PhTenant *before = ph_scene_tenant (scene, box, a), *after = ph_scene_tenant (scene, box, b);

  if (gone != NULL)
    *gone = before != after ? before : NULL;
  if (before == after)
    return before != NULL && ph_scene_face (scene, before, a)->signature != ph_scene_face (scene, before, b)->signature
           ? PH_CHANGE_CHANGED : PH_CHANGE_NONE;
  return after != NULL ? PH_CHANGE_ADDED : PH_CHANGE_REMOVED;
}

void
ph_scene_count_changes (PhScene *scene, int box, int a, int b, guint *added, guint *removed, guint *changed)
{
  for (int i = scene->child_start[box]; i < scene->child_start[box + 1]; i++)
    {
      const int child = scene->children[i];
      const PhTenant *gone;

      if (ph_scene_box (scene, child)->kind == PH_BOX_GROUP)
        {
          ph_scene_count_changes (scene, child, a, b, added, removed, changed);
          continue;
        }
      switch (ph_scene_change (scene, child, a, b, &gone))
        {
        case PH_CHANGE_ADDED: (*added)++; break;
        case PH_CHANGE_CHANGED: (*changed)++; break;
        case PH_CHANGE_NONE: case PH_CHANGE_REMOVED: break;
        }
      if (gone != NULL)
        (*removed)++;
    }
}

static const PhSpan *
span_at (PhScene *scene, int edge, int time)
{
  const PhSceneEdge *at = ph_scene_edge (scene, edge);

  for (guint s = 0; s < at->n_spans; s++)
    {
      const PhSpan *span = &g_array_index (scene->spans, PhSpan, at->first_span + s);

      if (span->born <= time && time < span->died)
        return span;
    }
  return NULL;
}

gboolean
ph_scene_edge_at (PhScene *scene, int edge, int time)
{
  return span_at (scene, edge, time) != NULL;
}

PhId
ph_scene_edge_value (PhScene *scene, int edge, int time)
{
  const PhSpan *span = span_at (scene, edge, time);

  return span != NULL ? span->value : PH_NO_ID;
}

const char *
ph_scene_value_type (PhScene *scene, PhId value)
{
  return g_hash_table_lookup (scene->record->value_types, GUINT_TO_POINTER (value));
}

int
ph_scene_find (PhScene *scene, PhId id, int *pill)
{
  const int life = GPOINTER_TO_INT (g_hash_table_lookup (scene->record->by_id, GUINT_TO_POINTER (id))) - 1;
  int box = life >= 0 ? scene->box_of_life[life] : -1, hidden_by = -1;

  if (pill != NULL)
    *pill = -1;
  if (life < 0)
    return -1;
  if (box < 0)
    {
      const int first = GPOINTER_TO_INT (g_hash_table_lookup (scene->pill_of_id, GUINT_TO_POINTER (id))) - 1;

      if (first < 0)
        return -1;
      for (guint b = 0; b < scene->boxes->len && box < 0; b++)
        if (ph_scene_box (scene, b)->first_pill <= (guint) first
            && (guint) first < ph_scene_box (scene, b)->first_pill + ph_scene_box (scene, b)->n_pills)
          box = b;
      if (pill != NULL && box >= 0 && ph_scene_box (scene, box)->shown)
        *pill = first;
    }
  for (int up = box; up >= 0; up = ph_scene_box (scene, up)->parent)
    if (ph_scene_box (scene, up)->shown && hidden_by < 0)
      hidden_by = up;
  return hidden_by;
}

int
ph_scene_find_path (PhScene *scene, const char *path)
{
  for (guint b = 0; b < scene->boxes->len; b++)
    if (ph_scene_box (scene, b)->kind == PH_BOX_GROUP && g_strcmp0 (ph_scene_box (scene, b)->path, path) == 0)
      return b;
  return -1;
}
