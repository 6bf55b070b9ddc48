/* graph-canvas.c: the picture of the model: what is there now, what a step changed, and the way around in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas.h"

#include <adwaita.h>
#include <math.h>

#include "views/canvas-tiles.h"

#define MIN_ZOOM      0.0005
#define MAX_ZOOM      6.0
#define STEP_ZOOM     1.25
#define READABLE      0.55       /* the least zoom that a picture opens at, if it can be scrolled instead */
#define GROUP_ABOVE   2500       /* nodes: a larger model opens grouped        */
#define OPEN_BOXES    250        /* boxes of a grouped one that show at first  */
#define ANIMATION_MS  220
#define FRAME_BUDGET  5000       /* µs a frame waits for tiles                 */
#define STEP_BUDGET   13000      /* µs the first frame after a step waits      */

struct _PhGraphCanvas
{
  GtkWidget     parent_instance;

  PhDocument   *document;        /* (nullable)                                                              */
  PhScene      *scene;           /* (nullable)                                                              */
  PhTiles      *tiles;
  PhInk        *ink;
  GCancellable *layout;          /* (nullable) of the layout that runs                                      */
  guint         layout_number;   /* of the newest request; older answers are dropped                        */
  gboolean      layout_pending;
  gboolean      first;           /* nothing of this document was shown yet                                  */
  guint         scene_generation;
  int           compact_time;    /* COMPACT: the time that was laid out                                     */

  double        x, y, zoom;      /* scene point at the left top corner; pixels a point                      */
  double        from_x, from_y, from_zoom, to_x, to_y, to_zoom;
  gint64        animation_start; /* µs, 0: none                                                             */
  guint         tick;
  gboolean      fitted;          /* nobody moved the picture since it was fitted                            */
  gint64        zoomed_at;       /* µs: while the zoom changes, tiles are not started over                  */
  guint         settle_id;
  gboolean      look_changed;    /* the next frame may wait longer                                          */
  gboolean      complete;        /* the last frame lacked nothing                                           */

  gboolean      show_diff, compact, grouped, grouped_set, edge_width;
  gboolean      has_base;
  PhPosition    base;
  GHashTable   *open;            /* (nullable) set of paths and "n42" that are open; NULL: as many as fit   */
  GHashTable   *keep;            /* (nullable) set of node ids: only a part is shown; never changed, replaced */
  gboolean      pinned;
  PhPosition    pin;
  PhGraphCanvas *other;          /* (nullable) unowned, cleared when it goes: scrolls with this one         */
  gboolean      following;       /* the other one moves it                                                  */
  PhColorMode   color_mode;
  GHashTable   *heat;            /* (nullable)                                                              */
  PhTheme       theme;
  gulong        style_ids[2];

  int           hover_box, hover_pill, hover_edge;
  double        pointer_x, pointer_y, drag_x, drag_y, pinch_zoom;
  int           time, since;     /* what is shown                                                           */
};

G_DEFINE_FINAL_TYPE (PhGraphCanvas, ph_graph_canvas, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_DOCUMENT, PROP_SHOW_DIFF, PROP_COMPACT, PROP_GROUPED, PROP_EDGE_WIDTH, PROP_COLOR_MODE, N_PROPS };
enum { LAYOUT_STARTED, LAYOUT_FINISHED, NODE_ACTIVATED, VIEW_CHANGED, N_SIGNALS };
static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

/* ── the look ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
update_theme (PhGraphCanvas *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  const gboolean dark = adw_style_manager_get_dark (style);

  self->theme = adw_style_manager_get_high_contrast (style) ? (dark ? PH_THEME_HIGH_CONTRAST_DARK : PH_THEME_HIGH_CONTRAST)
                                                            : dark ? PH_THEME_DARK : PH_THEME_LIGHT;
}

/* From the time before the last step or rewrite to now. A step without effect is no diff: nothing is dimmed. */
static void
update_times (PhGraphCanvas *self)
{
  PhHistory *history = self->document != NULL ? ph_document_get_history (self->document) : NULL;
  gboolean any = FALSE;

  self->time = self->since = 0;
  if (history == NULL || self->scene == NULL)
    return;

  const PhPosition at = self->pinned && ph_history_has (history, self->pin) ? self->pin : ph_document_get_position (self->document);
  const int end = ph_scene_end (self->scene);

  self->time = MIN (ph_scene_time (history, at), end);
  self->since = self->time;
  if (!self->show_diff)
    return;
  if (self->has_base && ph_history_has (history, self->base))
    self->since = MIN (ph_scene_time (history, self->base), end);
  else if (at.rewrite > 0)
    self->since = MAX (self->time - 1, 0);
  else
    self->since = MIN (ph_scene_time (history, ph_history_previous (history, at, FALSE)), end);
  for (guint b = 0; b < ph_scene_n_boxes (self->scene) && !any && self->since != self->time; b++)
    any = ph_scene_box (self->scene, b)->n_tenants > 0
          && ph_scene_change (self->scene, b, self->since, self->time, NULL) != PH_CHANGE_NONE;
  if (!any)
    self->since = self->time;
}

static float *
heat_by_box (PhGraphCanvas *self)
{
  const guint n = ph_scene_n_boxes (self->scene);
  float *heat = g_new (float, n + 1);
  double most = 0;
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->heat);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    most = MAX (most, *(double *) value);
  for (guint b = 0; b < n; b++)
    {
      const PhTenant *tenant = ph_scene_box (self->scene, b)->n_tenants > 0 ? ph_scene_tenant (self->scene, b, self->time) : NULL;
      const double *number = tenant != NULL ? g_hash_table_lookup (self->heat, GUINT_TO_POINTER (tenant->id)) : NULL;

      heat[b] = number != NULL && most > 0 ? sqrt (*number / most) : -1;
    }
  return heat;
}

static PhDrawOptions
draw_options (PhGraphCanvas *self)
{
  return (PhDrawOptions) { .theme = self->theme, .time = self->time, .since = self->since, .scale = self->zoom,
                           .color_mode = self->color_mode, .edge_width = self->edge_width };
}

