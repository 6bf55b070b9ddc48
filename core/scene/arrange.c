/* arrange.c: lays out everything that is open, group by group from the inside out.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/scene/arrange.h"

#include "core/scene/scene-build.h"
#include "core/scene/scene-read.h"

static guint
port_hash (gconstpointer key)
{
  const PhPort *port = key;

  return (guint) port->group * 2654435761u ^ (guint) port->source * 40503u ^ (guint) port->out;
}

static gboolean
port_equal (gconstpointer a, gconstpointer b)
{
  const PhPort *x = a, *y = b;

  return x->group == y->group && x->source == y->source && x->out == y->out;
}

static void
rows_of (PhArranger *a, guint n_items, int *(*start_out), int *(*items_out), GArray *items, gsize size, gsize offset)
{
  int *start = g_new0 (int, a->n + 3), *list = g_new (int, n_items + 1);
  g_autofree int *fill = NULL;

  for (guint i = 0; i < n_items; i++)
    {
      const int group = *(int *) (items->data + i * size + offset);

      start[(group < 0 ? a->n : group) + 1]++;
    }
  for (int g = 0; g <= a->n; g++)
    start[g + 1] += start[g];
  fill = g_memdup2 (start, sizeof (int) * (a->n + 2));
  for (guint i = 0; i < n_items; i++)
    {
      const int group = *(int *) (items->data + i * size + offset);

      list[fill[group < 0 ? a->n : group]++] = i;
    }
  *start_out = start;
  *items_out = list;
}

/* Returns the name of an input or output. */
static const char *
name_of (PhArranger *a, const PhSceneBox *box)
{
  const PhTenant *tenant = &g_array_index (a->scene->tenants, PhTenant, box->first_tenant);

  return ph_faces_get (a->scene->record->faces, g_array_index (a->scene->face_changes, PhFaceChange, tenant->first_face).face)
      ->name;
}

/* Pairs y with the gradient of y. */
static void
pair_ends (PhArranger *a)
{
  g_autoptr (GHashTable) boxes = g_hash_table_new (g_str_hash, g_str_equal);

  for (int b = 0; b < a->n; b++)
    {
      const PhSceneBox *box = ph_scene_box (a->scene, b);

      if ((box->kind == PH_BOX_INPUT || box->kind == PH_BOX_OUTPUT) && box->n_tenants > 0 && box->parent < 0 && !box->backward)
        g_hash_table_insert (boxes, (gpointer) name_of (a, box), GINT_TO_POINTER (b + 1));
    }
  for (int b = 0; b < a->n; b++)
    {
      const PhSceneBox *box = ph_scene_box (a->scene, b);

      if ((box->kind == PH_BOX_INPUT || box->kind == PH_BOX_OUTPUT) && box->n_tenants > 0 && box->parent < 0 && box->backward
          && g_str_has_prefix (name_of (a, box), "grad_"))
        a->partner[b] = GPOINTER_TO_INT (g_hash_table_lookup (boxes, name_of (a, box) + strlen ("grad_"))) - 1;
    }
}

/* Finds for each backward box its partner: the forward box of the same group that it differentiates, or that contains what it
 * differentiates. */
static void
find_partners (PhArranger *a)
{
  a->partner = g_new (int, a->n + 1);
  for (int b = 0; b < a->n; b++)
    a->partner[b] = -1;
  pair_ends (a);
  for (int b = 0; b < a->n; b++)
    {
      const int partner = ph_scene_box (a->scene, b)->backward && ph_scene_box (a->scene, b)->n_tenants > 0
                              ? ph_scene_partner (a->scene, b)
                              : -1;

      for (int mine = b; partner >= 0 && mine >= 0; mine = ph_arrange_parent (a, mine))
        {
          int other = partner;

          while (other >= 0 && ph_arrange_parent (a, other) != ph_arrange_parent (a, mine))
            other = ph_arrange_parent (a, other);
          if (other >= 0 && other != mine && a->partner[mine] < 0 && ph_arrange_backward (a->scene, mine)
              && !ph_arrange_backward (a->scene, other))
            a->partner[mine] = other;
        }
    }
}

