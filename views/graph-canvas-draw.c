/* graph-canvas-draw.c: draws a frame: tiles, and on top of them the selection and the item under the pointer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-canvas-draw.h"
#include "core/draw/export.h"
#include "core/scene/scene-read.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-view.h"

#include <adwaita.h>
#include <math.h>

#define BORDER       3    /* points: of the border of a change, outside the card */
#define FRAME_BUDGET 3000 /* µs a frame waits for tiles                  */
#define ZOOM_BUDGET  1000 /* µs while it zooms: the next frame is another */
#define STEP_BUDGET  9000 /* µs the first frame after a step waits       */

static void
update_theme (PhGraphCanvas *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  const gboolean dark = adw_style_manager_get_dark (style);

  self->theme = adw_style_manager_get_high_contrast (style) ? (dark ? PH_THEME_HIGH_CONTRAST_DARK : PH_THEME_HIGH_CONTRAST)
                : dark                                      ? PH_THEME_DARK
                                                            : PH_THEME_LIGHT;
}

/* Updates the two times: before the last step or rewrite, and now. After a step without effect nothing is dimmed. */
void
ph_canvas_update_times (PhGraphCanvas *self)
{
  PhHistory *history = self->document != NULL ? ph_document_get_history (self->document) : NULL;
  gboolean any = FALSE;

  self->time = self->since = 0;
  if (history == NULL || self->shown.scene == NULL)
    return;

  const int end = ph_scene_end (self->shown.scene);

  self->time = self->since = MIN (ph_scene_time (history, ph_document_get_position (self->document)), end);
  if (!ph_canvas_is_on (self, PH_VIEW_DIFF))
    return;
  self->since = MIN (ph_scene_time (history, ph_document_get_since (self->document)), end);
  for (guint b = 0; b < ph_scene_n_boxes (self->shown.scene) && !any && self->since != self->time; b++)
    any = ph_scene_box (self->shown.scene, b)->n_tenants > 0
          && ph_scene_change (self->shown.scene, b, self->since, self->time, NULL) != PH_CHANGE_NONE;
  if (!any)
    self->since = self->time;
  if (self->side == PH_SIDE_BEFORE)
    {
      const int after = self->time;

      self->time = self->since;
      self->since = after;
    }
}

/* Updates the paint. Colours by kind of operator need none, except for the legend. */
static void
update_paint (PhGraphCanvas *self, gboolean even_for_kind)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  g_autoptr (PhMeasure) measure = NULL;

  g_clear_pointer (&self->paint, ph_paint_unref);
  if (self->shown.scene == NULL || model == NULL
      || (ph_view_state_get (ph_canvas_view (self), PH_VIEW_COLOR) == PH_COLOR_FAMILY && !even_for_kind))
    return;
  measure = ph_view_state_dup_measure (ph_canvas_view (self));
  if (measure == NULL && even_for_kind)
    measure = ph_measure_new_of_model (model, PH_COLOR_FAMILY);
  self->paint = measure != NULL ? ph_paint_new (self->shown.scene, self->time, measure) : NULL;
}

PhPaint *
ph_graph_canvas_get_paint (PhGraphCanvas *self)
{
  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), NULL);
  if (self->paint == NULL)
    update_paint (self, TRUE);
  return self->paint;
}

PhDrawOptions
ph_canvas_draw_options (PhGraphCanvas *self)
{
  return (PhDrawOptions) { .theme = self->theme,
                           .time = self->time,
                           .since = self->since,
                           .side = self->side,
                           .scale = self->viewport.at.zoom,
                           .paint = self->paint,
                           .values = self->value_labels,
                           .edge_width = ph_canvas_is_on (self, PH_VIEW_EDGES) };
}

void
ph_canvas_update_look (PhGraphCanvas *self)
{
  PhDrawOptions options;

  g_clear_pointer (&self->marked, g_array_unref);
  ph_canvas_forget_marks (self);
  update_paint (self, FALSE);
  options = ph_canvas_draw_options (self);
  ph_tiles_set_look (self->tiles, self->shown.scene, &options);
  self->look_changed = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, ph_canvas_signals[PH_CANVAS_LOOK_CHANGED], 0);
}

static void
on_style (PhGraphCanvas *self)
{
  update_theme (self);
  ph_canvas_update_look (self);
}

