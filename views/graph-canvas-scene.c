/* graph-canvas-scene.c: lays out the picture in a thread and replaces the old one by it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-scene.h"
#include "core/scene/scene-read.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-view.h"

#include <glib/gi18n.h>

#include "core/document/snapshot.h"

typedef struct
{
  PhSnapshot *snapshot;
  PhSceneOptions options; /* borrows from @of                       */
  PhArrangement of;
  PhPosition at;
  guint number, generation;
  PhId inside;
  gboolean quick;
  gboolean whole; /* with the history                       */
} LayoutJob;

static void
layout_job_free (LayoutJob *job)
{
  g_clear_pointer (&job->snapshot, ph_snapshot_free);
  ph_arrangement_clear (&job->of);
  g_clear_pointer (&job->options.previous, ph_scene_unref);
  g_free (job);
}

static void
layout_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  LayoutJob *job = data;
  GError *error = NULL;
  PhHistory *history = ph_snapshot_get_history (job->snapshot);
  PhModel *model = ph_snapshot_at (job->snapshot, history->position);
  PhRecord *record = ph_record_new (model, job->whole ? history : NULL, job->inside, cancellable);

  /* Others may read on while this is laid out. */
  ph_snapshot_done (job->snapshot);

  PhScene *scene = ph_scene_new_of (record, &job->options, cancellable, &error);

  if (scene != NULL)
    g_task_return_pointer (task, scene, (GDestroyNotify) ph_scene_unref);
  else
    g_task_return_error (task, error);
}

/* Returns a node in both scenes: the selected one, or the nearest to the middle of the window. */
static PhId
find_anchor (PhGraphCanvas *self, PhScene *old, PhScene *scene)
{
  const guint selected = ph_document_get_selection (self->document);
  const PhRect seen = ph_viewport_seen (ph_canvas_viewport (self));

  if (selected != 0 && ph_scene_find (old, selected, NULL) >= 0)
    return selected;
  for (guint ring = 1; ring <= 4; ring++)
    {
      g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
      const float w = ring * seen.width / 8, h = ring * seen.height / 8;
      const PhRect middle = { seen.x + seen.width / 2 - w / 2, seen.y + seen.height / 2 - h / 2, w, h };

      ph_scene_boxes_in (old, &middle, near);
      for (guint i = 0; i < near->len; i++)
        {
          const int at = g_array_index (near, int, i);
          const PhTenant *tenant = ph_scene_box (old, at)->n_tenants > 0 ? ph_scene_tenant (old, at, self->time) : NULL;

          if (tenant != NULL && tenant->id != PH_NO_ID && ph_scene_find (scene, tenant->id, NULL) >= 0)
            return tenant->id;
        }
    }
  return PH_NO_ID;
}

/* Returns how far the anchor moved between the scenes. */
static PhPoint
find_shift (PhGraphCanvas *self, PhScene *old, PhScene *scene)
{
  const PhId anchor = find_anchor (self, old, scene);
  const int from = anchor != PH_NO_ID ? ph_scene_find (old, anchor, NULL) : -1;
  const int to = from >= 0 ? ph_scene_find (scene, anchor, NULL) : -1;

  if (to < 0)
    return (PhPoint) { 0, 0 };

  const PhRect *before = &ph_scene_box (old, from)->rect, *after = &ph_scene_box (scene, to)->rect;

  return (PhPoint) { after->x + after->width / 2 - before->x - before->width / 2,
                     after->y + after->height / 2 - before->y - before->height / 2 };
}

/* Replaces the old scene by @scene: the selected node, or the one in the middle, keeps its place in the window. */
void
ph_canvas_take_scene (PhGraphCanvas *self, PhScene *scene)
{
  PhScene *old = self->shown.scene;
  const PhView view = self->viewport.at;
  const int time = self->time, since = self->since;
  const gboolean glide = old != NULL && !self->first && !self->shown.quick;
  const PhPoint shift = old != NULL && !self->first ? find_shift (self, old, scene) : (PhPoint) { 0, 0 };

  ph_canvas_morph_stop (self);
  self->shown.scene = scene;
  self->hover = PH_HOVER_NOTHING;
  ph_canvas_update_times (self);
  ph_canvas_update_look (self);
  if (self->first || self->fitted)
    ph_canvas_first_view (self);
  else
    {
      ph_viewport_shift (&self->viewport, shift.x, shift.y);
      ph_canvas_set_view (self, self->viewport.at);
    }
  self->first = FALSE;
  if (glide)
    ph_canvas_morph_start (self, old, time, since, &view);
  g_clear_pointer (&old, ph_scene_unref);
  ph_canvas_share_scene (self);
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_VIEW_CHANGED], 0);
}

/* Laying out */

void
ph_canvas_stop_layout (PhGraphCanvas *self)
{
  if (self->layout != NULL)
    g_cancellable_cancel (self->layout);
  g_clear_object (&self->layout);
  self->layout_number++;
}

void
ph_graph_canvas_cancel_layout (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self = ph_canvas_leader (self);
  if (self->layout == NULL || !self->awaited)
    return;
  ph_canvas_stop_layout (self);
  self->awaited = FALSE;
  if (self->shown.scene == NULL)
    {
      g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, FALSE,
                     _ ("The picture is not there: laying it out was cancelled."));
      return;
    }
  self->uncovered = PH_NO_ID;
  ph_arrangement_copy (&self->asked, &self->shown.of);
  ph_view_state_set_arrangement (ph_canvas_view (self), &self->shown.of);
  if (self->shown.generation != ph_document_get_generation (self->document)
      || (self->shown.of.compact && ph_position_compare (self->shown.at, ph_document_get_position (self->document)) != 0))
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, FALSE,
                   _ ("The picture is an older one: laying out what is here now was cancelled."));
  else
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, TRUE, NULL);
}

