/* canvas-tiles.c: the picture as square textures, painted by threads and cached.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/canvas-tiles.h"

#include <math.h>

#include "core/scene/scene.h"
#include "views/tile-painter.h"

#define TILE      256         /* logical pixels                       */
#define OVERVIEW  1024        /* pixels of the overview's longer side */
#define MAX_BYTES (128 << 20) /* of a level's tiles  */
#define NEVER     (-1)        /* the overview's level                 */
#define BEHIND_US 150000      /* longest time for which the old style is shown */

typedef struct
{
  cairo_surface_t *surface; /* (nullable) */
  GdkTexture *texture;      /* (nullable) the same pixels, made for a renderer */
  GskRenderNode *
      node; /* (nullable) last drawn node, reused in all frames, so that GTK repaints only differences                                                                                                      */
  cairo_rectangle_int_t part, place; /* of @node, in device pixels                   */
  PhTileJob *job;                    /* (nullable) unowned, while it runs                            */
  guint look, asked;
  guint64 hash;
  gint64 used;
  cairo_surface_t *next; /* (nullable) in the new style, until it is shown */
  guint next_look;
  guint64 next_hash;
} Tile;

/* Tiles of one zoom. */
typedef struct
{
  guint number;
  double zoom;
  int device_scale;
  GHashTable *tiles; /* column << 32 | row -> Tile */
} Level;

struct _PhTiles
{
  PhTilePainter *painter;
  PhLook *look; /* (nullable) */
  guint look_number, scene_number;
  Level current, previous;
  Tile overview;
  gboolean overview_changed;
  gint64 behind;   /* µs: the previous look has been shown since then, until the new one is complete; 0: it is */
  PhTileView view; /* of the last frame */
};

static void
tile_clear (Tile *tile)
{
  g_clear_pointer (&tile->surface, cairo_surface_destroy);
  g_clear_pointer (&tile->next, cairo_surface_destroy);
  g_clear_object (&tile->texture);
  g_clear_pointer (&tile->node, gsk_render_node_unref);
}

static void
tile_take (Tile *tile, cairo_surface_t *surface, guint look, guint64 hash)
{
  tile_clear (tile);
  tile->surface = surface;
  tile->look = look;
  tile->hash = hash;
}

static void
tile_free (gpointer data)
{
  tile_clear (data);
  g_free (data);
}

static void
level_init (Level *level)
{
  level->tiles = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, tile_free);
}

static Tile *
level_find (Level *level, int column, int row, gboolean add)
{
  const gint64 key = (gint64) column << 32 | (guint32) row;
  Tile *tile = g_hash_table_lookup (level->tiles, &key);

  if (tile == NULL && add)
    {
      tile = g_new0 (Tile, 1);
      g_hash_table_insert (level->tiles, g_memdup2 (&key, sizeof key), tile);
    }
  return tile;
}

PhTiles *
ph_tiles_new (GSourceFunc ready, gpointer data)
{
  PhTiles *tiles = g_new0 (PhTiles, 1);

  tiles->painter = ph_tile_painter_new (ready, data);
  level_init (&tiles->current);
  level_init (&tiles->previous);
  return tiles;
}

void
ph_tiles_free (PhTiles *tiles)
{
  ph_tile_painter_free (tiles->painter);
  g_hash_table_unref (tiles->current.tiles);
  g_hash_table_unref (tiles->previous.tiles);
  tile_clear (&tiles->overview);
  ph_look_unref (tiles->look);
  g_free (tiles);
}

void
ph_tiles_set_look (PhTiles *tiles, PhScene *scene, const PhDrawOptions *options)
{
  const gboolean same_scene = tiles->look != NULL && tiles->look->scene == scene;

  tiles->look_number++;
  if (!same_scene)
    {
      g_hash_table_remove_all (tiles->current.tiles);
      g_hash_table_remove_all (tiles->previous.tiles);
      tile_clear (&tiles->overview);
      tiles->scene_number = tiles->look_number;
    }
  tiles->behind = !same_scene ? 0 : tiles->behind != 0 ? tiles->behind : g_get_monotonic_time ();
  ph_look_unref (tiles->look);
  tiles->look = scene != NULL ? ph_look_new (scene, options, tiles->look_number) : NULL;
  ph_tile_painter_want (tiles->painter, tiles->look_number, tiles->current.number);
}

