/* graph-canvas-marks.c: marks on top of boxes: breakpoints, and where the neighbourhood of a node was cut off.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-read.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-private.h"

/* In a part with more nodes these counts are of no use. */
#define MOST_KEPT 20000

typedef struct
{
  int box;
  guint id, n;
} More;

/* --- where a run stops -------------------------------------------------------------------------------------------------- */

/* Nodes that have a breakpoint, and show; those in a closed group by it. */
static void
draw_stops (PhGraphCanvas *self, cairo_t *cr, const PhDrawOptions *options)
{
  const GPtrArray *breaks = ph_document_get_breaks (self->document);

  for (guint i = 0; i < breaks->len; i++)
    {
      const int box = ph_canvas_stop_box (self, breaks->pdata[i]);

      if (box >= 0)
        ph_scene_draw_stop (self->shown.scene, cr, box, options);
    }
}

/* Returns the box of the breakpoint "n42", or -1 if the breakpoint is not on a visible node. */
int
ph_canvas_stop_box (PhGraphCanvas *self, const char *stop)
{
  char *end = NULL;
  const guint64 id = *stop == 'n' ? g_ascii_strtoull (stop + 1, &end, 10) : 0;
  int pill = -1, box;

  if (self->shown.scene == NULL || end == NULL || *end != '\0' || end == stop + 1)
    return -1;
  box = ph_scene_find (self->shown.scene, (PhId) id, &pill);
  if (box < 0 || pill >= 0)
    return -1;
  if (ph_scene_box (self->shown.scene, box)->n_tenants == 0)
    return box;

  const PhTenant *tenant = ph_scene_tenant (self->shown.scene, box, self->time);
  return tenant != NULL && tenant->id == id ? box : -1;
}

/* --- where the neighbourhood was cut -------------------------------------------------------------------------------------- */

/* Counts the users of a node that are not shown. Hidden producers have pills of their own at its left. */
static guint
count_beyond (PhGraphCanvas *self, PhNode *node)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];

      for (guint u = 0; u < value->uses->len; u++)
        {
          const PhNode *user = ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, node->graph);

          if (user != NULL && !g_hash_table_contains (ph_canvas_wanted (self)->keep, GUINT_TO_POINTER (user->id)))
            g_hash_table_add (seen, GUINT_TO_POINTER (user->id));
        }
    }
  return g_hash_table_size (seen);
}

/* Returns the counts for the part shown; computed on first use. */
static GArray *
beyond (PhGraphCanvas *self)
{
  const PhArrangement *wanted = ph_canvas_wanted (self);
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  GHashTableIter iter;
  gpointer key;

  if (self->beyond != NULL)
    return self->beyond;
  self->beyond = g_array_new (FALSE, FALSE, sizeof (More));
  if (model == NULL || self->shown.scene == NULL || wanted->part != PH_PART_AROUND || self->shown.of.keep != wanted->keep
      || self->side != PH_SIDE_BOTH || g_hash_table_size (wanted->keep) > MOST_KEPT)
    return self->beyond;
  g_hash_table_iter_init (&iter, wanted->keep);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      PhNode *node = ph_model_find_node (model, GPOINTER_TO_UINT (key));
      int pill = -1;
      More more = { .box = node != NULL ? ph_scene_find (self->shown.scene, node->id, &pill) : -1, .id = GPOINTER_TO_UINT (key) };

      if (more.box < 0 || pill >= 0 || ph_scene_box (self->shown.scene, more.box)->kind != PH_BOX_NODE)
        continue;
      more.n = count_beyond (self, node);
      if (more.n > 0)
        g_array_append_val (self->beyond, more);
    }
  return self->beyond;
}

guint
ph_graph_canvas_get_beyond (PhGraphCanvas *self, guint id, graphene_rect_t *rect)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), 0);

  const PhDrawOptions options = ph_canvas_draw_options (self);
  const GArray *all = beyond (self);

  for (guint i = 0; i < all->len; i++)
    {
      const More *more = &g_array_index (all, More, i);

      if (more->id != id)
        continue;
      const PhRect more_rect = ph_scene_more_rect (self->shown.scene, more->box, more->n, &options);
      const PhRect at = ph_viewport_to_window (&self->viewport, &more_rect);

      *rect = GRAPHENE_RECT_INIT (at.x, at.y, at.width, at.height);
      return more->n;
    }
  return 0;
}

PhId
ph_canvas_pick_beyond (PhGraphCanvas *self, double x, double y, guint *n)
{
  const GArray *all = self->shown.scene != NULL ? beyond (self) : NULL;
  const PhDrawOptions options = ph_canvas_draw_options (self);
  const PhPoint pointer = ph_viewport_to_picture (&self->viewport, x, y);
  const PhRect point = { pointer.x, pointer.y, 0, 0 };

  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      const More *more = &g_array_index (all, More, i);
      const PhRect at = ph_scene_more_rect (self->shown.scene, more->box, more->n, &options);

      *n = more->n;
      if (ph_rect_touches (&at, &point))
        return more->id;
    }
  return PH_NO_ID;
}

/* --- the canvas --------------------------------------------------------------------------------------------------------- */

gboolean
ph_canvas_has_marks (PhGraphCanvas *self)
{
  return self->document != NULL && self->shown.scene != NULL
         && (ph_document_get_breaks (self->document)->len > 0 || beyond (self)->len > 0);
}

/* In the scene's coordinates. */
void
ph_canvas_draw_marks (PhGraphCanvas *self, cairo_t *cr)
{
  const PhDrawOptions options = ph_canvas_draw_options (self);
  const GArray *all = beyond (self);

  for (guint i = 0; i < all->len; i++)
    {
      const More *more = &g_array_index (all, More, i);

      ph_scene_draw_more (self->shown.scene, cr, self->ink, more->box, more->n, self->hover.beyond == more->id, &options);
    }
  draw_stops (self, cr, &options);
}

void
ph_canvas_forget_marks (PhGraphCanvas *self)
{
  g_clear_pointer (&self->beyond, g_array_unref);
  self->hover.beyond = PH_NO_ID;
}