static void
update_look (PhGraphCanvas *self)
{
  const PhDrawOptions options = draw_options (self);
  g_autofree float *heat = self->scene != NULL && self->heat != NULL && self->color_mode == PH_COLOR_HEAT ? heat_by_box (self) : NULL;

  ph_tiles_set_look (self->tiles, self->scene, &options, heat, self->scene != NULL ? ph_scene_n_boxes (self->scene) : 0);
  self->look_changed = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_style (PhGraphCanvas *self)
{
  update_theme (self);
  update_look (self);
}

static gboolean
on_tiles (gpointer data)
{
  gtk_widget_queue_draw (data);
  return G_SOURCE_REMOVE;
}

/* ── the view ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static double
view_width (PhGraphCanvas *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);
}

static double
view_height (PhGraphCanvas *self)
{
  return MAX (gtk_widget_get_height (GTK_WIDGET (self)), 1);
}

/* Something of the picture always stays in the window. */
static void
keep_inside (PhGraphCanvas *self, double *x, double *y, double zoom)
{
  const double width = view_width (self) / zoom, height = view_height (self) / zoom;

  if (self->scene == NULL)
    return;
  *x = CLAMP (*x, -0.75 * width, MAX (ph_scene_width (self->scene) - 0.25 * width, -0.75 * width));
  *y = CLAMP (*y, -0.75 * height, MAX (ph_scene_height (self->scene) - 0.25 * height, -0.75 * height));
}

static gboolean
on_settled (gpointer data)
{
  PhGraphCanvas *self = data;

  self->settle_id = 0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

static void stop_animation (PhGraphCanvas *self);

static void
set_view (PhGraphCanvas *self, double x, double y, double zoom)
{
  if (zoom != self->zoom)
    {
      self->zoomed_at = g_get_monotonic_time ();
      g_clear_handle_id (&self->settle_id, g_source_remove);
      self->settle_id = g_timeout_add (110, on_settled, self);
    }
  self->x = x;
  self->y = y;
  self->zoom = zoom;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (self->other != NULL && !self->following)
    {
      self->other->following = TRUE;
      stop_animation (self->other);
      self->other->fitted = FALSE;
      set_view (self->other, x, y, zoom);
      self->other->following = FALSE;
    }
  g_signal_emit (self, signals[VIEW_CHANGED], 0);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const double t = CLAMP ((gdk_frame_clock_get_frame_time (clock) - self->animation_start) / (ANIMATION_MS * 1000.0), 0, 1);
  const double s = 1 - pow (1 - t, 3);

  if (t >= 1)
    {
      set_view (self, self->to_x, self->to_y, self->to_zoom);
      self->tick = 0;
      self->animation_start = 0;
      return G_SOURCE_REMOVE;
    }
  /* The zoom in even ratios, and the window's middle on a straight line. */
  const double zoom = self->from_zoom * pow (self->to_zoom / self->from_zoom, s);
  const double w = view_width (self), h = view_height (self);
  const double u = fabs (1 / self->to_zoom - 1 / self->from_zoom) < 1e-9 ? s
                   : (1 / zoom - 1 / self->from_zoom) / (1 / self->to_zoom - 1 / self->from_zoom);
  const double from_x = self->from_x + w / 2 / self->from_zoom, to_x = self->to_x + w / 2 / self->to_zoom;
  const double from_y = self->from_y + h / 2 / self->from_zoom, to_y = self->to_y + h / 2 / self->to_zoom;

  set_view (self, from_x + u * (to_x - from_x) - w / 2 / zoom, from_y + u * (to_y - from_y) - h / 2 / zoom, zoom);
  return G_SOURCE_CONTINUE;
}

static void
stop_animation (PhGraphCanvas *self)
{
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
  self->animation_start = 0;
}

static void
go_to (PhGraphCanvas *self, double x, double y, double zoom, gboolean animate)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));

  zoom = CLAMP (zoom, MIN_ZOOM, MAX_ZOOM);
  keep_inside (self, &x, &y, zoom);
  stop_animation (self);
  if (!animate || clock == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)) || !adw_get_enable_animations (GTK_WIDGET (self)))
    {
      set_view (self, x, y, zoom);
      return;
    }
  self->from_x = self->x;
  self->from_y = self->y;
  self->from_zoom = self->zoom;
  self->to_x = x;
  self->to_y = y;
  self->to_zoom = zoom;
  self->animation_start = gdk_frame_clock_get_frame_time (clock);
  self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

/* The target of the animation that runs, else what is shown. */
static void
aim (PhGraphCanvas *self, double *x, double *y, double *zoom)
{
  *x = self->tick != 0 ? self->to_x : self->x;
  *y = self->tick != 0 ? self->to_y : self->y;
  *zoom = self->tick != 0 ? self->to_zoom : self->zoom;
}

static void
zoom_at (PhGraphCanvas *self, double px, double py, double factor, gboolean animate)
{
  double x, y, zoom, next;

  aim (self, &x, &y, &zoom);
  next = CLAMP (zoom * factor, MIN_ZOOM, MAX_ZOOM);
  self->fitted = FALSE;
  go_to (self, x + px / zoom - px / next, y + py / zoom - py / next, next, animate);
}

static void
fit_rect (PhGraphCanvas *self, const PhRect *rect, double most, gboolean animate)
{
  const double margin = 24, w = view_width (self), h = view_height (self);
  const double zoom = CLAMP (MIN ((w - 2 * margin) / MAX (rect->width, 1), (h - 2 * margin) / MAX (rect->height, 1)), MIN_ZOOM, most);

  go_to (self, rect->x + rect->width / 2 - w / 2 / zoom, rect->y + rect->height / 2 - h / 2 / zoom, zoom, animate);
}

/* All of it when that can be read, else its top at a zoom that can. */
static void
first_view (PhGraphCanvas *self)
{
  const double width = ph_scene_width (self->scene), height = ph_scene_height (self->scene);
  const double w = view_width (self), h = view_height (self), all = MIN (w / width, h / height);

  self->fitted = TRUE;
  if (all >= READABLE)
    {
      fit_rect (self, &(PhRect) { 0, 0, width, height }, 1.25, FALSE);
      return;
    }

  const double zoom = CLAMP (w / width, READABLE, 1.0);

  /* Where it starts: the middle of the inputs. */
  double x = 0, n = 0;
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (self->scene, b);

      if (box->shown && box->rect.y < h / zoom / 2)
        {
          x += box->rect.x + box->rect.width / 2;
          n++;
        }
    }
  x = n > 0 ? x / n : width / 2;
  x = width <= w / zoom ? width / 2 - w / 2 / zoom : CLAMP (x - w / 2 / zoom, 0, width - w / zoom);
  go_to (self, x, 0, zoom, FALSE);
}

/* ── laying out ─────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  PhModel       *model;          /* (nullable) owned until it is handed on */
  PhHistory     *history;        /* (nullable) likewise                    */
  PhSceneOptions options;
  guint          number, generation;
  gboolean       quick;
} LayoutJob;

static void
layout_job_free (LayoutJob *job)
{
  g_clear_pointer (&job->model, ph_model_free);
  g_clear_pointer (&job->history, ph_history_free);
  g_clear_pointer (&job->options.open, g_hash_table_unref);
  g_clear_pointer (&job->options.keep, g_hash_table_unref);
  g_free (job);
}

static void
layout_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  LayoutJob *job = data;
  GError *error = NULL;
  PhScene *scene = ph_scene_new (g_steal_pointer (&job->model), g_steal_pointer (&job->history), &job->options, cancellable, &error);

  if (scene != NULL)
    g_task_return_pointer (task, scene, (GDestroyNotify) ph_scene_unref);
  else
    g_task_return_error (task, error);
}

static void start_layout (PhGraphCanvas *self, gboolean quick);

/* Shows @scene where the old one stood: the selected node, or what is in the middle, keeps its place in the window. */
static void
take_scene (PhGraphCanvas *self, PhScene *scene)
{
  PhScene *old = self->scene;
  const guint selected = ph_document_get_selection (self->document);
  PhId anchor = PH_NO_ID;
  double dx = 0, dy = 0;
  int box;

  if (old != NULL && !self->first)
    {
      if (selected != 0 && ph_scene_find (old, selected, NULL) >= 0)
        anchor = selected;
      for (guint ring = 1; anchor == PH_NO_ID && ring <= 4; ring++)
        {
          g_autoptr(GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
          const double w = ring * view_width (self) / self->zoom / 8, h = ring * view_height (self) / self->zoom / 8;
          const PhRect middle = { self->x + view_width (self) / self->zoom / 2 - w / 2, self->y + view_height (self) / self->zoom / 2 - h / 2,
                                  w, h };

          ph_scene_boxes_in (old, &middle, near);
          for (guint i = 0; i < near->len && anchor == PH_NO_ID; i++)
            {
              const int at = g_array_index (near, int, i);
              const PhTenant *tenant = ph_scene_box (old, at)->n_tenants > 0 ? ph_scene_tenant (old, at, self->time) : NULL;

              if (tenant != NULL && tenant->id != PH_NO_ID && ph_scene_find (scene, tenant->id, NULL) >= 0)
                anchor = tenant->id;
            }
        }
      box = anchor != PH_NO_ID ? ph_scene_find (old, anchor, NULL) : -1;
      if (box >= 0)
        {
          const PhRect *before = &ph_scene_box (old, box)->rect;
          const int to = ph_scene_find (scene, anchor, NULL);

          if (to >= 0)
            {
              const PhRect *after = &ph_scene_box (scene, to)->rect;

              dx = after->x + after->width / 2 - before->x - before->width / 2;
              dy = after->y + after->height / 2 - before->y - before->height / 2;
            }
        }
    }
  self->scene = scene;
  self->hover_box = self->hover_pill = self->hover_edge = -1;
  update_times (self);
  update_look (self);
  g_clear_pointer (&old, ph_scene_unref);
  if (self->first || self->fitted)
    first_view (self);
  else
    {
      self->to_x += dx;
      self->to_y += dy;
      self->from_x += dx;
      self->from_y += dy;
      set_view (self, self->x + dx, self->y + dy, self->zoom);
    }
  self->first = FALSE;
  g_signal_emit (self, signals[VIEW_CHANGED], 0);
}

static void
on_laid_out (GObject *source, GAsyncResult *result, gpointer data)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (source);
  LayoutJob *job = g_task_get_task_data (G_TASK (result));
  g_autoptr(GError) error = NULL;
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
      g_signal_emit (self, signals[LAYOUT_FINISHED], 0, FALSE, error->message);
      return;
    }
  self->scene_generation = job->generation;
  take_scene (self, scene);
  if (job->quick)
    {
      start_layout (self, FALSE);
      return;
    }
  g_clear_object (&self->layout);
  g_signal_emit (self, signals[LAYOUT_FINISHED], 0, TRUE, NULL);
}

