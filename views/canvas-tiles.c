/* canvas-tiles.c: the picture as square textures, drawn by worker threads and kept while they are good.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/canvas-tiles.h"

#include <math.h>

#define TILE           256       /* logical pixels                       */
#define OVERVIEW       1024      /* pixels of the overview's longer side */
#define MAX_TILES      700

/* What the workers draw; immutable. */
typedef struct
{
  gatomicrefcount ref_count;
  PhScene        *scene;
  PhDrawOptions   options;
} Look;

/* Tiles of one zoom. */
typedef struct
{
  double      zoom;
  int         device_scale;
  GHashTable *tiles;             /* column << 32 | row -> Tile */
} Level;

typedef struct
{
  cairo_surface_t *surface;      /* (nullable) */
  GdkTexture      *texture;      /* (nullable) of the same pixels, made when a renderer wants it */
  guint            look, asked;
  gint64           used;
} Tile;

typedef struct
{
  PhTiles *tiles;
  Look    *look;
  guint    look_number;
  double   zoom;
  int      device_scale, column, row;     /* column -1: the overview */
  int      level, serial;
  cairo_surface_t *surface;               /* out */
} Job;

struct _PhTiles
{
  GSourceFunc  ready;
  gpointer     data;
  Look        *look;             /* (nullable) */
  guint        look_number, scene_number;
  int          wanted_look, wanted_level;    /* atomic: what is still worth drawing */
  Level        current, previous;
  Tile         overview;
  guint        overview_asked;
  GMutex       lock;
  GCond        done;
  GQueue       finished;         /* (element-type Job) under @lock */
  guint        ready_id;         /* under @lock */
  int          running;          /* under @lock */
  gboolean     closed;           /* under @lock */
};

static GThreadPool *pool;
static GPrivate thread_ink = G_PRIVATE_INIT ((GDestroyNotify) ph_ink_free);

static void
look_unref (Look *look)
{
  if (look == NULL || !g_atomic_ref_count_dec (&look->ref_count))
    return;
  ph_scene_unref (look->scene);
  g_clear_pointer (&look->options.paint, ph_paint_unref);
  g_free (look);
}

static void
tile_clear (Tile *tile)
{
  g_clear_pointer (&tile->surface, cairo_surface_destroy);
  g_clear_object (&tile->texture);
}

static void
tile_free (gpointer data)
{
  tile_clear (data);
  g_free (data);
}

static void
tile_set (Tile *tile, cairo_surface_t *surface, guint look)
{
  tile_clear (tile);
  tile->surface = cairo_surface_reference (surface);
  tile->look = look;
}

static void
level_init (Level *level)
{
  level->zoom = 0;
  level->tiles = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, tile_free);
}

static gint64
tile_key (int column, int row)
{
  return (gint64) column << 32 | (guint32) row;
}

static void
job_free (Job *job)
{
  g_clear_pointer (&job->surface, cairo_surface_destroy);
  look_unref (job->look);
  g_free (job);
}

/* ── in a worker ────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
on_ready (gpointer data)
{
  PhTiles *tiles = data;

  g_mutex_lock (&tiles->lock);
  tiles->ready_id = 0;
  g_mutex_unlock (&tiles->lock);
  tiles->ready (tiles->data);
  return G_SOURCE_REMOVE;
}

static void
draw_tile (gpointer data, gpointer unused)
{
  Job *job = data;
  PhTiles *tiles = job->tiles;
  PhInk *ink = g_private_get (&thread_ink);
  PhDrawOptions options = job->look->options;
  cairo_surface_t *surface;
  cairo_t *cr;
  gboolean wanted;

  g_mutex_lock (&tiles->lock);
  wanted = !tiles->closed && g_atomic_int_get (&tiles->wanted_look) == (int) job->look_number
           && (job->column < 0 || g_atomic_int_get (&tiles->wanted_level) == job->level);
  g_mutex_unlock (&tiles->lock);
  if (ink == NULL)
    {
      ink = ph_ink_new ();
      g_private_set (&thread_ink, ink);
    }
  if (wanted)
    {
      const float scene_width = ph_scene_width (job->look->scene), scene_height = ph_scene_height (job->look->scene);
      const int side = TILE * job->device_scale;

      if (job->column < 0)
        {
          options.scale = MIN (2.0, OVERVIEW / MAX (1, MAX (scene_width, scene_height)));
          options.clip = (PhRect) { 0, 0, scene_width, scene_height };
          surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, MAX (1, ceil (scene_width * options.scale)),
                                                MAX (1, ceil (scene_height * options.scale)));
        }
      else
        {
          options.scale = job->zoom * job->device_scale;
          options.clip = (PhRect) { job->column * (TILE / job->zoom), job->row * (TILE / job->zoom), TILE / job->zoom, TILE / job->zoom };
          surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, side, side);
        }
      cr = cairo_create (surface);
      cairo_scale (cr, options.scale, options.scale);
      cairo_translate (cr, -options.clip.x, -options.clip.y);
      ph_scene_draw (job->look->scene, cr, ink, &options);
      cairo_destroy (cr);
      cairo_surface_flush (surface);
      job->surface = surface;
    }
  g_mutex_lock (&tiles->lock);
  tiles->running--;
  g_queue_push_tail (&tiles->finished, job);
  g_cond_broadcast (&tiles->done);
  if (tiles->ready_id == 0 && !tiles->closed)
    tiles->ready_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, on_ready, tiles, NULL);
  g_mutex_unlock (&tiles->lock);
}

/* ── in the main thread ─────────────────────────────────────────────────────────────────────────────────────────── */

