/* graph-canvas-scene.c: has the picture laid out in a thread, and puts the new one where the old one stood.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-private.h"

#include <glib/gi18n.h>

#include "core/document/snapshot.h"

#define GROUP_ABOVE 150 /* boxes: a picture of more opens grouped     */
#define OPEN_BOXES  250 /* boxes of a grouped one that show at first  */

typedef struct
{
  PhSnapshot *snapshot;
  PhSceneOptions options;
  guint number, generation;
  PhId inside;
  gboolean quick;
  gboolean whole; /* with the history                       */
} LayoutJob;

static void
layout_job_free (LayoutJob *job)
{
  g_clear_pointer (&job->snapshot, ph_snapshot_free);
  g_clear_pointer (&job->options.opened, g_hash_table_unref);
  g_clear_pointer (&job->options.keep, g_hash_table_unref);
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

/* A node that both scenes show: the selected one, or what is nearest to the middle of the window. */
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

/* How far the anchor went from the old scene to the new one. */
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

/* Shows @scene where the old one stood: the selected node, or what is in the middle, keeps its place in the window. */
static void
take_scene (PhGraphCanvas *self, PhScene *scene)
{
  PhScene *old = self->scene;
  const PhView view = self->viewport.at;
  const int time = self->time, since = self->since;
  const gboolean glide = old != NULL && !self->first && !self->scene_quick;
  const PhPoint shift = old != NULL && !self->first ? find_shift (self, old, scene) : (PhPoint) { 0, 0 };

  ph_canvas_morph_stop (self);
  self->scene = scene;
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

/* --- what a scene was laid out for -------------------------------------------------------------------------------------- */

void
ph_laid_out_for_clear (PhLaidOutFor *arrangement)
{
  g_clear_pointer (&arrangement->open, g_hash_table_unref);
  g_clear_pointer (&arrangement->keep, g_hash_table_unref);
  g_clear_pointer (&arrangement->part, g_free);
}

/* The sets are never changed, always replaced. */
static void
remember_arrangement (PhGraphCanvas *self)
{
  ph_laid_out_for_clear (&self->shown);
  /* clang-format off */
  self->shown = (PhLaidOutFor) {
    .compact = self->compact, .grouped = self->grouped, .grouped_set = self->grouped_set,
    .open = self->open != NULL ? g_hash_table_ref (self->open) : NULL,
    .keep = self->keep != NULL ? g_hash_table_ref (self->keep) : NULL,
    .part = g_strdup (self->part), .part_node = self->part_node, .part_steps = self->part_steps,
    .at = ph_document_get_position (self->document),
  };
  /* clang-format on */
}

static void
restore_arrangement (PhGraphCanvas *self)
{
  const PhLaidOutFor *shown = &self->shown;
  const gboolean compact = self->compact != shown->compact, grouped = self->grouped != shown->grouped;

  g_clear_pointer (&self->open, g_hash_table_unref);
  g_clear_pointer (&self->keep, g_hash_table_unref);
  g_free (self->part);
  self->compact = shown->compact;
  self->grouped = shown->grouped;
  self->grouped_set = shown->grouped_set;
  self->open = shown->open != NULL ? g_hash_table_ref (shown->open) : NULL;
  self->keep = shown->keep != NULL ? g_hash_table_ref (shown->keep) : NULL;
  self->part = g_strdup (shown->part);
  self->part_node = shown->part_node;
  self->part_steps = shown->part_steps;
  self->uncovered = PH_NO_ID;
  if (compact)
    g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[PH_CANVAS_PROP_COMPACT]);
  if (grouped)
    g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[PH_CANVAS_PROP_GROUPED]);
}

/* Where a part takes the place of the whole, the whole is laid aside. */
static void
lay_aside (PhGraphCanvas *self)
{
  g_clear_pointer (&self->aside, ph_scene_unref);
  ph_laid_out_for_clear (&self->aside_shown);
  if (self->scene == NULL || self->first || self->scene_quick)
    return;
  self->aside = ph_scene_ref (self->scene);
  self->aside_shown = self->shown;
  self->shown = (PhLaidOutFor) { 0 };
  self->aside_generation = self->scene_generation;
  self->aside_whole = self->scene_whole;
}

static void on_scene (PhGraphCanvas *self);

gboolean
ph_canvas_bring_back (PhGraphCanvas *self)
{
  const PhLaidOutFor *then = &self->aside_shown;
  PhScene *scene = self->aside;

  if (scene == NULL || self->document == NULL || self->aside_generation != ph_document_get_generation (self->document)
      || then->compact != self->compact || then->grouped != self->grouped || then->grouped_set != self->grouped_set
      || then->open != self->open
      || (then->compact && ph_position_compare (then->at, ph_document_get_position (self->document)) != 0))
    return FALSE;
  self->aside = NULL;
  ph_canvas_put_scene (self, scene, self->aside_generation, self->aside_whole);
  return TRUE;
}

