/* thumbnail.c: a small picture of the model in a file, drawn as the canvas draws it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/thumbnail.h"

#include <adwaita.h>

#include "core/draw/draw.h"
#include "core/io/io.h"
#include "core/scene/scene.h"

#define DENSITY 2    /* pixels a point: sharp on any display */
#define MARGIN  6.0  /* points around the picture            */
#define LEAST   0.3  /* of the size of the canvas: of a long chain the beginning is shown */
#define FADE    48.0 /* points at the edge over which what goes on beyond it fades        */

typedef struct
{
  char *path;
  PhTheme theme;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_free (job->path);
  g_free (job);
}

/* (nullable) */
static PhScene *
read_scene (const char *path, GCancellable *cancellable)
{
  const PhSceneOptions options = { .engine = PH_LAYOUT_LAYERED, .across = TRUE };
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  PhModel *model = ph_io_open (path, problems, cancellable, NULL);

  return model ? ph_scene_new (model, NULL, &options, cancellable, NULL) : NULL;
}

static void
fade_end (cairo_t *cr, double width)
{
  cairo_pattern_t *pattern = cairo_pattern_create_linear (width - DENSITY * (FADE + MARGIN), 0, width - DENSITY * MARGIN, 0);

  cairo_pattern_add_color_stop_rgba (pattern, 0, 0, 0, 0, 1);
  cairo_pattern_add_color_stop_rgba (pattern, 1, 0, 0, 0, 0);
  cairo_set_operator (cr, CAIRO_OPERATOR_DEST_IN);
  cairo_set_source (cr, pattern);
  cairo_paint (cr);
  cairo_pattern_destroy (pattern);
}

static GdkTexture *
draw (PhScene *scene, PhTheme theme)
{
  const int width = DENSITY * PH_THUMBNAIL_WIDTH, height = DENSITY * PH_THUMBNAIL_HEIGHT;
  const double room_x = width - 2 * DENSITY * MARGIN, room_y = height - 2 * DENSITY * MARGIN;
  const double fit = MIN (room_x / ph_scene_width (scene), room_y / ph_scene_height (scene));
  const double scale = MIN (MAX (fit, MIN (LEAST * DENSITY, room_y / ph_scene_height (scene))), DENSITY);
  const PhDrawOptions options = {
    .theme = theme, .scale = scale, .clip = { 0, 0, ph_scene_width (scene), ph_scene_height (scene) }, .transparent = TRUE
  };
  g_autoptr (PhInk) ink = ph_ink_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);

  cairo_translate (cr, MAX (width - scale * ph_scene_width (scene), 0) / 2, (height - scale * ph_scene_height (scene)) / 2);
  cairo_scale (cr, scale, scale);
  ph_scene_draw (scene, cr, ink, &options);
  cairo_identity_matrix (cr);
  if (scale * ph_scene_width (scene) > width)
    fade_end (cr, width);
  cairo_destroy (cr);
  cairo_surface_flush (surface);

  const gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  g_autoptr (GBytes) bytes = g_bytes_new (cairo_image_surface_get_data (surface), stride * (gsize) height);
  cairo_surface_destroy (surface);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  g_autoptr (PhScene) scene = read_scene (job->path, cancellable);

  if (g_task_return_error_if_cancelled (task))
    return;
  g_task_return_pointer (task, scene ? draw (scene, job->theme) : NULL, g_object_unref);
}

static void
on_drawn (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GdkTexture) texture = g_task_propagate_pointer (G_TASK (result), NULL);

  if (!texture)
    return;
  /* The texture is wrapped, because by itself its size would be one point per pixel. */
  const graphene_size_t size = GRAPHENE_SIZE_INIT (PH_THUMBNAIL_WIDTH, PH_THUMBNAIL_HEIGHT);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  gtk_snapshot_append_texture (snapshot, texture, &GRAPHENE_RECT_INIT (0, 0, size.width, size.height));
  g_autoptr (GdkPaintable) paintable = gtk_snapshot_free_to_paintable (snapshot, &size);
  gtk_picture_set_paintable (GTK_PICTURE (source), paintable);
}

static void
start (GtkWidget *picture)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  const gboolean dark = adw_style_manager_get_dark (style), contrast = adw_style_manager_get_high_contrast (style);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GTask) task = g_task_new (picture, cancellable, on_drawn, NULL);
  Job *job = g_new0 (Job, 1);

  job->path = g_strdup (g_object_get_data (G_OBJECT (picture), "path"));
  job->theme = contrast ? (dark ? PH_THEME_HIGH_CONTRAST_DARK : PH_THEME_HIGH_CONTRAST) : dark ? PH_THEME_DARK : PH_THEME_LIGHT;
  g_task_set_task_data (task, job, job_free);
  /* Cancels a drawing begun for another theme or a page that is gone. */
  GCancellable *before = g_object_get_data (G_OBJECT (picture), "cancellable");
  if (before)
    g_cancellable_cancel (before);
  g_object_set_data_full (G_OBJECT (picture), "cancellable", g_object_ref (cancellable), g_object_unref);
  g_task_run_in_thread (task, work);
}

/* Draws only visible thumbnails. */
static void
on_map (GtkWidget *picture)
{
  if (!g_object_get_data (G_OBJECT (picture), "cancellable"))
    start (picture);
}

static void
on_theme (GtkWidget *picture)
{
  if (g_object_get_data (G_OBJECT (picture), "cancellable"))
    start (picture);
}

static void
on_unrealize (GtkWidget *picture)
{
  GCancellable *cancellable = g_object_get_data (G_OBJECT (picture), "cancellable");

  if (cancellable)
    g_cancellable_cancel (cancellable);
}

GtkWidget *
ph_thumbnail_new (const char *path)
{
  GtkWidget *picture = g_object_new (GTK_TYPE_PICTURE, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, "can-shrink", TRUE,
                                     NULL);
  AdwStyleManager *style = adw_style_manager_get_default ();

  gtk_widget_set_size_request (picture, PH_THUMBNAIL_WIDTH, PH_THUMBNAIL_HEIGHT);
  g_object_set_data_full (G_OBJECT (picture), "path", g_strdup (path), g_free);
  g_signal_connect (picture, "map", G_CALLBACK (on_map), NULL);
  g_signal_connect (picture, "unrealize", G_CALLBACK (on_unrealize), NULL);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (on_theme), picture, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (on_theme), picture, G_CONNECT_SWAPPED);
  return picture;
}