static int
newest_first (gconstpointer a, gconstpointer b, gpointer unused)
{
  return ((const Job *) b)->serial - ((const Job *) a)->serial;
}

PhTiles *
ph_tiles_new (GSourceFunc ready, gpointer data)
{
  PhTiles *tiles = g_new0 (PhTiles, 1);

  if (pool == NULL)
    {
      pool = g_thread_pool_new (draw_tile, NULL, CLAMP ((int) g_get_num_processors (), 1, 4), FALSE, NULL);
      g_thread_pool_set_sort_function (pool, newest_first, NULL);
    }
  tiles->ready = ready;
  tiles->data = data;
  g_mutex_init (&tiles->lock);
  g_cond_init (&tiles->done);
  g_queue_init (&tiles->finished);
  level_init (&tiles->current);
  level_init (&tiles->previous);
  return tiles;
}

void
ph_tiles_free (PhTiles *tiles)
{
  Job *job;

  g_mutex_lock (&tiles->lock);
  tiles->closed = TRUE;
  while (tiles->running > 0)
    g_cond_wait (&tiles->done, &tiles->lock);
  while ((job = g_queue_pop_head (&tiles->finished)) != NULL)
    job_free (job);
  if (tiles->ready_id != 0)
    g_source_remove (tiles->ready_id);
  g_mutex_unlock (&tiles->lock);
  g_hash_table_unref (tiles->current.tiles);
  g_hash_table_unref (tiles->previous.tiles);
  tile_clear (&tiles->overview);
  look_unref (tiles->look);
  g_mutex_clear (&tiles->lock);
  g_cond_clear (&tiles->done);
  g_free (tiles);
}

void
ph_tiles_set_look (PhTiles *tiles, PhScene *scene, const PhDrawOptions *options)
{
  const gboolean same_scene = tiles->look != NULL && tiles->look->scene == scene;
  Look *look = NULL;

  if (scene != NULL)
    {
      look = g_new0 (Look, 1);
      g_atomic_ref_count_init (&look->ref_count);
      look->scene = ph_scene_ref (scene);
      look->options = *options;
      if (look->options.paint != NULL)
        ph_paint_ref (look->options.paint);
    }
  if (!same_scene)
    {
      g_hash_table_remove_all (tiles->current.tiles);
      g_hash_table_remove_all (tiles->previous.tiles);
      tile_clear (&tiles->overview);
      tiles->scene_number = tiles->look_number + 1;
    }
  look_unref (tiles->look);
  tiles->look = look;
  tiles->look_number++;
  g_atomic_int_set (&tiles->wanted_look, (int) tiles->look_number);
}

static void
ask (PhTiles *tiles, double zoom, int device_scale, int column, int row)
{
  static int serial;
  Job *job = g_new0 (Job, 1);

  job->tiles = tiles;
  job->look = tiles->look;
  g_atomic_ref_count_inc (&job->look->ref_count);
  job->look_number = tiles->look_number;
  job->zoom = zoom;
  job->device_scale = device_scale;
  job->column = column;
  job->row = row;
  job->level = tiles->wanted_level;
  job->serial = ++serial;
  g_mutex_lock (&tiles->lock);
  tiles->running++;
  g_mutex_unlock (&tiles->lock);
  g_thread_pool_push (pool, job, NULL);
}