static gboolean
wants_groups (PhGraphCanvas *self, PhModel *model)
{
  return self->grouped_set ? self->grouped : ph_model_n_nodes (model, TRUE) > GROUP_ABOVE;
}

static void
start_layout (PhGraphCanvas *self, gboolean quick)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  LayoutJob *job;
  g_autoptr(GTask) task = NULL;

  if (self->layout != NULL)
    g_cancellable_cancel (self->layout);
  g_clear_object (&self->layout);
  self->layout_number++;
  if (model == NULL)
    {
      g_clear_pointer (&self->scene, ph_scene_unref);
      update_look (self);
      return;
    }
  job = g_new0 (LayoutJob, 1);
  job->model = ph_model_clone (model);
  job->history = self->compact ? NULL : ph_history_snapshot (ph_document_get_history (self->document));
  job->number = self->layout_number;
  job->generation = ph_document_get_generation (self->document);
  job->quick = quick;
  job->options.by_scope = self->keep == NULL && wants_groups (self, model);
  job->options.open = self->open != NULL ? g_hash_table_ref (self->open) : NULL;
  job->options.keep = self->keep != NULL ? g_hash_table_ref (self->keep) : NULL;
  job->options.open_all = OPEN_BOXES;
  job->options.quick = quick;
  self->layout = g_cancellable_new ();
  task = g_task_new (self, self->layout, on_laid_out, NULL);
  g_task_set_task_data (task, job, (GDestroyNotify) layout_job_free);
  g_task_set_check_cancellable (task, FALSE);
  g_signal_emit (self, signals[LAYOUT_STARTED], 0, self->scene == NULL);
  g_task_run_in_thread (task, layout_thread);
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

void
ph_graph_canvas_toggle_group (PhGraphCanvas *self, int box)
{
  const PhSceneBox *at;
  const PhTenant *tenant;
  g_autofree char *key = NULL;
  GHashTable *open;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self) && self->scene != NULL);
  at = ph_scene_box (self->scene, box);
  tenant = at->kind == PH_BOX_NODE ? ph_scene_tenant (self->scene, box, self->time) : NULL;
  key = at->kind == PH_BOX_GROUP ? g_strdup (at->path) : tenant != NULL ? g_strdup_printf ("n%u", tenant->id) : NULL;
  if (key == NULL || !at->can_open)
    return;
  open = copy_open (self);
  if (!g_hash_table_remove (open, key))
    g_hash_table_add (open, g_strdup (key));
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->open = open;
  start_layout (self, FALSE);
}

void
ph_graph_canvas_expand_all (PhGraphCanvas *self)
{
  GHashTable *open;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->scene == NULL)
    return;
  open = copy_open (self);
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    if (ph_scene_box (self->scene, b)->kind == PH_BOX_GROUP)
      g_hash_table_add (open, g_strdup (ph_scene_box (self->scene, b)->path));
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->open = open;
  start_layout (self, FALSE);
}

void
ph_graph_canvas_collapse_all (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  start_layout (self, FALSE);
}

/* ── the document ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void
on_opened (PhGraphCanvas *self)
{
  g_clear_pointer (&self->scene, ph_scene_unref);
  g_clear_pointer (&self->open, g_hash_table_unref);
  g_clear_pointer (&self->heat, g_hash_table_unref);
  g_clear_pointer (&self->keep, g_hash_table_unref);
  self->has_base = FALSE;
  self->first = self->fitted = TRUE;
  update_look (self);
  start_layout (self, TRUE);
}

/* Steps that the scene knows already need no new one: only what was appended, or made anew, does. */
static void
on_history (PhGraphCanvas *self)
{
  PhHistory *history = ph_document_get_history (self->document);

  if (history == NULL)
    return;
  update_times (self);
  update_look (self);
  if (self->compact)
    return;
  if (self->scene == NULL || self->scene_generation != ph_document_get_generation (self->document)
      || (int) history->rewrites->len > ph_scene_end (self->scene))
    start_layout (self, FALSE);
}

static void
on_position (PhGraphCanvas *self)
{
  update_times (self);
  update_look (self);
  if (self->compact)
    start_layout (self, FALSE);
}

static gboolean
selection_rect (PhGraphCanvas *self, PhRect *rect)
{
  const guint id = self->document != NULL ? ph_document_get_selection (self->document) : 0;
  int pill, box;

  if (self->scene == NULL || id == 0)
    return FALSE;
  box = ph_scene_find (self->scene, id, &pill);
  if (box < 0)
    return FALSE;
  *rect = pill >= 0 ? ph_scene_pill (self->scene, pill)->rect : ph_scene_box (self->scene, box)->rect;
  return TRUE;
}

static void
show_rect (PhGraphCanvas *self, const PhRect *rect)
{
  double x, y, zoom;
  double w, h, margin;

  aim (self, &x, &y, &zoom);
  if (zoom < 0.3)        /* too far away to be seen as selected: come closer */
    {
      zoom = 0.7;
      w = view_width (self) / zoom;
      h = view_height (self) / zoom;
      self->fitted = FALSE;
      go_to (self, rect->x + rect->width / 2 - w / 2, rect->y + rect->height / 2 - h / 2, zoom, TRUE);
      return;
    }
  w = view_width (self) / zoom;
  h = view_height (self) / zoom;
  margin = MIN (60 / zoom, MIN (w, h) / 6);
  if (rect->x >= x + margin / 2 && rect->x + rect->width <= x + w - margin / 2
      && rect->y >= y + margin / 2 && rect->y + rect->height <= y + h - margin / 2)
    return;
  self->fitted = FALSE;
  if (rect->x < x + margin || rect->x + rect->width > x + w - margin)
    x = CLAMP (x, rect->x + rect->width + margin - w, rect->x - margin);
  if (rect->y < y + margin || rect->y + rect->height > y + h - margin)
    y = CLAMP (y, rect->y + rect->height + margin - h, MAX (rect->y - margin, rect->y + rect->height + margin - h));
  go_to (self, x, y, zoom, TRUE);
}