/* Returns where the stack of pills beside @child begins: centred, or where it began before pills were added. */
static float
top_of_pills (PhArranger *a, int child)
{
  PhScene *scene = a->scene, *previous = a->build->options->previous;
  const PhSceneBox *box = ph_scene_box (scene, child);
  const PhSceneBox *old = previous != NULL && a->build->known[child] >= 0 ? ph_scene_box (previous, a->build->known[child])
                                                                          : NULL;

  for (guint p = 0; old != NULL && old->shown && p < box->n_pills; p++)
    for (guint k = 0; k < old->n_pills; k++)
      {
        const PhPill *mine = &g_array_index (scene->pills, PhPill, box->first_pill + p),
                     *his = ph_scene_pill (previous, old->first_pill + k);

        if (mine->id == his->id && mine->is_link == his->is_link && mine->rect.height == his->rect.height)
          return box->rect.y + box->rect.height / 2 + (his->rect.y - old->rect.y - old->rect.height / 2) - mine->rect.y;
      }
  return box->rect.y + (box->rect.height - a->build->stack[child]) / 2;
}

/* Returns the pill of the previous picture that is @pill beside @child; NULL if its box was not there or was open, or the pill was not
 * as wide (or, if not @wide, as high). @old (out): that box. */
static const PhPill *
pill_before (PhArranger *a, int child, const PhPill *pill, gboolean wide, const PhSceneBox **old)
{
  PhScene *previous = a->build->options->previous;

  *old = previous != NULL && a->build->known[child] >= 0 ? ph_scene_box (previous, a->build->known[child]) : NULL;
  for (guint k = 0; *old != NULL && (*old)->shown && !(*old)->open && k < (*old)->n_pills; k++)
    {
      const PhPill *his = ph_scene_pill (previous, (*old)->first_pill + k);

      if (his->id == pill->id && his->is_link == pill->is_link
          && (wide ? his->rect.width == pill->rect.width : his->rect.height == pill->rect.height))
        return his;
    }
  return NULL;
}

/* Returns where the pill beside @child stood before, if its box has grown since and leaves room. */
static float
left_of_pill (PhArranger *a, int child, const PhPill *pill)
{
  const PhSceneBox *box = ph_scene_box (a->scene, child), *old;
  const PhPill *his = pill_before (a, child, pill, TRUE, &old);
  const float usual = box->rect.x - PH_PILL_GAP - pill->rect.width;

  return his == NULL ? usual
                     : CLAMP (box->rect.x + box->rect.width / 2 + (his->rect.x - old->rect.x - old->rect.width / 2), usual,
                              usual + PH_PILL_GAP);
}

/* In a picture from left to right, places a pill above its box, or as far from the middle of the box as in the previous picture. */
static void
place_above (PhArranger *a, int child, PhPill *pill)
{
  const PhSceneBox *box = ph_scene_box (a->scene, child), *old;
  const PhPill *his = pill_before (a, child, pill, FALSE, &old);

  pill->rect.x = his != NULL ? box->rect.x + box->rect.width / 2 + his->rect.x - old->rect.x - old->rect.width / 2
                             : box->rect.x - a->build->column[child] + pill->rect.x;
  pill->rect.y = box->rect.y + (box->rect.height - pill->rect.height) / 2;
}

static void
settle (PhArranger *a, int group, float x, float y)
{
  PhScene *scene = a->scene;
  const int g = group < 0 ? a->n : group;

  for (int i = scene->child_start[g]; i < scene->child_start[g + 1]; i++)
    {
      const int child = scene->children[i];
      PhSceneBox *box = ph_scene_box_at (scene, child);
      float top;

      if (!box->shown)
        continue;
      box->rect.x = x + a->spot[child].x;
      box->rect.y = y + a->spot[child].y;
      top = top_of_pills (a, child);
      for (guint p = box->first_pill; p < box->first_pill + box->n_pills; p++)
        {
          PhPill *pill = &g_array_index (scene->pills, PhPill, p);

          if (scene->across)
            place_above (a, child, pill);
          else
            {
              pill->rect.x = left_of_pill (a, child, pill);
              pill->rect.y += top;
            }
        }
      if (box->open)
        settle (a, child, box->rect.x, box->rect.y);
    }
}