/* ── asking and filing ──────────────────────────────────────────────────────────────────────────────────────────── */

static PhTileJob *
new_job (PhTiles *tiles, Tile *tile)
{
  PhTileJob *job = g_new0 (PhTileJob, 1);

  job->look = ph_look_ref (tiles->look);
  job->old = tile->surface != NULL ? cairo_surface_reference (tile->surface) : NULL;
  job->hash = tile->hash;
  tile->asked = tiles->look_number;
  tile->job = job;
  return job;
}

static void
ask (PhTiles *tiles, Tile *tile, int column, int row, gboolean ahead)
{
  const Level *level = &tiles->current;
  const double side = TILE / level->zoom;
  PhTileJob *job;

  if (tile->asked == tiles->look_number)
    {
      if (tile->job != NULL && !ahead && tile->job->ahead)
        ph_tile_painter_hurry (tiles->painter, g_steal_pointer (&tile->job));
      return;
    }
  job = new_job (tiles, tile);
  job->clip = (PhRect) { column * side, row * side, side, side };
  job->scale = level->zoom * level->device_scale;
  job->width = job->height = TILE * level->device_scale;
  job->device_scale = level->device_scale;
  job->group = job->level = level->number;
  job->column = column;
  job->row = row;
  job->ahead = ahead;
  ph_tile_painter_push (tiles->painter, job);
}

static void
ask_overview (PhTiles *tiles)
{
  float width, height;
  PhTileJob *job;

  if (tiles->look == NULL || tiles->overview.asked == tiles->look_number)
    return;
  job = new_job (tiles, &tiles->overview);
  width = ph_scene_width (tiles->look->scene);
  height = ph_scene_height (tiles->look->scene);
  job->clip = (PhRect) { 0, 0, width, height };
  job->scale = MIN (2.0, OVERVIEW / MAX (1, MAX (width, height)));
  job->width = MAX (1, ceil (width * job->scale));
  job->height = MAX (1, ceil (height * job->scale));
  job->device_scale = 1;
  job->level = NEVER;
  ph_tile_painter_push (tiles->painter, job);
}

static void
file_job (PhTiles *tiles, PhTileJob *job)
{
  Tile *tile = job->level == NEVER                          ? &tiles->overview
               : job->level == (int) tiles->current.number  ? level_find (&tiles->current, job->column, job->row, FALSE)
               : job->level == (int) tiles->previous.number ? level_find (&tiles->previous, job->column, job->row, FALSE)
                                                            : NULL;

  if (tile != NULL && tile->job == job)
    tile->job = NULL;
  /* Threads may finish out of order: a tile of an older look that arrives late is dropped. */
  if (tile != NULL && job->surface != NULL && job->look->number >= tiles->scene_number
      && (tile->surface == NULL || job->look->number >= tile->look)
      && (tile->next == NULL || job->look->number >= tile->next_look))
    {
      if (tile->surface == job->surface)
        {
          tile->look = job->look->number;
          g_clear_pointer (&tile->next, cairo_surface_destroy);
        }
      else if (tile->surface != NULL && tiles->behind != 0 && tile != &tiles->overview)
        {
          g_clear_pointer (&tile->next, cairo_surface_destroy);
          tile->next = g_steal_pointer (&job->surface);
          tile->next_look = job->look->number;
          tile->next_hash = job->hash;
        }
      else
        {
          tile_take (tile, g_steal_pointer (&job->surface), job->look->number, job->hash);
          tiles->overview_changed |= tile == &tiles->overview;
        }
    }
  ph_tile_job_free (job);
}

static void
collect (PhTiles *tiles)
{
  PhTileJob *job;

  while ((job = ph_tile_painter_collect (tiles->painter, 0)) != NULL)
    file_job (tiles, job);
}

typedef struct
{
  int left, top, right, bottom;
} Range;