void
ph_canvas_on_scene (PhGraphCanvas *self)
{
  self->shown.quick = FALSE;
  self->awaited = FALSE;
  ph_canvas_forget_marks (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, TRUE, NULL);
  if (self->uncovered != PH_NO_ID && self->uncovered == ph_document_get_selection (self->document))
    ph_graph_canvas_fit_selection (self);
}

static void
on_laid_out (GObject *source, GAsyncResult *result, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (source);
  LayoutJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  PhScene *scene = g_task_propagate_pointer (G_TASK (result), &error);

  if (job->number != self->layout_number || self->document == NULL)
    {
      g_clear_pointer (&scene, ph_scene_unref);
      return;
    }
  if (scene == NULL)
    {
      if (g_error_matches (error, PH_ERROR, PH_ERROR_CANCELLED) || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return;
      g_clear_object (&self->layout);
      self->awaited = FALSE;
      g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, FALSE, error->message);
      return;
    }
  if (self->shown.scene != NULL && ph_scene_inside (self->shown.scene) != job->inside)
    self->first = TRUE;
  if (job->of.keep != NULL && self->shown.of.keep == NULL)
    ph_canvas_lay_aside (self);
  else if (job->of.keep == NULL)
    ph_laid_out_clear (&self->aside);
  /* A quick picture that was stepped was looked at: its boxes glide to their places. */
  if (ph_position_compare (self->shown.at, ph_document_get_position (self->document)) != 0)
    self->shown.quick = FALSE;
  self->shown.generation = job->generation;
  self->shown.whole = !job->quick && job->of.keep == NULL && job->whole;
  self->shown.at = job->at;
  ph_arrangement_copy (&self->shown.of, &job->of);
  ph_canvas_take_scene (self, scene);
  self->shown.quick = job->quick;
  if (job->quick)
    {
      ph_canvas_start_layout (self, FALSE);
      return;
    }
  g_clear_object (&self->layout);
  ph_canvas_on_scene (self);
}

/* @extend: the history was extended, and boxes already shown keep their places. */
static LayoutJob *
layout_job_new (PhGraphCanvas *self, gboolean quick, gboolean extend)
{
  PhViewState *view = ph_canvas_view (self);
  LayoutJob *job = g_new0 (LayoutJob, 1);

  ph_arrangement_copy (&job->of, ph_canvas_wanted (self));
  job->snapshot = ph_snapshot_new (self->document);
  /* Side by side there are two positions to show. */
  job->whole = !job->of.compact || self->other != NULL;
  job->number = self->layout_number;
  job->generation = ph_document_get_generation (self->document);
  job->at = ph_document_get_position (self->document);
  job->inside = ph_document_get_inside (self->document);
  job->quick = quick;
  ph_arrangement_fill (&job->of, ph_view_state_is_grouped (view), &job->options);
  job->options.open_all = PH_SCENE_OPEN_BOXES;
  job->options.quick = quick;
  job->options.engine = self->engine = ph_view_state_get (view, PH_VIEW_LAYOUT);
  job->options.across = self->across = ph_view_state_get (view, PH_VIEW_DIRECTION);
  job->options.previous = extend ? ph_scene_ref (self->shown.scene) : NULL;
  return job;
}

static void
start_layout (PhGraphCanvas *self, gboolean quick, gboolean extend)
{
  g_autoptr (GTask) task = NULL;

  ph_canvas_stop_layout (self);
  ph_arrangement_copy (&self->asked, ph_canvas_wanted (self));
  if (self->document == NULL || !ph_document_is_open (self->document))
    {
      ph_canvas_morph_stop (self);
      ph_laid_out_clear (&self->shown);
      ph_canvas_update_look (self);
      ph_canvas_share_scene (self);
      return;
    }
  self->layout = g_cancellable_new ();
  task = g_task_new (self, self->layout, on_laid_out, NULL);
  g_task_set_task_data (task, layout_job_new (self, quick, extend), (GDestroyNotify) layout_job_free);
  g_task_set_check_cancellable (task, FALSE);
  self->awaited |= self->shown.scene == NULL;
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_STARTED], 0, self->awaited);
  g_task_run_in_thread (task, layout_thread);
}

/* An empty canvas first gets a quick picture, whatever else was requested. */
void
ph_canvas_start_layout (PhGraphCanvas *self, gboolean quick)
{
  start_layout (self, quick || self->shown.scene == NULL, FALSE);
}

void
ph_canvas_ask_layout (PhGraphCanvas *self)
{
  self->awaited = TRUE;
  start_layout (self, FALSE, FALSE);
}

/* Lays out an extended history. A run ahead, after a file was opened, was not requested: nobody has seen it yet, so its layout is
 * optimised. Later extensions keep all visible boxes in place. */
void
ph_canvas_extend_layout (PhGraphCanvas *self)
{
  const PhPosition at = ph_document_get_position (self->document);
  const gboolean seen = at.step > 0 || at.rewrite > 0 || (self->shown.scene != NULL && ph_scene_end (self->shown.scene) > 0);

  start_layout (self, FALSE,
                self->shown.scene != NULL && self->shown.whole && seen && self->shown.of.keep == NULL && self->asked.keep == NULL
                    && ph_scene_inside (self->shown.scene) == ph_document_get_inside (self->document));
}

void
ph_graph_canvas_retry (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  ph_canvas_ask_layout (self);
}
