/* graph-canvas-pictures.c: finished layouts: the one shown, that of the whole graph while a part is shown, and previous ones.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-read.h"
#include "core/scene/scene.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"
#include "views/graph-canvas-view.h"

/* A picture that was left, to come back to. */
typedef struct
{
  PhLaidOut picture;
  gboolean fitted;
  PhView view;
} Left;

void
ph_laid_out_clear (PhLaidOut *picture)
{
  g_clear_pointer (&picture->scene, ph_scene_unref);
  ph_arrangement_clear (&picture->of);
}

static void
left_free (gpointer data)
{
  Left *left = data;

  ph_laid_out_clear (&left->picture);
  g_free (left);
}

static void
copy_picture (PhLaidOut *to, const PhLaidOut *from)
{
  ph_laid_out_clear (to);
  *to = *from;
  to->of = (PhArrangement) { 0 };
  ph_arrangement_copy (&to->of, &from->of);
  if (to->scene != NULL)
    ph_scene_ref (to->scene);
}

/* Returns TRUE if @picture shows the present state, apart from its arrangement. */
static gboolean
is_current (PhGraphCanvas *self, const PhLaidOut *picture)
{
  const PhPosition at = ph_document_get_position (self->document);

  return picture->scene != NULL && picture->generation == ph_document_get_generation (self->document)
         && (picture->of.compact ? ph_position_compare (picture->at, at) == 0
                                 : ph_scene_end (picture->scene) >= ph_scene_time (ph_document_get_history (self->document), at));
}

/* Shows an earlier layout again. Takes the contents of @picture. */
static void
put_picture (PhGraphCanvas *self, PhLaidOut *picture)
{
  PhScene *scene = g_steal_pointer (&picture->scene);

  ph_canvas_stop_layout (self);
  self->shown.generation = picture->generation;
  self->shown.whole = picture->whole;
  self->shown.at = picture->at;
  ph_arrangement_copy (&self->shown.of, &picture->of);
  ph_arrangement_copy (&self->asked, ph_canvas_wanted (self));
  ph_arrangement_clear (&picture->of);
  ph_canvas_take_scene (self, scene);
  ph_canvas_on_scene (self);
}

/* A part */

void
ph_canvas_lay_aside (PhGraphCanvas *self)
{
  if (self->shown.scene == NULL || self->first || self->shown.quick)
    ph_laid_out_clear (&self->aside);
  else
    copy_picture (&self->aside, &self->shown);
}

/* Returns TRUE if the picture also has all appended steps. */
static gboolean
has_all (PhGraphCanvas *self, const PhLaidOut *picture)
{
  return is_current (self, picture)
         && (picture->of.compact
             || ph_scene_end (picture->scene) >= (int) ph_document_get_history (self->document)->rewrites->len);
}

/* Returns TRUE if the wanted picture is shown, so that no layout is needed. */
static gboolean
shows_wanted (PhGraphCanvas *self)
{
  return !self->first && !self->shown.quick && has_all (self, &self->shown)
         && ph_arrangement_equal (ph_canvas_wanted (self), &self->shown.of)
         && ph_scene_inside (self->shown.scene) == ph_document_get_inside (self->document);
}

void
ph_canvas_follow_arrangement (PhGraphCanvas *self)
{
  const PhArrangement *wanted = ph_canvas_wanted (self);

  if (!ph_document_is_open (self->document) || ph_arrangement_equal (wanted, &self->asked))
    return;
  if (wanted->group != self->asked.group || wanted->keep != self->asked.keep)
    self->fitted = TRUE;
  ph_arrangement_copy (&self->asked, wanted);
  if (shows_wanted (self))
    {
      ph_canvas_stop_layout (self);
      ph_canvas_on_scene (self);
    }
  else if (wanted->keep == NULL && is_current (self, &self->aside) && ph_arrangement_equal (wanted, &self->aside.of))
    put_picture (self, &self->aside);
  else
    ph_canvas_ask_layout (self);
}

/* Inside */

void
ph_canvas_forget_left (PhGraphCanvas *self)
{
  g_clear_pointer (&self->left, g_hash_table_unref);
}

static void
keep_picture (PhGraphCanvas *self)
{
  Left *left;

  if (self->shown.scene == NULL || self->first || self->shown.quick || self->shown.of.keep != NULL)
    return;
  left = g_new0 (Left, 1);
  copy_picture (&left->picture, &self->shown);
  left->fitted = self->fitted;
  left->view = self->viewport.at;
  if (self->left == NULL)
    self->left = g_hash_table_new_full (NULL, NULL, NULL, left_free);
  g_hash_table_insert (self->left, GUINT_TO_POINTER (ph_scene_inside (self->shown.scene)), left);
}

void
ph_canvas_go_inside (PhGraphCanvas *self)
{
  const PhId inside = ph_document_get_inside (self->document);
  PhLaidOut again = { 0 };
  Left *left;

  if (ph_canvas_leader (self) != self || !ph_document_is_open (self->document)
      || (self->shown.scene != NULL && self->layout == NULL && ph_scene_inside (self->shown.scene) == inside))
    return;
  keep_picture (self);
  ph_laid_out_clear (&self->aside);
  ph_canvas_stop_animation (self);
  self->first = self->fitted = TRUE;
  left = self->left != NULL ? g_hash_table_lookup (self->left, GUINT_TO_POINTER (inside)) : NULL;
  if (left == NULL || !is_current (self, &left->picture) || left->picture.of.compact != ph_canvas_wanted (self)->compact)
    {
      ph_canvas_ask_layout (self);
      return;
    }
  copy_picture (&again, &left->picture);
  put_picture (self, &again);
  self->fitted = left->fitted;
  if (!left->fitted)
    ph_canvas_set_view (self, left->view);
}

gboolean
ph_canvas_ask_inside (PhGraphCanvas *self, int box)
{
  const PhTenant *tenant = box >= 0 && self->shown.scene != NULL ? ph_scene_tenant (self->shown.scene, box, self->time) : NULL;
  const PhId id = tenant != NULL && tenant->has_inside ? tenant->id : PH_NO_ID;
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