static Range
visible_range (const PhTileView *view, const Level *level, PhScene *scene)
{
  const double side = TILE / level->zoom;

  return (Range) { MAX (0, (int) floor (view->x / side)), MAX (0, (int) floor (view->y / side)),
                   (int) floor (MIN (view->x + view->width / view->zoom, ph_scene_width (scene)) / side),
                   (int) floor (MIN (view->y + view->height / view->zoom, ph_scene_height (scene)) / side) };
}

static gboolean
is_good (const PhTiles *tiles, const Tile *tile)
{
  return (tile->surface != NULL && tile->look == tiles->look_number)
         || (tile->next != NULL && tile->next_look == tiles->look_number);
}

/* Switches to the new style only as a whole: when all tiles of it are painted, after a time limit, or when the view moves and the change is
 * less noticeable. */
static void
catch_up (PhTiles *tiles, const PhTileView *view, gboolean complete, gint64 now)
{
  GHashTableIter iter;
  Tile *tile;

  if (tiles->behind == 0
      || (!complete && now - tiles->behind < BEHIND_US && view->x == tiles->view.x && view->y == tiles->view.y
          && view->zoom == tiles->view.zoom && view->device_scale == tiles->view.device_scale))
    return;
  tiles->behind = 0;
  g_hash_table_iter_init (&iter, tiles->current.tiles);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &tile))
    if (tile->next != NULL)
      tile_take (tile, g_steal_pointer (&tile->next), tile->next_look, tile->next_hash);
}

/* Counts the tiles of the current level that the view needs and that are not good, after asking for them. */
static int
count_missing (PhTiles *tiles, const Range *range, gint64 now)
{
  int missing = 0;

  for (int row = range->top; row <= range->bottom; row++)
    for (int column = range->left; column <= range->right; column++)
      {
        Tile *tile = level_find (&tiles->current, column, row, TRUE);

        tile->used = now;
        if (is_good (tiles, tile))
          continue;
        missing++;
        ask (tiles, tile, column, row, FALSE);
      }
  return missing;
}

/* Requests the tiles around the visible ones, which a scroll will show next. */
static void
ask_around (PhTiles *tiles, const Range *range, gint64 now)
{
  const double side = TILE / tiles->current.zoom;
  const int last_column = ph_scene_width (tiles->look->scene) / side, last_row = ph_scene_height (tiles->look->scene) / side;

  for (int row = MAX (range->top - 1, 0); row <= MIN (range->bottom + 1, last_row); row++)
    for (int column = MAX (range->left - 1, 0); column <= MIN (range->right + 1, last_column); column++)
      {
        Tile *tile = level_find (&tiles->current, column, row, TRUE);

        tile->used = MAX (tile->used, now - 1);
        if (!is_good (tiles, tile))
          ask (tiles, tile, column, row, TRUE);
      }
}

static gboolean
is_old (gpointer key, gpointer value, gpointer data)
{
  return ((Tile *) value)->used < *(gint64 *) data;
}

static void
forget_old (Level *level, gint64 now)
{
  const guint most = MAX_BYTES / (4 * TILE * TILE * level->device_scale * level->device_scale);

  for (gint64 age = 2 * G_USEC_PER_SEC; g_hash_table_size (level->tiles) > most; age = 1)
    {
      gint64 before = now - age;

      g_hash_table_foreach_remove (level->tiles, is_old, &before);
      if (age == 1)
        break;
    }
}

static void
start_level (PhTiles *tiles, double zoom, int device_scale)
{
  const Level old = tiles->previous;

  tiles->previous = tiles->current;
  tiles->current = old;
  g_hash_table_remove_all (tiles->current.tiles);
  tiles->current.zoom = zoom;
  tiles->current.device_scale = device_scale;
  tiles->current.number = tiles->previous.number + 1;
  ph_tile_painter_want (tiles->painter, tiles->look_number, tiles->current.number);
}