static void
on_selection (PhGraphCanvas *self)
{
  PhRect rect;

  if (selection_rect (self, &rect))
    show_rect (self, &rect);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ph_graph_canvas_set_document (PhGraphCanvas *self, PhDocument *document)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->document == document)
    return;
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, document);
  if (document != NULL)
    {
      g_signal_connect_swapped (document, "opened", G_CALLBACK (on_opened), self);
      g_signal_connect_swapped (document, "history-changed", G_CALLBACK (on_history), self);
      g_signal_connect_swapped (document, "position-changed", G_CALLBACK (on_position), self);
      g_signal_connect_swapped (document, "notify::selection", G_CALLBACK (on_selection), self);
    }
  on_opened (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_DOCUMENT]);
}

/* ── drawing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
ring (PhGraphCanvas *self, cairo_t *cr, const PhRect *rect, double radius, PhColor color, double width)
{
  const double grow = 3.0 / MAX (self->zoom, 0.2), r = MIN (radius + grow, (rect->height + 2 * grow) / 2);
  const double x = rect->x - grow, y = rect->y - grow, w = rect->width + 2 * grow, h = rect->height + 2 * grow;

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + w - r, y + r, r, -G_PI / 2, 0);
  cairo_arc (cr, x + w - r, y + h - r, r, 0, G_PI / 2);
  cairo_arc (cr, x + r, y + h - r, r, G_PI / 2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 3 * G_PI / 2);
  cairo_close_path (cr);
  cairo_set_source_rgba (cr, color.red, color.green, color.blue, color.alpha);
  cairo_set_line_width (cr, width / MIN (self->zoom, 1));
  cairo_stroke (cr);
}

static double
box_radius (const PhSceneBox *box)
{
  return box->kind == PH_BOX_GROUP || box->open ? 10 : box->kind == PH_BOX_NODE ? 7 : box->rect.height / 2;
}

/* The selected node with its edges, and what the pointer is over: drawn anew each frame, on top of the tiles. */
static void
draw_overlay (PhGraphCanvas *self, cairo_t *cr)
{
  const guint id = self->document != NULL ? ph_document_get_selection (self->document) : 0;
  const PhColor accent = ph_theme_accent (self->theme);
  const PhDrawOptions options = draw_options (self);
  PhRect card;
  int pill = -1, box = id != 0 ? ph_scene_find (self->scene, id, &pill) : -1;

  cairo_scale (cr, self->zoom, self->zoom);
  cairo_translate (cr, -self->x, -self->y);
  if (self->hover_edge >= 0 && self->hover_edge < (int) ph_scene_n_edges (self->scene))
    ph_scene_draw_edge (self->scene, cr, self->hover_edge, &options, &(PhColor) { accent.red, accent.green, accent.blue, 0.8 },
                        MAX (2.2, 1.4 / self->zoom));
  if (box >= 0 && pill < 0)
    {
      const PhSceneBox *at = ph_scene_box (self->scene, box);

      for (int side = 0; side < 2; side++)
        {
          guint n;
          const int *edges = side == 0 ? ph_scene_edges_from (self->scene, box, &n) : ph_scene_edges_to (self->scene, box, &n);

          for (guint i = 0; i < MIN (n, 400); i++)
            if (ph_scene_edge_at (self->scene, edges[i], self->time))
              ph_scene_draw_edge (self->scene, cr, edges[i], &options, &accent, MAX (2.2, 1.4 / self->zoom));
        }
      /* What is selected is never pale. */
      if (self->since != self->time && at->n_tenants > 0 && !at->open
          && ph_scene_change (self->scene, box, self->since, self->time, NULL) == PH_CHANGE_NONE)
        {
          PhDrawOptions plain = options;

          plain.since = plain.time;
          ph_scene_draw_box (self->scene, cr, self->ink, box, &plain);
        }
      card = ph_scene_card (self->scene, box, self->time, self->since);
      ring (self, cr, &card, box_radius (at), accent, 3);
    }
  else if (box >= 0)
    ring (self, cr, &ph_scene_pill (self->scene, pill)->rect, PH_PILL_HEIGHT / 2, accent, 2.4);
  if (self->hover_pill >= 0)
    ring (self, cr, &ph_scene_pill (self->scene, self->hover_pill)->rect, PH_PILL_HEIGHT / 2,
          (PhColor) { accent.red, accent.green, accent.blue, 0.6 }, 1.6);
  else if (self->hover_box >= 0 && self->hover_box != box)
    {
      card = ph_scene_card (self->scene, self->hover_box, self->time, self->since);
      ring (self, cr, &card, box_radius (ph_scene_box (self->scene, self->hover_box)),
            (PhColor) { accent.red, accent.green, accent.blue, 0.55 }, 1.8);
    }
}

static void
ph_graph_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const float width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  const graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, width, height);
  const PhColor background = ph_theme_background (self->theme);
  const gboolean moving = self->tick != 0 || g_get_monotonic_time () - self->zoomed_at < 100000;
  const gboolean by_cairo = GSK_IS_CAIRO_RENDERER (gtk_native_get_renderer (gtk_widget_get_native (widget)));
  cairo_t *cr = NULL;

  gtk_snapshot_append_color (snapshot, &(GdkRGBA) { background.red, background.green, background.blue, 1 }, &bounds);
  if (self->scene == NULL)
    return;
  gtk_snapshot_push_clip (snapshot, &bounds);
  if (by_cairo)
    cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  self->complete = ph_tiles_snapshot (self->tiles, snapshot, cr, width, height, self->x, self->y, self->zoom,
                                      gtk_widget_get_scale_factor (widget), moving, self->look_changed ? STEP_BUDGET : FRAME_BUDGET);
  self->look_changed = FALSE;
  if (cr == NULL)
    cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  draw_overlay (self, cr);
  cairo_destroy (cr);
  if (gtk_widget_has_visible_focus (widget))
    {
      const PhColor accent = ph_theme_accent (self->theme);
      const GdkRGBA color = { accent.red, accent.green, accent.blue, 0.5 };
      GskRoundedRect frame;

      gsk_rounded_rect_init_from_rect (&frame, &bounds, 0);
      gtk_snapshot_append_border (snapshot, &frame, (float[]) { 2, 2, 2, 2 }, (GdkRGBA[]) { color, color, color, color });
    }
  gtk_snapshot_pop (snapshot);
}

static void
ph_graph_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);

  if (self->scene != NULL && self->fitted && width > 1 && height > 1)
    first_view (self);
}