static gboolean
on_tiles (gpointer data)
{
  PhGraphCanvas *self = data;

  if (ph_tiles_update (self->tiles))
    g_signal_emit (self, ph_canvas_signals[PH_CANVAS_OVERVIEW_CHANGED], 0);
  if (!self->complete)
    gtk_widget_queue_draw (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

static void
ring (PhGraphCanvas *self, cairo_t *cr, const PhRect *rect, double radius, PhColor color, double width)
{
  const double grow = 3.0 / MAX (self->viewport.at.zoom, 0.2), r = MIN (radius + grow, (rect->height + 2 * grow) / 2);
  const double x = rect->x - grow, y = rect->y - grow, w = rect->width + 2 * grow, h = rect->height + 2 * grow;

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + w - r, y + r, r, -G_PI / 2, 0);
  cairo_arc (cr, x + w - r, y + h - r, r, 0, G_PI / 2);
  cairo_arc (cr, x + r, y + h - r, r, G_PI / 2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 3 * G_PI / 2);
  cairo_close_path (cr);
  cairo_set_source_rgba (cr, color.red, color.green, color.blue, color.alpha);
  cairo_set_line_width (cr, width / MIN (self->viewport.at.zoom, 1));
  cairo_stroke (cr);
}

static double
box_radius (const PhSceneBox *box)
{
  return box->kind == PH_BOX_GROUP || box->open ? 10 : box->kind == PH_BOX_NODE ? 7 : box->rect.height / 2;
}

gboolean
ph_graph_canvas_get_picture (PhGraphCanvas *self, gboolean whole, PhPicture *picture)
{
  const PhRect seen = ph_viewport_seen (ph_canvas_viewport (self));
  PhRect all;

  g_return_val_if_fail (PH_IS_GRAPH_CANVAS (self), FALSE);
  if (self->shown.scene == NULL)
    return FALSE;
  all = (PhRect) { 0, 0, ph_scene_width (self->shown.scene), ph_scene_height (self->shown.scene) };
  *picture = (PhPicture) { self->shown.scene, ph_canvas_draw_options (self), NULL, FALSE };
  picture->options.side = PH_SIDE_BOTH;
  picture->options.clip = all;
  if (!whole)
    {
      const float left = MAX (seen.x, 0), top = MAX (seen.y, 0);

      picture->options.clip = (PhRect) { left, top, MIN (seen.x + seen.width, all.width) - left,
                                         MIN (seen.y + seen.height, all.height) - top };
    }
  return picture->options.clip.width > 0 && picture->options.clip.height > 0;
}

static gboolean
has_notes (PhGraphCanvas *self)
{
  return self->since != self->time && ph_document_get_diff (self->document) != NULL && !ph_tiles_is_behind (self->tiles);
}

static gboolean
has_overlay (PhGraphCanvas *self)
{
  return has_notes (self) || ph_canvas_has_marks (self)
         || (self->document != NULL && ph_document_get_selection (self->document) != 0) || self->hover.box >= 0
         || self->hover.pill >= 0 || self->hover.edge >= 0;
}

/* Finds what the selection ring surrounds: the card of node @id with the border of its change; if the node was replaced, its remnant behind
 * the new card. Returns FALSE if it is not visible. */
static gboolean
find_selected (PhGraphCanvas *self, PhId id, int box, PhRect *around)
{
  PhScene *scene = self->shown.scene;
  const PhSceneBox *at = ph_scene_box (scene, box);
  const PhTenant *gone = NULL, *tenant = ph_scene_tenant (scene, box, self->time);
  const PhChange change = ph_scene_change (scene, box, self->since, self->time, &gone);

  *around = ph_scene_card (scene, box, self->time, self->since);
  if (at->kind != PH_BOX_NODE || at->open)
    return TRUE;
  if (tenant == NULL || tenant->id != id)
    {
      if (self->since == self->time || gone == NULL || gone->id != id)
        return FALSE;
      around->x += tenant != NULL ? PH_GONE_SHIFT : 0;
      around->y += tenant != NULL ? PH_GONE_SHIFT : 0;
    }
  if (change != PH_CHANGE_NONE)
    *around = (PhRect) { around->x - BORDER, around->y - BORDER, around->width + 2 * BORDER, around->height + 2 * BORDER };
  return TRUE;
}

/* Draws removed boxes above the lines through their place, so that their text stays readable. */
static void
draw_gone_above (PhGraphCanvas *self, cairo_t *cr, const PhSceneEdge *edge, const PhDrawOptions *options)
{
  g_autoptr (GArray) boxes = NULL;

  if (self->since == self->time || self->side != PH_SIDE_BOTH)
    return;
  boxes = g_array_new (FALSE, FALSE, sizeof (int));
  ph_scene_boxes_in (self->shown.scene, &edge->bounds, boxes);
  for (guint i = 0; i < boxes->len; i++)
    {
      const int at = g_array_index (boxes, int, i);
      const PhSceneBox *box = ph_scene_box (self->shown.scene, at);

      if (box->n_tenants > 0 && !box->open && ph_scene_tenant (self->shown.scene, at, self->time) == NULL
          && ph_scene_tenant (self->shown.scene, at, self->since) != NULL)
        ph_scene_draw_box (self->shown.scene, cr, self->ink, at, options);
    }
}

static void
draw_notes (PhGraphCanvas *self, cairo_t *cr, const PhDrawOptions *options)
{
  PhDrawOptions notes = *options;

  notes.clip = ph_viewport_seen (ph_canvas_viewport (self));
  ph_scene_draw_notes (self->shown.scene, cr, self->ink, &notes, ph_document_get_diff (self->document));
}

/* Draws the selected node with its edges, and the element under the pointer, in each frame on top of the tiles. */
static void
draw_overlay (PhGraphCanvas *self, cairo_t *cr)
{
  const guint id = self->document != NULL ? ph_document_get_selection (self->document) : 0;
  const PhColor accent = ph_theme_accent (self->theme);
  const PhDrawOptions options = ph_canvas_draw_options (self);
  PhRect card, around = { 0 };
  int pill = -1, box = id != 0 ? ph_scene_find (self->shown.scene, id, &pill) : -1;

  /* In a pair the node is only marked on the side that has it. */
  if (box >= 0 && pill < 0 && self->side != PH_SIDE_BOTH && ph_scene_box (self->shown.scene, box)->n_tenants > 0
      && ph_scene_tenant (self->shown.scene, box, self->time) == NULL)
    box = -1;
  if (box >= 0 && pill < 0 && !find_selected (self, id, box, &around))
    box = -1;

  cairo_scale (cr, self->viewport.at.zoom, self->viewport.at.zoom);
  cairo_translate (cr, -self->viewport.at.x, -self->viewport.at.y);
  if (self->hover.edge >= 0 && self->hover.edge < (int) ph_scene_n_edges (self->shown.scene))
    ph_scene_draw_edge (self->shown.scene, cr, self->hover.edge, &options,
                        &(PhColor) { accent.red, accent.green, accent.blue, 0.8 }, MAX (2.2, 1.4 / self->viewport.at.zoom));
  if (box >= 0 && pill < 0)
    {
      const PhSceneBox *at = ph_scene_box (self->shown.scene, box);

      for (int side = 0; side < 2; side++)
        {
          guint n;
          const int *edges = side == 0 ? ph_scene_edges_from (self->shown.scene, box, &n)
                                       : ph_scene_edges_to (self->shown.scene, box, &n);

          for (guint i = 0; i < MIN (n, 400); i++)
            if (ph_scene_edge_at (self->shown.scene, edges[i], self->time))
              {
                ph_scene_draw_edge (self->shown.scene, cr, edges[i], &options, &accent, MAX (2.2, 1.4 / self->viewport.at.zoom));
                draw_gone_above (self, cr, ph_scene_edge (self->shown.scene, edges[i]), &options);
              }
        }
      /* The selected box is never pale. */
      if (self->since != self->time && at->n_tenants > 0 && !at->open
          && ph_scene_change (self->shown.scene, box, self->since, self->time, NULL) == PH_CHANGE_NONE)
        {
          PhDrawOptions plain = options;

          plain.since = plain.time;
          ph_scene_draw_box (self->shown.scene, cr, self->ink, box, &plain);
        }
      ring (self, cr, &around, box_radius (at), accent, 3);
      if (self->since != self->time)
        ph_scene_draw_badges (self->shown.scene, cr, box, &options);
    }
  else if (box >= 0)
    ring (self, cr, &ph_scene_pill (self->shown.scene, pill)->rect, PH_PILL_HEIGHT / 2, accent, 2.4);
  if (has_notes (self))
    draw_notes (self, cr, &options);
  ph_canvas_draw_marks (self, cr);
  if (self->hover.pill >= 0)
    ring (self, cr, &ph_scene_pill (self->shown.scene, self->hover.pill)->rect, PH_PILL_HEIGHT / 2,
          (PhColor) { accent.red, accent.green, accent.blue, 0.6 }, 1.6);
  else if (self->hover.box >= 0 && self->hover.box != box)
    {
      card = ph_scene_card (self->shown.scene, self->hover.box, self->time, self->since);
      ring (self, cr, &card, box_radius (ph_scene_box (self->shown.scene, self->hover.box)),
            (PhColor) { accent.red, accent.green, accent.blue, 0.55 }, 1.8);
    }
}

/* Appends the overlay with tight bounds, since GTK redraws everything below a changed node. */
static void
append_overlay (PhGraphCanvas *self, GtkSnapshot *snapshot, const graphene_rect_t *bounds)
{
  const cairo_rectangle_t all = { 0, 0, bounds->size.width, bounds->size.height };
  cairo_surface_t *trial = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, &all);
  cairo_t *cr = cairo_create (trial);
  double x, y, width, height;

  draw_overlay (self, cr);
  cairo_destroy (cr);
  cairo_recording_surface_ink_extents (trial, &x, &y, &width, &height);
  cairo_surface_destroy (trial);
  if (width <= 0 || height <= 0)
    return;

  const graphene_rect_t ink = GRAPHENE_RECT_INIT (floor (x), floor (y), ceil (x + width) - floor (x),
                                                  ceil (y + height) - floor (y));

  cr = gtk_snapshot_append_cairo (snapshot, &ink);
  draw_overlay (self, cr);
  cairo_destroy (cr);
}