/* ── drawing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns the pixels as a texture, which keeps them alive. */
static GdkTexture *
tile_texture (Tile *tile)
{
  if (tile->texture == NULL && tile->surface != NULL)
    {
      const int width = cairo_image_surface_get_width (tile->surface), height = cairo_image_surface_get_height (tile->surface);
      const int stride = cairo_image_surface_get_stride (tile->surface);
      g_autoptr (GBytes) bytes = NULL;

      /* The unused byte of RGB24 is not the alpha that a texture expects. */
      for (int y = 0; y < height; y++)
        for (guint32 *row = (guint32 *) (cairo_image_surface_get_data (tile->surface) + y * stride), *end = row + width;
             row < end; row++)
          *row |= 0xff000000;
      bytes = g_bytes_new_with_free_func (cairo_image_surface_get_data (tile->surface), (gsize) stride * height,
                                          (GDestroyNotify) cairo_surface_destroy, cairo_surface_reference (tile->surface));
      tile->texture = gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
    }
  return tile->texture;
}

/* The destination of tiles. Each pixel is painted once: exact tiles first, then substitutes for missing ones. */
typedef struct
{
  GtkSnapshot *snapshot;
  gboolean by_cairo;
  const PhTileView *view;
  cairo_region_t *bare; /* device pixels that nothing was drawn on yet */
} Target;

/* Draws a part of a tile with cairo, in pixels of @d. */
static GskRenderNode *
draw_rect (Tile *tile, const cairo_rectangle_int_t *part, const cairo_rectangle_int_t *place, double d)
{
  const graphene_rect_t bounds = GRAPHENE_RECT_INIT (part->x / d, part->y / d, part->width / d, part->height / d);
  GskRenderNode *node = gsk_cairo_node_new (&bounds);
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);

  cairo_rectangle (cr, bounds.origin.x, bounds.origin.y, bounds.size.width, bounds.size.height);
  cairo_translate (cr, place->x / d, place->y / d);
  cairo_scale (cr, place->width / d / cairo_image_surface_get_width (tile->surface),
               place->height / d / cairo_image_surface_get_height (tile->surface));
  cairo_set_source_surface (cr, tile->surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_FAST);
  cairo_fill (cr);
  cairo_destroy (cr);
  return node;
}

static gboolean
same_rect (const cairo_rectangle_int_t *a, const cairo_rectangle_int_t *b)
{
  return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height;
}

static void
append_rect (const Target *target, Tile *tile, const cairo_rectangle_int_t *part, const cairo_rectangle_int_t *place)
{
  const double d = target->view->device_scale;
  const gboolean whole = part->width == place->width && part->height == place->height;

  if (!target->by_cairo)
    {
      const graphene_rect_t bounds = GRAPHENE_RECT_INIT (place->x / d, place->y / d, place->width / d, place->height / d);

      if (!whole)
        gtk_snapshot_push_clip (target->snapshot,
                                &GRAPHENE_RECT_INIT (part->x / d, part->y / d, part->width / d, part->height / d));
      gtk_snapshot_append_texture (target->snapshot, tile_texture (tile), &bounds);
      if (!whole)
        gtk_snapshot_pop (target->snapshot);
      return;
    }
  if (tile->node == NULL || !same_rect (&tile->part, part) || !same_rect (&tile->place, place))
    {
      g_clear_pointer (&tile->node, gsk_render_node_unref);
      tile->node = draw_rect (tile, part, place, d);
      tile->part = *part;
      tile->place = *place;
    }
  gtk_snapshot_append_node (target->snapshot, tile->node);
}

/* @x0 ... in device pixels of the view. */
static void
append_tile (const Target *target, Tile *tile, double x0, double y0, double x1, double y1)
{
  /* Whole pixels, or seams would show. */
  const cairo_rectangle_int_t place = { round (x0), round (y0), round (x1) - round (x0), round (y1) - round (y0) };
  cairo_region_t *part;

  if (tile == NULL || tile->surface == NULL || place.width < 1 || place.height < 1
      || cairo_region_contains_rectangle (target->bare, &place) == CAIRO_REGION_OVERLAP_OUT)
    return;
  part = cairo_region_copy (target->bare);
  cairo_region_intersect_rectangle (part, &place);
  for (int i = 0; i < cairo_region_num_rectangles (part); i++)
    {
      cairo_rectangle_int_t rect;

      cairo_region_get_rectangle (part, i, &rect);
      append_rect (target, tile, &rect, &place);
    }
  cairo_region_destroy (part);
  cairo_region_subtract_rectangle (target->bare, &place);
}