/* ── pointer ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
pick (PhGraphCanvas *self, double px, double py, int *box, int *pill, int *edge)
{
  const float x = self->x + px / self->zoom, y = self->y + py / self->zoom;

  *box = *pill = *edge = -1;
  if (self->scene == NULL)
    return;
  *box = ph_scene_pick (self->scene, x, y, self->since, self->time, pill);
  if (*box < 0 || ph_scene_box (self->scene, *box)->open)
    {
      if (self->zoom > 0.08)
        *edge = ph_scene_pick_edge (self->scene, x, y, 6 / self->zoom, self->since, self->time);
      if (*edge >= 0)
        *box = -1;
    }
}

static void
on_motion (PhGraphCanvas *self, double x, double y)
{
  int box, pill, edge;

  self->pointer_x = x;
  self->pointer_y = y;
  pick (self, x, y, &box, &pill, &edge);
  if (box == self->hover_box && pill == self->hover_pill && edge == self->hover_edge)
    return;
  self->hover_box = box;
  self->hover_pill = pill;
  self->hover_edge = edge;
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (PhGraphCanvas *self)
{
  self->hover_box = self->hover_pill = self->hover_edge = -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static PhId
id_of (PhGraphCanvas *self, int box, int pill)
{
  const PhTenant *tenant, *gone;

  if (pill >= 0)
    return ph_scene_pill (self->scene, pill)->id;
  if (box < 0 || ph_scene_box (self->scene, box)->n_tenants == 0)
    return PH_NO_ID;
  tenant = ph_scene_tenant (self->scene, box, self->time);
  ph_scene_change (self->scene, box, self->since, self->time, &gone);
  return tenant != NULL ? tenant->id : gone != NULL ? gone->id : PH_NO_ID;
}

static void
on_pressed (PhGraphCanvas *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  int box, pill, edge;
  PhId id;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->scene == NULL || self->document == NULL)
    return;
  pick (self, x, y, &box, &pill, &edge);
  id = id_of (self, box, pill);
  if (n_press == 2 && box >= 0 && pill < 0 && ph_scene_box (self->scene, box)->can_open)
    ph_graph_canvas_toggle_group (self, box);
  else if (n_press == 2 && id != PH_NO_ID)
    g_signal_emit (self, signals[NODE_ACTIVATED], 0, id);
  else if (n_press == 1 && edge >= 0)
    {
      /* A click on an edge goes to the end that is further away. */
      const PhSceneEdge *at = ph_scene_edge (self->scene, edge);
      const PhRect *from = &ph_scene_box (self->scene, at->from)->rect, *to = &ph_scene_box (self->scene, at->to)->rect;
      const double sx = self->x + x / self->zoom, sy = self->y + y / self->zoom;
      const gboolean to_user = hypot (from->x + from->width / 2 - sx, from->y + from->height - sy)
                               < hypot (to->x + to->width / 2 - sx, to->y - sy);

      id = id_of (self, to_user ? at->to : at->from, -1);
      if (id != PH_NO_ID)
        ph_document_set_selection (self->document, id);
    }
  else if (n_press == 1)
    ph_document_set_selection (self->document, id);
}

static void
on_drag_begin (PhGraphCanvas *self)
{
  stop_animation (self);
  self->drag_x = self->x;
  self->drag_y = self->y;
}

static void
on_drag_update (PhGraphCanvas *self, double dx, double dy)
{
  if (hypot (dx, dy) < 3 && self->x == self->drag_x && self->y == self->drag_y)
    return;
  self->fitted = FALSE;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
  go_to (self, self->drag_x - dx / self->zoom, self->drag_y - dy / self->zoom, self->zoom, FALSE);
}

static void
on_drag_end (PhGraphCanvas *self)
{
  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
}

/* A wheel zooms around the pointer, Shift+wheel scrolls; a touchpad scrolls, Ctrl+touchpad zooms. */
static gboolean
on_scroll (PhGraphCanvas *self, double dx, double dy, GtkEventControllerScroll *controller)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  const gboolean surface = gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE;

  if ((state & GDK_CONTROL_MASK) != 0 || (!surface && (state & GDK_SHIFT_MASK) == 0))
    zoom_at (self, self->pointer_x, self->pointer_y, pow (surface ? 1.01 : STEP_ZOOM, -dy), !surface);
  else
    {
      const double unit = surface ? 1 : 80;

      if (!surface && dx == 0)
        {
          dx = dy;
          dy = 0;
        }
      self->fitted = FALSE;
      go_to (self, self->x + dx * unit / self->zoom, self->y + dy * unit / self->zoom, self->zoom, FALSE);
    }
  return GDK_EVENT_STOP;
}

static void
on_pinch_begin (PhGraphCanvas *self)
{
  stop_animation (self);
  self->pinch_zoom = self->zoom;
}

static void
on_pinch (PhGraphCanvas *self, double scale, GtkGesture *gesture)
{
  double x = view_width (self) / 2, y = view_height (self) / 2;

  gtk_gesture_get_bounding_box_center (gesture, &x, &y);
  zoom_at (self, x, y, self->pinch_zoom * scale / self->zoom, FALSE);
}

static gboolean
on_tooltip (PhGraphCanvas *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  g_autoptr(GString) text = g_string_new (NULL);
  int box, pill, edge;

  if (self->scene == NULL || keyboard)
    return FALSE;
  pick (self, x, y, &box, &pill, &edge);
  if (edge >= 0)
    {
      const PhId value = ph_scene_edge_value (self->scene, edge, self->time);
      const PhValue *at = value != PH_NO_ID ? ph_model_find_value (ph_document_get_model (self->document), value) : NULL;
      const char *type = value != PH_NO_ID ? ph_scene_value_type (self->scene, value) : NULL;

      if (at == NULL && type == NULL)
        return FALSE;
      g_string_printf (text, "%s%s%s", at != NULL ? at->name : "", type != NULL ? "\n" : "", type != NULL ? type : "");
    }
  else if (pill >= 0)
    {
      const PhFace *face = ph_scene_pill_face (self->scene, ph_scene_pill (self->scene, pill));

      g_string_printf (text, "%s%s%s", face->title, face->name != NULL ? "\n" : "", face->name != NULL ? face->name : "");
    }
  else if (box >= 0 && !ph_scene_box (self->scene, box)->open)
    {
      const PhSceneBox *at = ph_scene_box (self->scene, box);
      const PhTenant *tenant = at->n_tenants > 0 ? ph_scene_tenant (self->scene, box, self->time) : NULL;

      if (at->kind == PH_BOX_GROUP)
        g_string_printf (text, "%s\n%s", at->path, at->detail != NULL ? at->detail : "");
      else if (tenant != NULL)
        {
          const PhFace *face = ph_scene_face (self->scene, tenant, self->time);

          if (tenant->id != PH_NO_ID && at->kind == PH_BOX_NODE)
            g_string_printf (text, "n%u %s", tenant->id, face->title);
          else
            g_string_assign (text, face->title);
          if (face->name != NULL && at->kind == PH_BOX_NODE)
            g_string_append_printf (text, "\n%s", face->name);
        }
      /* From afar the box itself says nothing. */
      if (text->len == 0)
        return FALSE;
    }
  if (text->len == 0)
    return FALSE;
  gtk_tooltip_set_text (tooltip, text->str);
  return TRUE;
}

/* ── keyboard ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Who is where the way goes on: over the edges of @box, forwards or backwards, the straightest first. */
static int
next_along (PhGraphCanvas *self, int box, gboolean forwards)
{
  guint n;
  const int *edges = forwards ? ph_scene_edges_from (self->scene, box, &n) : ph_scene_edges_to (self->scene, box, &n);
  const PhRect *from = &ph_scene_box (self->scene, box)->rect;
  double least = INFINITY;
  int best = -1;

  for (guint i = 0; i < n; i++)
    {
      const PhSceneEdge *edge = ph_scene_edge (self->scene, edges[i]);
      const int other = forwards ? edge->to : edge->from;
      const PhRect *to = &ph_scene_box (self->scene, other)->rect;
      const double distance = fabs (to->x + to->width / 2 - from->x - from->width / 2) + 0.5 * fabs (to->y - from->y);

      if (ph_scene_edge_at (self->scene, edges[i], self->time) && distance < least)
        {
          least = distance;
          best = other;
        }
    }
  return best;
}