/* Files what the workers have finished. */
static void
collect (PhTiles *tiles)
{
  for (;;)
    {
      Job *job;
      Level *level;

      g_mutex_lock (&tiles->lock);
      job = g_queue_pop_head (&tiles->finished);
      g_mutex_unlock (&tiles->lock);
      if (job == NULL)
        return;
      level = job->zoom == tiles->current.zoom && job->device_scale == tiles->current.device_scale ? &tiles->current
            : job->zoom == tiles->previous.zoom && job->device_scale == tiles->previous.device_scale ? &tiles->previous : NULL;
      if (job->surface != NULL && job->look_number >= tiles->scene_number)
        {
          if (job->column < 0)
            {
              if (job->look_number >= tiles->overview.look || tiles->overview.surface == NULL)
                tile_set (&tiles->overview, job->surface, job->look_number);
            }
          else if (level != NULL)
            {
              gint64 key = tile_key (job->column, job->row);
              Tile *tile = g_hash_table_lookup (level->tiles, &key);

              if (tile != NULL && (tile->surface == NULL || job->look_number >= tile->look))
                tile_set (tile, job->surface, job->look_number);
            }
        }
      job_free (job);
    }
}

typedef struct { double x, y, zoom; float width, height; } View;

static void
tile_range (const View *view, double zoom, PhScene *scene, int *left, int *top, int *right, int *bottom)
{
  const double side = TILE / zoom;

  *left = MAX (0, (int) floor (view->x / side));
  *top = MAX (0, (int) floor (view->y / side));
  *right = (int) floor (MIN (view->x + view->width / view->zoom, ph_scene_width (scene)) / side);
  *bottom = (int) floor (MIN (view->y + view->height / view->zoom, ph_scene_height (scene)) / side);
}

/* Counts the tiles of the current level that the view needs and that are not good; asks for them once a look. */
static int
count_missing (PhTiles *tiles, const View *view, gboolean do_ask)
{
  Level *level = &tiles->current;
  int left, top, right, bottom, missing = 0;

  tile_range (view, level->zoom, tiles->look->scene, &left, &top, &right, &bottom);
  for (int row = top; row <= bottom; row++)
    for (int column = left; column <= right; column++)
      {
        gint64 key = tile_key (column, row);
        Tile *tile = g_hash_table_lookup (level->tiles, &key);

        if (tile == NULL)
          {
            tile = g_new0 (Tile, 1);
            g_hash_table_insert (level->tiles, g_memdup2 (&key, sizeof key), tile);
          }
        tile->used = g_get_monotonic_time ();
        if (tile->surface != NULL && tile->look == tiles->look_number)
          continue;
        missing++;
        if (do_ask && tile->asked != tiles->look_number)
          {
            tile->asked = tiles->look_number;
            ask (tiles, level->zoom, level->device_scale, column, row);
          }
      }
  return missing;
}

/* The pixels as a texture, which keeps them alive. */
static GdkTexture *
tile_texture (Tile *tile)
{
  if (tile->texture == NULL && tile->surface != NULL)
    {
      const int width = cairo_image_surface_get_width (tile->surface), height = cairo_image_surface_get_height (tile->surface);
      const int stride = cairo_image_surface_get_stride (tile->surface);
      g_autoptr(GBytes) bytes = NULL;

      /* The unused byte of RGB24 is not the alpha that a texture expects. */
      for (int y = 0; y < height; y++)
        for (guint32 *row = (guint32 *) (cairo_image_surface_get_data (tile->surface) + y * stride), *end = row + width; row < end; row++)
          *row |= 0xff000000;
      bytes = g_bytes_new_with_free_func (cairo_image_surface_get_data (tile->surface), (gsize) stride * height,
                                          (GDestroyNotify) cairo_surface_destroy, cairo_surface_reference (tile->surface));
      tile->texture = gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
    }
  return tile->texture;
}

/* Where a tile goes: cairo paints its pixels as they are, other renderers keep a texture on their side. */
typedef struct { GtkSnapshot *snapshot; cairo_t *cr; /* (nullable) */ } Target;

static void
append_tile (const Target *target, Tile *tile, double x, double y, double width, double height)
{
  const double sx = width / cairo_image_surface_get_width (tile->surface), sy = height / cairo_image_surface_get_height (tile->surface);

  if (target->cr == NULL)
    {
      gtk_snapshot_append_texture (target->snapshot, tile_texture (tile), &GRAPHENE_RECT_INIT (x, y, width, height));
      return;
    }
  cairo_save (target->cr);
  cairo_translate (target->cr, x, y);
  cairo_rectangle (target->cr, 0, 0, width, height);
  cairo_scale (target->cr, sx, sy);
  cairo_set_source_surface (target->cr, tile->surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (target->cr), CAIRO_FILTER_FAST);
  cairo_fill (target->cr);
  cairo_restore (target->cr);
}