static void
append_level (PhTiles *tiles, const Target *target, Level *level)
{
  const PhTileView *view = target->view;
  const double side = TILE / level->zoom, scale = view->zoom * view->device_scale;
  Range range;

  if (level->zoom == 0 || cairo_region_is_empty (target->bare))
    return;
  range = visible_range (view, level, tiles->look->scene);
  if ((gint64) (range.right - range.left + 1) * (range.bottom - range.top + 1) > 2000)
    return;
  for (int row = range.top; row <= range.bottom; row++)
    for (int column = range.left; column <= range.right; column++)
      append_tile (target, level_find (level, column, row, FALSE), (column * side - view->x) * scale,
                   (row * side - view->y) * scale, ((column + 1) * side - view->x) * scale, ((row + 1) * side - view->y) * scale);
}

static void
append_background (const Target *target, const GdkRGBA *color)
{
  const double d = target->view->device_scale;

  for (int i = 0; i < cairo_region_num_rectangles (target->bare); i++)
    {
      cairo_rectangle_int_t rect;

      cairo_region_get_rectangle (target->bare, i, &rect);
      gtk_snapshot_append_color (target->snapshot, color,
                                 &GRAPHENE_RECT_INIT (rect.x / d, rect.y / d, rect.width / d, rect.height / d));
    }
}

gboolean
ph_tiles_snapshot (PhTiles *tiles, GtkSnapshot *snapshot, gboolean by_cairo, const PhTileView *view, const GdkRGBA *background,
                   gint64 budget_us)
{
  const gint64 now = g_get_monotonic_time ();
  const double ratio = tiles->current.zoom > 0 ? view->zoom / tiles->current.zoom : 0;
  const cairo_rectangle_int_t all = { 0, 0, view->width * view->device_scale, view->height * view->device_scale };
  Target target = { snapshot, by_cairo, view, cairo_region_create_rectangle (&all) };
  int missing = 0;

  if (tiles->look != NULL)
    {
      const double scale = view->zoom * view->device_scale;
      PhTileJob *job;
      Range range;

      collect (tiles);
      ask_overview (tiles);
      if (tiles->current.device_scale != view->device_scale
          || (tiles->current.zoom != view->zoom && (!view->moving || ratio < 0.6 || ratio > 1.7)))
        start_level (tiles, view->zoom, view->device_scale);
      range = visible_range (view, &tiles->current, tiles->look->scene);
      missing = count_missing (tiles, &range, now);
      while (missing > 0 && (job = ph_tile_painter_collect (tiles->painter, now + budget_us)) != NULL)
        {
          file_job (tiles, job);
          collect (tiles);
          missing = count_missing (tiles, &range, now);
        }
      if (missing == 0 && !view->moving)
        ask_around (tiles, &range, now);

      catch_up (tiles, view, missing == 0, now);
      append_level (tiles, &target, &tiles->current);
      append_level (tiles, &target, &tiles->previous);
      if (tiles->overview.surface != NULL)
        append_tile (&target, &tiles->overview, -view->x * scale, -view->y * scale,
                     (ph_scene_width (tiles->look->scene) - view->x) * scale,
                     (ph_scene_height (tiles->look->scene) - view->y) * scale);
      forget_old (&tiles->current, now);
    }
  tiles->view = *view;
  append_background (&target, background);
  cairo_region_destroy (target.bare);
  return missing == 0 && (tiles->look == NULL || tiles->current.zoom == view->zoom);
}

gboolean
ph_tiles_is_behind (PhTiles *tiles)
{
  return tiles->behind != 0;
}

gboolean
ph_tiles_update (PhTiles *tiles)
{
  gboolean changed;

  collect (tiles);
  changed = tiles->overview_changed;
  tiles->overview_changed = FALSE;
  return changed;
}

GdkTexture *
ph_tiles_get_overview (PhTiles *tiles)
{
  collect (tiles);
  ask_overview (tiles);
  return tile_texture (&tiles->overview);
}