static int
next_beside (PhGraphCanvas *self, int box, gboolean right)
{
  const PhRect *from = &ph_scene_box (self->scene, box)->rect;
  const PhRect row = { right ? from->x + from->width : 0, from->y, right ? ph_scene_width (self->scene) : from->x, from->height };
  g_autoptr(GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
  double least = INFINITY;
  int best = -1;

  ph_scene_boxes_in (self->scene, &row, near);
  for (guint i = 0; i < near->len; i++)
    {
      const int at = g_array_index (near, int, i);
      const PhSceneBox *other = ph_scene_box (self->scene, at);
      const double distance = right ? other->rect.x - from->x : from->x - other->rect.x;

      if (at != box && !other->open && distance > 0 && distance < least && (other->kind == PH_BOX_GROUP || ph_scene_tenant (self->scene, at, self->time) != NULL))
        {
          least = distance;
          best = at;
        }
    }
  return best;
}

/* The node of @box, or a node inside of it that stands for a closed group. */
static PhId
representative (PhGraphCanvas *self, int box)
{
  const PhId id = id_of (self, box, -1);

  if (id != PH_NO_ID || ph_scene_box (self->scene, box)->kind != PH_BOX_GROUP)
    return id;
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      int up = b;

      while (up >= 0 && up != box)
        up = ph_scene_box (self->scene, up)->parent;
      if (up == box && ph_scene_box (self->scene, b)->n_tenants > 0 && id_of (self, b, -1) != PH_NO_ID)
        return id_of (self, b, -1);
    }
  return PH_NO_ID;
}

void
ph_graph_canvas_walk (PhGraphCanvas *self, GtkDirectionType direction)
{
  guint id;
  int box;
  PhId next;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->scene == NULL || self->document == NULL)
    return;
  id = ph_document_get_selection (self->document);
  box = id != 0 ? ph_scene_find (self->scene, id, NULL) : -1;
  if (box < 0)
    {
      /* Nothing yet: the first in the window. */
      g_autoptr(GArray) near = g_array_new (FALSE, FALSE, sizeof (int));
      const PhRect window = { self->x, self->y, view_width (self) / self->zoom, view_height (self) / self->zoom };

      ph_scene_boxes_in (self->scene, &window, near);
      for (guint i = 0; i < near->len; i++)
        {
          const int at = g_array_index (near, int, i);

          if (!ph_scene_box (self->scene, at)->open && representative (self, at) != PH_NO_ID
              && (box < 0 || ph_scene_box (self->scene, at)->rect.y < ph_scene_box (self->scene, box)->rect.y))
            box = at;
        }
    }
  else
    box = direction == GTK_DIR_DOWN ? next_along (self, box, TRUE) : direction == GTK_DIR_UP ? next_along (self, box, FALSE)
        : next_beside (self, box, direction == GTK_DIR_RIGHT);
  next = box >= 0 ? representative (self, box) : PH_NO_ID;
  if (next != PH_NO_ID)
    ph_document_set_selection (self->document, next);
}

static gboolean
on_key (PhGraphCanvas *self, guint key, guint code, GdkModifierType state)
{
  const GdkModifierType held = state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK);
  const double step = 90 / self->zoom;

  if ((held & ~GDK_SHIFT_MASK) != 0)
    return GDK_EVENT_PROPAGATE;
  if (held == GDK_SHIFT_MASK && (key == GDK_KEY_Up || key == GDK_KEY_Down || key == GDK_KEY_Left || key == GDK_KEY_Right))
    {
      double x, y, zoom;

      aim (self, &x, &y, &zoom);
      self->fitted = FALSE;
      go_to (self, x + (key == GDK_KEY_Right ? step : key == GDK_KEY_Left ? -step : 0),
             y + (key == GDK_KEY_Down ? step : key == GDK_KEY_Up ? -step : 0), zoom, TRUE);
      return GDK_EVENT_STOP;
    }
  switch (key)
    {
    case GDK_KEY_Down: case GDK_KEY_KP_Down: ph_graph_canvas_walk (self, GTK_DIR_DOWN); break;
    case GDK_KEY_Up: case GDK_KEY_KP_Up: ph_graph_canvas_walk (self, GTK_DIR_UP); break;
    case GDK_KEY_Left: case GDK_KEY_KP_Left: ph_graph_canvas_walk (self, GTK_DIR_LEFT); break;
    case GDK_KEY_Right: case GDK_KEY_KP_Right: ph_graph_canvas_walk (self, GTK_DIR_RIGHT); break;
    case GDK_KEY_plus: case GDK_KEY_equal: case GDK_KEY_KP_Add: ph_graph_canvas_zoom_in (self); break;
    case GDK_KEY_minus: case GDK_KEY_KP_Subtract: ph_graph_canvas_zoom_out (self); break;
    case GDK_KEY_0: case GDK_KEY_KP_0: ph_graph_canvas_zoom_to (self, 1); break;
    case GDK_KEY_f: ph_graph_canvas_fit (self); break;
    case GDK_KEY_F: ph_graph_canvas_fit_selection (self); break;
    case GDK_KEY_Page_Down: case GDK_KEY_Page_Up:
      self->fitted = FALSE;
      go_to (self, self->x, self->y + (key == GDK_KEY_Page_Down ? 0.8 : -0.8) * view_height (self) / self->zoom, self->zoom, TRUE);
      break;
    case GDK_KEY_Home: self->fitted = FALSE; go_to (self, self->x, 0, self->zoom, TRUE); break;
    case GDK_KEY_End:
      self->fitted = FALSE;
      if (self->scene != NULL)
        go_to (self, self->x, ph_scene_height (self->scene) - view_height (self) / self->zoom, self->zoom, TRUE);
      break;
    case GDK_KEY_d: ph_graph_canvas_set_show_diff (self, !self->show_diff); break;
    case GDK_KEY_c: ph_graph_canvas_set_compact (self, !self->compact); break;
    case GDK_KEY_g:
      if (self->document != NULL && ph_document_get_model (self->document) != NULL)
        ph_graph_canvas_set_grouped (self, !wants_groups (self, ph_document_get_model (self->document)));
      break;
    case GDK_KEY_t: ph_graph_canvas_show_touched (self); break;
    case GDK_KEY_a: ph_graph_canvas_show_all (self); break;
    case GDK_KEY_n:
      if (self->document != NULL)
        ph_graph_canvas_show_neighbourhood (self, ph_document_get_selection (self->document), 2);
      break;
    case GDK_KEY_Escape:
      if (self->keep != NULL)
        {
          ph_graph_canvas_show_all (self);
          break;
        }
      if (self->document == NULL || ph_document_get_selection (self->document) == 0)
        return GDK_EVENT_PROPAGATE;
      ph_document_set_selection (self->document, 0);
      break;
    case GDK_KEY_Return: case GDK_KEY_KP_Enter: case GDK_KEY_space:
      {
        const guint id = self->document != NULL ? ph_document_get_selection (self->document) : 0;
        const int box = id != 0 && self->scene != NULL ? ph_scene_find (self->scene, id, NULL) : -1;

        if (box < 0)
          return GDK_EVENT_PROPAGATE;
        if (ph_scene_box (self->scene, box)->can_open)
          ph_graph_canvas_toggle_group (self, box);
        else
          g_signal_emit (self, signals[NODE_ACTIVATED], 0, id);
      }
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  return GDK_EVENT_STOP;
}

