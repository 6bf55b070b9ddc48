/* scene-read.c: read access to a scene.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"
#include "core/scene/scene-read.h"

int
ph_scene_time (PhHistory *history, PhPosition position)
{
  if (position.step >= history->steps->len)
    return history->rewrites->len;
  return g_array_index (history->steps, PhStep, position.step).first_rewrite + position.rewrite;
}

int
ph_scene_end (PhScene *scene)
{
  return scene->record->end;
}
float
ph_scene_width (PhScene *scene)
{
  return scene->width;
}
float
ph_scene_height (PhScene *scene)
{
  return scene->height;
}
gboolean
ph_scene_is_coarse (PhScene *scene)
{
  return scene->coarse;
}
gboolean
ph_scene_is_across (PhScene *scene)
{
  return scene->across;
}
guint
ph_scene_n_boxes (PhScene *scene)
{
  return scene->boxes->len;
}
guint
ph_scene_n_edges (PhScene *scene)
{
  return scene->edges->len;
}

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

const PhTenant *
ph_scene_tenant_at (PhScene *scene, guint index)
{
  return &g_array_index (scene->tenants, PhTenant, index);
}

int
ph_scene_face_until (PhScene *scene, const PhTenant *tenant, int time)
{
  for (guint f = 1; f < tenant->n_faces; f++)
    {
      const int next = g_array_index (scene->face_changes, PhFaceChange, tenant->first_face + f).time;

      if (next > time)
        return MIN (next, tenant->died);
    }
  return tenant->died;
}

const PhEdgeSpan *
ph_scene_span (PhScene *scene, guint index)
{
  return &g_array_index (scene->spans, PhEdgeSpan, index);
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
  if (before == after && before != NULL)
    {
      const PhFace *old = ph_scene_face (scene, before, a), *new = ph_scene_face (scene, before, b);

      return old->signature != new->signature || old->own_types != new->own_types ? PH_CHANGE_CHANGED : PH_CHANGE_NONE;
    }
  if (before == after)
    return PH_CHANGE_NONE;
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
        case PH_CHANGE_NONE:
        case PH_CHANGE_REMOVED: break;
        }
      if (gone != NULL)
        (*removed)++;
    }
}

guint
ph_scene_count_present (PhScene *scene, int box, int time)
{
  guint n = 0;

  for (int i = scene->child_start[box]; i < scene->child_start[box + 1]; i++)
    {
      const int child = scene->children[i];

      n += ph_scene_box (scene, child)->kind == PH_BOX_NODE && ph_scene_tenant (scene, child, time) != NULL;
      n += ph_scene_count_present (scene, child, time);
    }
  return n;
}

char *
ph_scene_group_text (PhScene *scene, int box, int time)
{
  const guint n = ph_scene_count_present (scene, box, time), n_alike = ph_scene_box (scene, box)->n_alike;

  return n_alike > 1 ? g_strdup_printf (n == 1 ? "%u node, one of %u alike" : "%u nodes, one of %u alike", n, n_alike)
                     : g_strdup_printf (n == 1 ? "%u node" : "%u nodes", n);
}

static const PhEdgeSpan *
span_at (PhScene *scene, int edge, int time)
{
  const PhSceneEdge *at = ph_scene_edge (scene, edge);

  for (guint s = 0; s < at->n_spans; s++)
    {
      const PhEdgeSpan *span = &g_array_index (scene->spans, PhEdgeSpan, at->first_span + s);

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
  const PhEdgeSpan *span = span_at (scene, edge, time);

  return span != NULL ? span->value : PH_NO_ID;
}

guint
ph_scene_edge_lines (PhScene *scene, int edge, int time, int *until)
{
  const PhSceneEdge *at = ph_scene_edge (scene, edge);
  guint n = 1;

  if (until != NULL)
    *until = PH_FOREVER;
  for (guint c = 0; c < at->n_counts; c++)
    {
      const PhEdgeCount *count = &g_array_index (scene->counts, PhEdgeCount, at->first_count + c);

      if (count->time > time)
        {
          if (until != NULL)
            *until = count->time;
          break;
        }
      n = count->n;
    }
  return n;
}

guint
ph_scene_edge_most_lines (PhScene *scene, int edge)
{
  const PhSceneEdge *at = ph_scene_edge (scene, edge);
  guint n = 1;

  for (guint c = 0; c < at->n_counts; c++)
    n = MAX (n, g_array_index (scene->counts, PhEdgeCount, at->first_count + c).n);
  return n;
}

const char *
ph_scene_value_type (PhScene *scene, PhId value)
{
  return ph_record_known (scene->record, value).type;
}

int
ph_scene_find (PhScene *scene, PhId id, int *pill)
{
  const int life = ph_record_life_of (scene->record, id);
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

int
ph_scene_partner (PhScene *scene, int box)
{
  const PhSceneBox *at = ph_scene_box (scene, box);

  for (guint t = 0; t < at->n_tenants; t++)
    {
      const PhTenant *tenant = &g_array_index (scene->tenants, PhTenant, at->first_tenant + t);
      int life, partner;

      if (tenant->role != PH_ROLE_BACKWARD || tenant->partner == PH_NO_ID)
        continue;
      life = ph_record_life_of (scene->record, tenant->partner);
      partner = life >= 0 ? scene->box_of_life[life] : -1;
      if (partner >= 0 && partner != box && !ph_scene_box (scene, partner)->backward)
        return partner;
    }
  return -1;
}

PhLayoutEngine
ph_scene_drawn_by (PhScene *scene, float *ms)
{
  if (ms != NULL)
    *ms = scene->ms;
  return scene->drawn_by;
}

const char *
ph_scene_judgements (PhScene *scene, PhLayoutJudgement *own, PhLayoutJudgement *dot)
{
  *own = scene->own;
  *dot = scene->dot;
  return scene->reason;
}

gboolean
ph_scene_is_ordered (PhScene *scene, int box)
{
  const PhSceneBox *at = ph_scene_box (scene, box);

  for (guint t = 0; t < at->n_tenants && at->kind == PH_BOX_NODE; t++)
    {
      const PhId id = g_array_index (scene->tenants, PhTenant, at->first_tenant + t).id;
      const int life = ph_record_life_of (scene->record, id);

      if (life >= 0 && ph_scene_life (scene, life)->ordered)
        return TRUE;
    }
  return FALSE;
}

void
ph_scene_count_faults (PhScene *scene, int time, PhCrossings *crossings, guint *over)
{
  const guint n = scene->boxes->len;
  g_autoptr (PhLayout) layout = ph_layout_new (n, scene->edges->len);

  layout->width = scene->width;
  layout->height = scene->height;
  for (guint b = 0; b < n; b++)
    {
      const PhSceneBox *box = ph_scene_box (scene, b);
      PhRect rect = box->rect;

      /* Open and empty boxes are no obstacles. */
      if (!box->shown || box->open || (box->n_tenants > 0 && ph_scene_tenant (scene, b, time) == NULL))
        continue;
      if (box->n_tenants > 0)
        rect = ph_scene_card (scene, b, time, time);
      layout->boxes[b] = (PhLayoutBox) {
        .x = rect.x + rect.width / 2, .y = rect.y + rect.height / 2, .width = rect.width, .height = rect.height
      };
    }
  for (guint e = 0; e < scene->edges->len; e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);

      layout->edges[e].from = edge->from;
      layout->edges[e].to = edge->to;
      layout->edges[e].first_point = layout->points->len;
      if (!ph_scene_edge_at (scene, e, time))
        continue;
      layout->edges[e].n_points = edge->n_points;
      g_array_append_vals (layout->points, ph_scene_points (scene, edge), edge->n_points);
    }
  *crossings = ph_layout_crossings (layout);
  *over = ph_layout_overruns (layout, NULL);
}
