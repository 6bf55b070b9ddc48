/* graph-canvas-inside.c: into what a box holds and out again: another picture, and the one that was left as it was.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-private.h"

/* A picture that was left, to come back to. */
typedef struct
{
  PhScene *scene;
  guint generation;
  gboolean whole, fitted, compact;
  PhPosition at;
  PhView view;
} Left;

static void
left_free (gpointer data)
{
  Left *left = data;

  ph_scene_unref (left->scene);
  g_free (left);
}

void
ph_canvas_forget_left (PhGraphCanvas *self)
{
  g_clear_pointer (&self->left, g_hash_table_unref);
}

static void
keep_picture (PhGraphCanvas *self)
{
  Left *left;

  if (self->scene == NULL || self->first || self->scene_quick || self->keep != NULL)
    return;
  left = g_new (Left, 1);
  *left = (Left) {
    ph_scene_ref (self->scene), self->scene_generation, self->scene_whole, self->fitted, self->compact, self->shown.at,
    self->viewport.at
  };
  if (self->left == NULL)
    self->left = g_hash_table_new_full (NULL, NULL, NULL, left_free);
  g_hash_table_insert (self->left, GUINT_TO_POINTER (ph_scene_inside (self->scene)), left);
}

/* It is still what would be laid out. */
static gboolean
is_current (PhGraphCanvas *self, const Left *left)
{
  return left->generation == ph_document_get_generation (self->document) && left->compact == self->compact
         && ph_scene_end (left->scene)
                >= ph_scene_time (ph_document_get_history (self->document), ph_document_get_position (self->document))
         && (!left->compact || ph_position_compare (left->at, ph_document_get_position (self->document)) == 0);
}

void
ph_canvas_go_inside (PhGraphCanvas *self)
{
  const PhId inside = ph_document_get_inside (self->document);
  Left *left;

  if (ph_canvas_leader (self) != self || !ph_document_is_open (self->document)
      || (self->scene != NULL && self->layout == NULL && ph_scene_inside (self->scene) == inside))
    return;
  keep_picture (self);
  g_clear_pointer (&self->keep, g_hash_table_unref);
  g_clear_pointer (&self->part, g_free);
  g_clear_pointer (&self->aside, ph_scene_unref);
  self->part_node = PH_NO_ID;
  ph_canvas_stop_animation (self);
  self->first = self->fitted = TRUE;
  left = self->left != NULL ? g_hash_table_lookup (self->left, GUINT_TO_POINTER (inside)) : NULL;
  if (left == NULL || !is_current (self, left))
    {
      ph_canvas_ask_layout (self);
      return;
    }
  ph_canvas_put_scene (self, ph_scene_ref (left->scene), left->generation, left->whole);
  self->fitted = left->fitted;
  if (!left->fitted)
    ph_canvas_set_view (self, left->view);
}

gboolean
ph_canvas_ask_inside (PhGraphCanvas *self, int box)
{
  const PhId id = box >= 0 && self->scene != NULL && ph_scene_box (self->scene, box)->has_inside ? ph_canvas_id_of (self, box, -1)
                                                                                                 : PH_NO_ID;
  const PhNode *node = id != PH_NO_ID ? ph_model_find_node (ph_document_get_model (self->document), id) : NULL;

  if (node == NULL || ph_node_inside (node) == PH_NO_ID)
    return FALSE;
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_ENTER], 0, id);
  return TRUE;
}

gboolean
ph_canvas_ask_outside (PhGraphCanvas *self)
{
  if (self->document == NULL || ph_document_get_inside (self->document) == PH_NO_ID)
    return FALSE;
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LEAVE], 0, 1);
  return TRUE;
}