void
ph_canvas_put_scene (PhGraphCanvas *self, PhScene *scene, guint generation, gboolean whole)
{
  if (self->layout != NULL)
    g_cancellable_cancel (self->layout);
  g_clear_object (&self->layout);
  self->layout_number++;
  self->scene_generation = generation;
  self->scene_whole = whole;
  take_scene (self, scene);
  on_scene (self);
}

void
ph_graph_canvas_cancel_layout (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self = ph_canvas_leader (self);
  if (self->layout == NULL || !self->awaited)
    return;
  g_cancellable_cancel (self->layout);
  g_clear_object (&self->layout);
  self->layout_number++;
  self->awaited = FALSE;
  if (self->scene == NULL)
    {
      g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, FALSE,
                     _ ("The picture is not there: laying it out was cancelled."));
      return;
    }
  restore_arrangement (self);
  if (self->scene_generation != ph_document_get_generation (self->document)
      || (self->compact && ph_position_compare (self->shown.at, ph_document_get_position (self->document)) != 0))
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, FALSE,
                   _ ("The picture is an older one: laying out what is here now was cancelled."));
  else
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_FINISHED], 0, TRUE, NULL);
}

/* --- laying out --------------------------------------------------------------------------------------------------------- */

/* The picture that was waited for is there. */
static void
on_scene (PhGraphCanvas *self)
{
  self->scene_quick = FALSE;
  self->awaited = FALSE;
  remember_arrangement (self);
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
  self->scene_generation = job->generation;
  self->scene_whole = !job->quick && job->options.keep == NULL && job->whole;
  if (self->scene != NULL && ph_scene_inside (self->scene) != job->inside)
    self->first = TRUE;
  if (self->keep != NULL && self->shown.keep == NULL)
    lay_aside (self);
  else if (self->keep == NULL)
    g_clear_pointer (&self->aside, ph_scene_unref);
  take_scene (self, scene);
  self->scene_quick = job->quick;
  if (job->quick)
    {
      remember_arrangement (self);
      ph_canvas_start_layout (self, FALSE);
      return;
    }
  g_clear_object (&self->layout);
  on_scene (self);
}

/* What a model opens as is settled once: its picture does not turn into another one as it grows. */
gboolean
ph_canvas_wants_groups (PhGraphCanvas *self, PhModel *model)
{
  if (!self->grouped_set && !self->grouped_found && model != NULL)
    {
      const gboolean many = ph_scene_count_drawn (model) > GROUP_ABOVE;

      self->grouped_found = TRUE;
      if (many != self->grouped)
        {
          self->grouped = many;
          g_object_notify_by_pspec (G_OBJECT (self), ph_canvas_props[PH_CANVAS_PROP_GROUPED]);
        }
    }
  return self->grouped;
}

/* @extend: the history went on from what is shown, which stays where it is. */
static void
start_layout (PhGraphCanvas *self, gboolean quick, gboolean extend)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  LayoutJob *job;
  g_autoptr (GTask) task = NULL;

  if (self->layout != NULL)
    g_cancellable_cancel (self->layout);
  g_clear_object (&self->layout);
  self->layout_number++;
  if (model == NULL)
    {
      ph_canvas_morph_stop (self);
      g_clear_pointer (&self->scene, ph_scene_unref);
      ph_canvas_update_look (self);
      ph_canvas_share_scene (self);
      return;
    }
  job = g_new0 (LayoutJob, 1);
  job->snapshot = ph_snapshot_new (self->document);
  /* Side by side there are two positions to show. */
  job->whole = !self->compact || self->other != NULL;
  job->number = self->layout_number;
  job->generation = ph_document_get_generation (self->document);
  job->inside = ph_document_get_inside (self->document);
  job->quick = quick;
  job->options.by_scope = self->keep == NULL && ph_canvas_wants_groups (self, model);
  job->options.open = self->open != NULL ? PH_OPEN_NONE : PH_OPEN_FIT;
  job->options.opened = self->open != NULL ? g_hash_table_ref (self->open) : NULL;
  job->options.keep = self->keep != NULL ? g_hash_table_ref (self->keep) : NULL;
  job->options.open_all = OPEN_BOXES;
  job->options.quick = quick;
  job->options.engine = self->engine = ph_view_state_get (ph_document_get_view (self->document), PH_VIEW_LAYOUT);
  job->options.across = self->across = ph_view_state_get (ph_document_get_view (self->document), PH_VIEW_DIRECTION);
  job->options.previous = extend ? ph_scene_ref (self->scene) : NULL;
  self->layout = g_cancellable_new ();
  task = g_task_new (self, self->layout, on_laid_out, NULL);
  g_task_set_task_data (task, job, (GDestroyNotify) layout_job_free);
  g_task_set_check_cancellable (task, FALSE);
  self->awaited |= self->scene == NULL;
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LAYOUT_STARTED], 0, self->awaited);
  g_task_run_in_thread (task, layout_thread);
}