void
ph_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PhGraphCanvas *self = PH_GRAPH_CANVAS (widget);
  const int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  const graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, width, height);
  const PhColor color = ph_theme_background (self->theme), accent = ph_theme_accent (self->theme);
  const GdkRGBA background = { color.red, color.green, color.blue, 1 };
  /* clang-format off */
  const PhTileView view = {
    self->viewport.at.x, self->viewport.at.y, self->viewport.at.zoom, width, height, gtk_widget_get_scale_factor (widget),
    ph_viewport_is_animated (&self->viewport) || g_get_monotonic_time () - self->zoomed_at < 100000
  };
  /* clang-format on */
  const gboolean by_cairo = GSK_IS_CAIRO_RENDERER (gtk_native_get_renderer (gtk_widget_get_native (widget)));

  gtk_snapshot_push_clip (snapshot, &bounds);
  self->complete = ph_tiles_snapshot (self->tiles, snapshot, by_cairo, &view, &background,
                                      self->look_changed ? STEP_BUDGET
                                      : view.moving      ? ZOOM_BUDGET
                                                         : FRAME_BUDGET);
  self->look_changed = FALSE;
  if (self->morph != NULL)
    {
      cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);

      gdk_cairo_set_source_rgba (cr, &background);
      cairo_paint (cr);
      ph_canvas_morph_draw (self, cr);
      cairo_destroy (cr);
    }
  else if (self->shown.scene != NULL && has_overlay (self))
    append_overlay (self, snapshot, &bounds);
  if (gtk_widget_has_visible_focus (widget)
      || (gtk_widget_get_focus_child (widget) != NULL && gtk_widget_has_visible_focus (gtk_widget_get_focus_child (widget))))
    {
      const GdkRGBA line = { accent.red, accent.green, accent.blue, 0.5 };
      GskRoundedRect frame;

      gsk_rounded_rect_init_from_rect (&frame, &bounds, 0);
      gtk_snapshot_append_border (snapshot, &frame, (float[]) { 2, 2, 2, 2 }, (GdkRGBA[]) { line, line, line, line });
    }
  gtk_snapshot_pop (snapshot);
}

void
ph_canvas_init_look (PhGraphCanvas *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  self->tiles = ph_tiles_new (on_tiles, self);
  self->ink = ph_ink_new ();
  update_theme (self);
  self->style_ids[0] = g_signal_connect_swapped (style, "notify::dark", G_CALLBACK (on_style), self);
  self->style_ids[1] = g_signal_connect_swapped (style, "notify::high-contrast", G_CALLBACK (on_style), self);
}