/* Finds for each group the block in which its nodes are at last: those of joined blocks are best in one column. */
static void
find_blocks (PhArranger *a)
{
  a->block = g_new0 (const char *, a->n + 1);
  for (int b = 0; b < a->n && a->scene->record->has_blocks; b++)
    {
      const PhSceneBox *box = ph_scene_box (a->scene, b);
      const PhTenant *last = box->n_tenants > 0 ? ph_scene_tenant_at (a->scene, box->first_tenant + box->n_tenants - 1) : NULL;
      const char *block = last != NULL ? ph_scene_face (a->scene, last, last->died - 1)->block : NULL;

      if (block != NULL && box->parent >= 0 && (a->block[box->parent] == NULL || last->died == PH_FOREVER))
        a->block[box->parent] = block;
    }
}

gboolean
ph_scene_arrange (PhSceneBuild *build, GError **error)
{
  PhScene *scene = build->scene;
  PhArranger a = { .build = build, .scene = scene, .n = scene->boxes->len };
  const gint64 start = g_get_monotonic_time ();
  gboolean done;

  a.ports = g_array_new (FALSE, FALSE, sizeof (PhPort));
  a.port_index = g_hash_table_new_full (port_hash, port_equal, g_free, NULL);
  a.segments = g_array_new (FALSE, TRUE, sizeof (PhSegment));
  a.segment_index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  a.parts = g_array_new (FALSE, FALSE, sizeof (PhPart));
  a.local = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  a.done = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_layout_free);
  a.spot = g_new0 (PhRect, a.n + 1);
  a.slot = g_new (int, a.n + 1);
  for (int b = 0; b < a.n; b++)
    {
      a.slot[b] = -1;
      a.n_shown += ph_scene_box (scene, b)->shown;
    }
  ph_arrange_turn_cycles (&a);
  a.cuts = g_array_new (FALSE, FALSE, sizeof (int));
  a.cut_of = g_new (int, build->union_edges->len + 1);
  for (guint e = 0; e < build->union_edges->len; e++)
    {
      const PhUnionEdge *edge = &g_array_index (build->union_edges, PhUnionEdge, e);

      a.cut_of[e] = -1;
      /* Groups were formed after the routes were found, and may hide what a route passes. */
      if (edge->from >= 0 && (edge->n_via == 0 || !ph_arrange_sees_way (&a, edge)))
        ph_arrange_cut (&a, e);
    }
  ph_arrange_turn_ports (&a);
  rows_of (&a, a.segments->len, &a.seg_start, &a.seg_of_group, a.segments, sizeof (PhSegment),
           G_STRUCT_OFFSET (PhSegment, group));
  rows_of (&a, a.ports->len, &a.port_start, &a.port_of_group, a.ports, sizeof (PhPort), G_STRUCT_OFFSET (PhPort, group));
  find_partners (&a);
  find_blocks (&a);
  done = ph_arrange_group (&a, -1, error);
  if (done)
    {
      settle (&a, -1, 0, 0);
      ph_arrange_lines (&a);
      ph_arrange_bypasses (&a);
    }
  scene->ms = (g_get_monotonic_time () - start) / 1000.0;
  g_array_unref (a.ports);
  g_hash_table_unref (a.port_index);
  g_array_unref (a.segments);
  g_hash_table_unref (a.segment_index);
  g_array_unref (a.parts);
  g_array_unref (a.local);
  g_hash_table_unref (a.done);
  g_array_unref (a.cuts);
  g_free (a.cut_of);
  g_free (a.spot);
  g_free (a.partner);
  g_free (a.block);
  g_free (a.slot);
  g_free (a.seg_start);
  g_free (a.seg_of_group);
  g_free (a.port_start);
  g_free (a.port_of_group);
  return done;
}