/* Whoever sees nothing yet gets a first picture first, whatever else was asked for meanwhile. */
void
ph_canvas_start_layout (PhGraphCanvas *self, gboolean quick)
{
  start_layout (self, quick || self->scene == NULL, FALSE);
}

void
ph_canvas_ask_layout (PhGraphCanvas *self)
{
  self->awaited = TRUE;
  start_layout (self, FALSE, FALSE);
}

/* What was run ahead when a file was opened was asked for by nobody: that is laid out as well as can be. What comes later leaves
 * in its place all that a reader has seen. */
void
ph_canvas_extend_layout (PhGraphCanvas *self)
{
  const PhPosition at = ph_document_get_position (self->document);
  const gboolean seen = at.step > 0 || at.rewrite > 0 || (self->scene != NULL && ph_scene_end (self->scene) > 0);

  start_layout (self, FALSE,
                self->scene != NULL && self->scene_whole && seen && self->keep == NULL
                    && ph_scene_inside (self->scene) == ph_document_get_inside (self->document));
}

/* The sets of open groups are handed to workers: never changed, always replaced. */
static GHashTable *
copy_open (PhGraphCanvas *self)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer key;

  if (self->open != NULL)
    {
      g_hash_table_iter_init (&iter, self->open);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        g_hash_table_add (copy, g_strdup (key));
    }
  else if (self->scene != NULL)
    for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
      if (ph_scene_box (self->scene, b)->open && ph_scene_box (self->scene, b)->path != NULL)
        g_hash_table_add (copy, g_strdup (ph_scene_box (self->scene, b)->path));
  return copy;
}

/* What the set of open boxes calls this one; NULL: it does not open. */
static char *
key_of (PhGraphCanvas *self, int box)
{
  const PhSceneBox *at = ph_scene_box (self->scene, box);
  const PhTenant *tenant = at->kind == PH_BOX_NODE ? ph_scene_tenant (self->scene, box, self->time) : NULL;

  if (!at->can_open)
    return NULL;
  if (at->kind == PH_BOX_GROUP)
    return g_strdup (at->path);
  if (tenant == NULL && at->kind == PH_BOX_NODE)
    tenant = ph_scene_tenant (self->scene, box, self->since);
  return tenant != NULL ? g_strdup_printf ("n%u", tenant->id) : NULL;
}

void
ph_graph_canvas_toggle_group (PhGraphCanvas *self, int box)
{
  g_autofree char *key = NULL;
  GHashTable *open;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self) && self->scene != NULL);
  self = ph_canvas_leader (self);
  key = key_of (self, box);
  if (key == NULL)
    return;
  open = copy_open (self);
  if (!g_hash_table_remove (open, key))
    g_hash_table_add (open, g_strdup (key));
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->open = open;
  ph_canvas_ask_layout (self);
}

/* The outermost closed group, or body, that hides the selected node opens; the layout that follows opens the next one, and comes
 * close to the node when none is left. FALSE: nothing hides it. */
gboolean
ph_canvas_uncover (PhGraphCanvas *self)
{
  self = ph_canvas_leader (self);

  const PhId id = self->document != NULL ? ph_document_get_selection (self->document) : PH_NO_ID;
  const int box = self->scene != NULL && id != PH_NO_ID ? ph_scene_find (self->scene, id, NULL) : -1;
  const PhSceneBox *at = box >= 0 ? ph_scene_box (self->scene, box) : NULL;
  g_autofree char *key = NULL;

  self->uncovered = PH_NO_ID;
  if (at == NULL || at->open || !at->can_open)
    return FALSE;
  /* A node that has bodies does not hide itself. */
  for (guint t = 0; t < at->n_tenants; t++)
    if (ph_scene_tenant_at (self->scene, at->first_tenant + t)->id == id)
      return FALSE;
  key = key_of (self, box);
  if (key == NULL || (self->open != NULL && g_hash_table_contains (self->open, key)))
    return FALSE;
  self->uncovered = id;
  ph_graph_canvas_toggle_group (self, box);
  return TRUE;
}

void
ph_graph_canvas_expand_all (PhGraphCanvas *self)
{
  GHashTable *open;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self = ph_canvas_leader (self);
  if (self->scene == NULL)
    return;
  open = copy_open (self);
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      char *key = key_of (self, (int) b);
      if (key != NULL)
        g_hash_table_add (open, key);
    }
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->open = open;
  ph_canvas_ask_layout (self);
}

void
ph_graph_canvas_collapse_all (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self = ph_canvas_leader (self);
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  ph_canvas_ask_layout (self);
}

void
ph_graph_canvas_retry (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  ph_canvas_ask_layout (self);
}