static void
append_level (PhTiles *tiles, const Target *target, Level *level, const View *view)
{
  int left, top, right, bottom;
  const double side = TILE / level->zoom;

  if (level->zoom == 0)
    return;
  tile_range (view, level->zoom, tiles->look->scene, &left, &top, &right, &bottom);
  if ((gint64) (right - left + 1) * (bottom - top + 1) > 2000)
    return;
  for (int row = top; row <= bottom; row++)
    for (int column = left; column <= right; column++)
      {
        gint64 key = tile_key (column, row);
        Tile *tile = g_hash_table_lookup (level->tiles, &key);

        if (tile != NULL && tile->surface != NULL)
          {
            /* Whole pixels, or seams would show. */
            const double x0 = (column * side - view->x) * view->zoom, y0 = (row * side - view->y) * view->zoom;
            const double x1 = x0 + side * view->zoom, y1 = y0 + side * view->zoom;
            const int d = level->device_scale;

            append_tile (target, tile, round (x0 * d) / d, round (y0 * d) / d, round (x1 * d) / d - round (x0 * d) / d,
                         round (y1 * d) / d - round (y0 * d) / d);
          }
      }
}

static gboolean
is_old (gpointer key, gpointer value, gpointer data)
{
  return ((Tile *) value)->used < *(gint64 *) data;
}

gboolean
ph_tiles_snapshot (PhTiles *tiles, GtkSnapshot *snapshot, cairo_t *cr, float width, float height, double x, double y, double zoom,
                   int device_scale, gboolean moving, gint64 budget_us)
{
  const Target target = { snapshot, cr };
  const View view = { x, y, zoom, width, height };
  const gint64 deadline = g_get_monotonic_time () + budget_us;
  const double ratio = tiles->current.zoom > 0 ? zoom / tiles->current.zoom : 0;
  int missing;

  if (tiles->look == NULL)
    return TRUE;
  collect (tiles);
  if (tiles->overview_asked != tiles->look_number)
    {
      tiles->overview_asked = tiles->look_number;
      ask (tiles, 0, 1, -1, 0);
    }
  if (tiles->current.zoom != zoom && (!moving || ratio < 0.6 || ratio > 1.7 || tiles->current.device_scale != device_scale))
    {
      const Level old = tiles->previous;

      tiles->previous = tiles->current;
      tiles->current = old;
      g_hash_table_remove_all (tiles->current.tiles);
      tiles->current.zoom = zoom;
      tiles->current.device_scale = device_scale;
      g_atomic_int_inc (&tiles->wanted_level);
    }
  missing = count_missing (tiles, &view, TRUE);
  while (missing > 0)
    {
      gboolean in_time = TRUE;

      g_mutex_lock (&tiles->lock);
      while (g_queue_is_empty (&tiles->finished) && in_time)
        in_time = g_cond_wait_until (&tiles->done, &tiles->lock, deadline);
      g_mutex_unlock (&tiles->lock);
      collect (tiles);
      missing = count_missing (tiles, &view, FALSE);
      if (!in_time || g_get_monotonic_time () >= deadline)
        break;
    }

  if (missing > 0)
    {
      if (tiles->overview.surface != NULL)
        append_tile (&target, &tiles->overview, -x * zoom, -y * zoom, ph_scene_width (tiles->look->scene) * zoom,
                     ph_scene_height (tiles->look->scene) * zoom);
      append_level (tiles, &target, &tiles->previous, &view);
    }
  append_level (tiles, &target, &tiles->current, &view);
  if (g_hash_table_size (tiles->current.tiles) > MAX_TILES)
    {
      gint64 before = g_get_monotonic_time () - 2 * G_USEC_PER_SEC;

      g_hash_table_foreach_remove (tiles->current.tiles, is_old, &before);
    }
  return missing == 0 && tiles->current.zoom == zoom;
}

GdkTexture *
ph_tiles_get_overview (PhTiles *tiles)
{
  collect (tiles);
  if (tiles->look != NULL && tiles->overview_asked != tiles->look_number)
    {
      tiles->overview_asked = tiles->look_number;
      ask (tiles, 0, 1, -1, 0);
    }
  return tile_texture (&tiles->overview);
}