/* ── object ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
ph_graph_canvas_dispose (GObject *object)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  stop_animation (self);
  g_clear_handle_id (&self->settle_id, g_source_remove);
  if (self->layout != NULL)
    g_cancellable_cancel (self->layout);
  g_clear_object (&self->layout);
  self->layout_number++;
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  for (guint i = 0; i < G_N_ELEMENTS (self->style_ids); i++)
    g_clear_signal_handler (&self->style_ids[i], adw_style_manager_get_default ());
  g_clear_pointer (&self->tiles, ph_tiles_free);
  g_clear_pointer (&self->ink, ph_ink_free);
  g_clear_pointer (&self->scene, ph_scene_unref);
  g_clear_pointer (&self->open, g_hash_table_unref);
  g_clear_pointer (&self->heat, g_hash_table_unref);
  g_clear_pointer (&self->keep, g_hash_table_unref);
  ph_graph_canvas_synchronise (self, NULL);
  G_OBJECT_CLASS (ph_graph_canvas_parent_class)->dispose (object);
}

static void
ph_graph_canvas_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  switch (id)
    {
    case PROP_DOCUMENT: g_value_set_object (value, self->document); break;
    case PROP_SHOW_DIFF: g_value_set_boolean (value, self->show_diff); break;
    case PROP_COMPACT: g_value_set_boolean (value, self->compact); break;
    case PROP_GROUPED: g_value_set_boolean (value, self->grouped); break;
    case PROP_EDGE_WIDTH: g_value_set_boolean (value, self->edge_width); break;
    case PROP_COLOR_MODE: g_value_set_uint (value, self->color_mode); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
ph_graph_canvas_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (object);

  switch (id)
    {
    case PROP_DOCUMENT: ph_graph_canvas_set_document (self, g_value_get_object (value)); break;
    case PROP_SHOW_DIFF: ph_graph_canvas_set_show_diff (self, g_value_get_boolean (value)); break;
    case PROP_COMPACT: ph_graph_canvas_set_compact (self, g_value_get_boolean (value)); break;
    case PROP_GROUPED: ph_graph_canvas_set_grouped (self, g_value_get_boolean (value)); break;
    case PROP_EDGE_WIDTH: ph_graph_canvas_set_edge_width (self, g_value_get_boolean (value)); break;
    case PROP_COLOR_MODE: ph_graph_canvas_set_color_mode (self, g_value_get_uint (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
ph_graph_canvas_class_init (PhGraphCanvasClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->dispose = ph_graph_canvas_dispose;
  object_class->get_property = ph_graph_canvas_get_property;
  object_class->set_property = ph_graph_canvas_set_property;
  widget_class->snapshot = ph_graph_canvas_snapshot;
  widget_class->size_allocate = ph_graph_canvas_size_allocate;

  props[PROP_DOCUMENT] = g_param_spec_object ("document", NULL, NULL, PH_TYPE_DOCUMENT, flags);
  props[PROP_SHOW_DIFF] = g_param_spec_boolean ("show-diff", NULL, NULL, TRUE, flags);
  props[PROP_COMPACT] = g_param_spec_boolean ("compact", NULL, NULL, FALSE, flags);
  props[PROP_GROUPED] = g_param_spec_boolean ("grouped", NULL, NULL, FALSE, flags);
  props[PROP_EDGE_WIDTH] = g_param_spec_boolean ("edge-width", NULL, NULL, FALSE, flags);
  props[PROP_COLOR_MODE] = g_param_spec_uint ("color-mode", NULL, NULL, 0, PH_N_COLOR_MODES - 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);

  signals[LAYOUT_STARTED] = g_signal_new ("layout-started", PH_TYPE_GRAPH_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                          G_TYPE_BOOLEAN);
  signals[LAYOUT_FINISHED] = g_signal_new ("layout-finished", PH_TYPE_GRAPH_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                           G_TYPE_BOOLEAN, G_TYPE_STRING);
  signals[NODE_ACTIVATED] = g_signal_new ("node-activated", PH_TYPE_GRAPH_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                          G_TYPE_UINT);
  signals[VIEW_CHANGED] = g_signal_new ("view-changed", PH_TYPE_GRAPH_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "graph-canvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
ph_graph_canvas_init (PhGraphCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  AdwStyleManager *style = adw_style_manager_get_default ();
  GtkEventController *controller;
  GtkGesture *gesture;

  self->zoom = 1;
  self->show_diff = TRUE;
  self->first = self->fitted = TRUE;
  self->hover_box = self->hover_pill = self->hover_edge = -1;
  self->tiles = ph_tiles_new (on_tiles, self);
  self->ink = ph_ink_new ();
  update_theme (self);
  self->style_ids[0] = g_signal_connect_swapped (style, "notify::dark", G_CALLBACK (on_style), self);
  self->style_ids[1] = g_signal_connect_swapped (style, "notify::high-contrast", G_CALLBACK (on_style), self);

  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_widget_set_vexpand (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip (widget, TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (on_tooltip), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Graph", -1);

  controller = gtk_event_controller_motion_new ();
  g_signal_connect_swapped (controller, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect_swapped (controller, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (widget, controller);
  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES | GTK_EVENT_CONTROLLER_SCROLL_KINETIC);
  g_signal_connect_swapped (controller, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (widget, controller);
  controller = gtk_event_controller_key_new ();
  g_signal_connect_swapped (controller, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, controller);
  gesture = gtk_gesture_click_new ();
  g_signal_connect_swapped (gesture, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
  gesture = gtk_gesture_drag_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), 0);
  g_signal_connect_swapped (gesture, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect_swapped (gesture, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect_swapped (gesture, "drag-end", G_CALLBACK (on_drag_end), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
  gesture = gtk_gesture_zoom_new ();
  g_signal_connect_swapped (gesture, "begin", G_CALLBACK (on_pinch_begin), self);
  g_signal_connect_swapped (gesture, "scale-changed", G_CALLBACK (on_pinch), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
}

GtkWidget *
ph_graph_canvas_new (void)
{
  return g_object_new (PH_TYPE_GRAPH_CANVAS, NULL);
}

PhDocument *
ph_graph_canvas_get_document (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return self->document;
}

void
ph_graph_canvas_zoom_in (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  zoom_at (self, view_width (self) / 2, view_height (self) / 2, STEP_ZOOM, TRUE);
}

void
ph_graph_canvas_zoom_out (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  zoom_at (self, view_width (self) / 2, view_height (self) / 2, 1 / STEP_ZOOM, TRUE);
}

void
ph_graph_canvas_zoom_to (PhGraphCanvas *self, double zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  zoom_at (self, view_width (self) / 2, view_height (self) / 2, zoom / (self->tick != 0 ? self->to_zoom : self->zoom), TRUE);
}

double
ph_graph_canvas_get_zoom (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), 1);
  return self->zoom;
}

void
ph_graph_canvas_fit (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->scene == NULL)
    return;
  self->fitted = FALSE;
  fit_rect (self, &(PhRect) { 0, 0, ph_scene_width (self->scene), ph_scene_height (self->scene) }, 1.5, TRUE);
}

void
ph_graph_canvas_fit_selection (PhGraphCanvas *self)
{
  PhRect rect;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (!selection_rect (self, &rect))
    return;
  self->fitted = FALSE;
  fit_rect (self, &(PhRect) { rect.x - 200, rect.y - 160, rect.width + 400, rect.height + 320 }, 1.5, TRUE);
}

void
ph_graph_canvas_show_node (PhGraphCanvas *self, guint id)
{
  int pill, box;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  box = self->scene != NULL ? ph_scene_find (self->scene, id, &pill) : -1;
  if (box >= 0)
    show_rect (self, pill >= 0 ? &ph_scene_pill (self->scene, pill)->rect : &ph_scene_box (self->scene, box)->rect);
}

void
ph_graph_canvas_retry (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  start_layout (self, FALSE);
}

void
ph_graph_canvas_set_show_diff (PhGraphCanvas *self, gboolean show)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->show_diff == show)
    return;
  self->show_diff = show;
  update_times (self);
  update_look (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SHOW_DIFF]);
}

void
ph_graph_canvas_compare_with (PhGraphCanvas *self, const PhPosition *position)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self->has_base = position != NULL;
  if (position != NULL)
    self->base = *position;
  update_times (self);
  update_look (self);
}

void
ph_graph_canvas_set_compact (PhGraphCanvas *self, gboolean compact)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->compact == compact)
    return;
  self->compact = compact;
  start_layout (self, FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_COMPACT]);
}

void
ph_graph_canvas_set_grouped (PhGraphCanvas *self, gboolean grouped)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->grouped_set && self->grouped == grouped)
    return;
  self->grouped = grouped;
  self->grouped_set = TRUE;
  g_clear_pointer (&self->open, g_hash_table_unref);
  self->fitted = TRUE;
  start_layout (self, FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_GROUPED]);
}

void
ph_graph_canvas_set_color_mode (PhGraphCanvas *self, PhColorMode mode)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->color_mode == mode)
    return;
  self->color_mode = mode;
  update_look (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_COLOR_MODE]);
}

void
ph_graph_canvas_set_heat (PhGraphCanvas *self, GHashTable *numbers)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (numbers != NULL)
    g_hash_table_ref (numbers);
  g_clear_pointer (&self->heat, g_hash_table_unref);
  self->heat = numbers;
  update_look (self);
}

void
ph_graph_canvas_set_edge_width (PhGraphCanvas *self, gboolean by_bytes)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->edge_width == by_bytes)
    return;
  self->edge_width = by_bytes;
  update_look (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_EDGE_WIDTH]);
}

PhScene *
ph_graph_canvas_get_scene (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return self->scene;
}

GdkTexture *
ph_graph_canvas_get_overview (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  return ph_tiles_get_overview (self->tiles);
}

void
ph_graph_canvas_get_view (PhGraphCanvas *self, double *x, double *y, double *zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  *x = self->x;
  *y = self->y;
  *zoom = self->zoom;
}

void
ph_graph_canvas_set_view (PhGraphCanvas *self, double x, double y, double zoom)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self->fitted = FALSE;
  go_to (self, x, y, zoom, FALSE);
}

gboolean
ph_graph_canvas_node_rect (PhGraphCanvas *self, guint id, graphene_rect_t *rect)
{
  int pill, box;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  box = self->scene != NULL ? ph_scene_find (self->scene, id, &pill) : -1;
  if (box < 0)
    return FALSE;

  const PhRect *at = pill >= 0 ? &ph_scene_pill (self->scene, pill)->rect : &ph_scene_box (self->scene, box)->rect;

  *rect = GRAPHENE_RECT_INIT ((at->x - self->x) * self->zoom, (at->y - self->y) * self->zoom, at->width * self->zoom, at->height * self->zoom);
  return TRUE;
}

gboolean
ph_graph_canvas_is_busy (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  return self->layout != NULL || !self->complete;
}

/* ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Adds what feeds @node and what it feeds, in the node's own graph. */
static void
add_neighbours (PhNode *node, gboolean up, gboolean down, GHashTable *set, GPtrArray *added)
{
  for (guint i = 0; i < node->inputs->len && up; i++)
    {
      const PhValue *value = node->inputs->pdata[i];

      if (value == NULL)
        continue;
      if (value->producer != NULL && g_hash_table_add (set, GUINT_TO_POINTER (value->producer->id)))
        g_ptr_array_add (added, value->producer);
      else if (value->producer == NULL && value->is_input)
        g_hash_table_add (set, GUINT_TO_POINTER (value->id));
    }
  for (guint i = 0; i < node->outputs->len && down; i++)
    {
      const PhValue *value = node->outputs->pdata[i];

      for (guint u = 0; u < value->uses->len; u++)
        {
          PhNode *user = ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, node->graph);

          if (user != NULL && g_hash_table_add (set, GUINT_TO_POINTER (user->id)))
            g_ptr_array_add (added, user);
        }
    }
}

static GHashTable *
reach (PhNode *node, gboolean up, gboolean down, guint steps)
{
  GHashTable *set = g_hash_table_new (NULL, NULL);
  g_autoptr(GPtrArray) edge = g_ptr_array_new ();

  g_hash_table_add (set, GUINT_TO_POINTER (node->id));
  g_ptr_array_add (edge, node);
  for (guint step = 0; step < steps && edge->len > 0; step++)
    {
      GPtrArray *next = g_ptr_array_new ();

      for (guint i = 0; i < edge->len; i++)
        add_neighbours (edge->pdata[i], up, down, set, next);
      g_ptr_array_unref (edge);
      edge = next;
    }
  return set;
}

/* Takes @keep. */
static gboolean
show_part (PhGraphCanvas *self, GHashTable *keep)
{
  if (keep != NULL && g_hash_table_size (keep) == 0)
    {
      g_hash_table_unref (keep);
      return FALSE;
    }
  g_clear_pointer (&self->keep, g_hash_table_unref);
  self->keep = keep;
  self->fitted = TRUE;
  start_layout (self, FALSE);
  return TRUE;
}

static PhNode *
find_node (PhGraphCanvas *self, guint id)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;

  return model != NULL ? ph_model_find_node (model, id) : NULL;
}

gboolean
ph_graph_canvas_show_neighbourhood (PhGraphCanvas *self, guint id, guint steps)
{
  PhNode *node;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  node = find_node (self, id);
  return node != NULL && show_part (self, reach (node, TRUE, TRUE, steps));
}

gboolean
ph_graph_canvas_show_paths (PhGraphCanvas *self, guint from, guint to)
{
  PhNode *a, *b;
  g_autoptr(GHashTable) down = NULL, up = NULL;
  GHashTable *both;
  GHashTableIter iter;
  gpointer key;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  a = find_node (self, from);
  b = find_node (self, to);
  if (a == NULL || b == NULL || a->graph != b->graph)
    return FALSE;
  if (a->order > b->order)
    {
      PhNode *swap = a;

      a = b;
      b = swap;
    }
  down = reach (a, FALSE, TRUE, G_MAXUINT);
  up = reach (b, TRUE, FALSE, G_MAXUINT);
  both = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&iter, down);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (g_hash_table_contains (up, key))
      g_hash_table_add (both, key);
  return show_part (self, both);
}

gboolean
ph_graph_canvas_show_touched (PhGraphCanvas *self)
{
  GHashTable *set;
  g_autoptr(GPtrArray) unused = g_ptr_array_new ();

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  if (self->scene == NULL)
    return FALSE;
  set = g_hash_table_new (NULL, NULL);
  for (guint b = 0; b < ph_scene_n_boxes (self->scene); b++)
    {
      const PhTenant *gone = NULL, *now;

      if (ph_scene_box (self->scene, b)->n_tenants == 0
          || ph_scene_change (self->scene, b, self->since, self->time, &gone) == PH_CHANGE_NONE)
        continue;
      now = ph_scene_tenant (self->scene, b, self->time);
      if (gone != NULL)
        g_hash_table_add (set, GUINT_TO_POINTER (gone->id));
      if (now != NULL)
        {
          PhNode *node = find_node (self, now->id);

          g_hash_table_add (set, GUINT_TO_POINTER (now->id));
          if (node != NULL)
            add_neighbours (node, TRUE, TRUE, set, unused);
        }
    }
  return show_part (self, set);
}

void
ph_graph_canvas_show_all (PhGraphCanvas *self)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  if (self->keep != NULL)
    show_part (self, NULL);
}

gboolean
ph_graph_canvas_is_partial (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  return self->keep != NULL;
}

void
ph_graph_canvas_synchronise (PhGraphCanvas *self, PhGraphCanvas *other)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self) && (other == NULL || PH_IS_GRAPH_CANVAS (other)) && other != self);
  if (self->other == other)
    return;
  if (self->other != NULL)
    self->other->other = NULL;
  self->other = other;
  if (other == NULL)
    return;
  if (other->other != NULL)
    other->other->other = NULL;
  other->other = self;
  set_view (self, self->x, self->y, self->zoom);
}

void
ph_graph_canvas_pin_position (PhGraphCanvas *self, const PhPosition *position)
{
  g_return_if_fail (PH_IS_GRAPH_CANVAS (self));
  self->pinned = position != NULL;
  if (position != NULL)
    self->pin = *position;
  update_times (self);
  update_look (self);
}
