/* tile-painter.c: threads that paint parts of the picture, the most urgent first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/tile-painter.h"

#include <gtk/gtk.h>
#include <sys/resource.h>
#include <unistd.h>

struct _PhTilePainter
{
  GSourceFunc ready;
  gpointer    data;
  int         look, group;       /* atomic: what is still worth painting */
  GMutex      lock;
  GCond       done;
  GQueue      finished;          /* (element-type PhTileJob) under @lock */
  guint       ready_id;          /* under @lock */
  int         running;           /* under @lock */
  gboolean    closed;            /* under @lock */
};

static GThreadPool *pool;
static GPrivate thread_ink = G_PRIVATE_INIT ((GDestroyNotify) ph_ink_free);

PhLook *
ph_look_new (PhScene *scene, const PhDrawOptions *options, guint number)
{
  PhLook *look = g_new0 (PhLook, 1);

  g_atomic_ref_count_init (&look->ref_count);
  look->number = number;
  look->scene = ph_scene_ref (scene);
  look->options = *options;
  if (look->options.paint != NULL)
    ph_paint_ref (look->options.paint);
  return look;
}

PhLook *
ph_look_ref (PhLook *look)
{
  g_atomic_ref_count_inc (&look->ref_count);
  return look;
}

void
ph_look_unref (PhLook *look)
{
  if (look == NULL || !g_atomic_ref_count_dec (&look->ref_count))
    return;
  ph_scene_unref (look->scene);
  g_clear_pointer (&look->options.paint, ph_paint_unref);
  g_free (look);
}

void
ph_tile_job_free (PhTileJob *job)
{
  g_clear_pointer (&job->surface, cairo_surface_destroy);
  g_clear_pointer (&job->old, cairo_surface_destroy);
  ph_look_unref (job->look);
  g_free (job);
}

/* ── in a thread ────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
on_ready (gpointer data)
{
  PhTilePainter *painter = data;

  g_mutex_lock (&painter->lock);
  painter->ready_id = 0;
  g_mutex_unlock (&painter->lock);
  painter->ready (painter->data);
  return G_SOURCE_REMOVE;
}

/* What is shaped and set up once in each thread. The main thread and the display come first: who paints ahead gives way. */
static PhInk *
thread_start (void)
{
  PhInk *ink = g_private_get (&thread_ink);

  if (ink != NULL)
    return ink;
  setpriority (PRIO_PROCESS, gettid (), 5);
  ink = ph_ink_new ();
  g_private_set (&thread_ink, ink);
  return ink;
}

static cairo_surface_t *
paint (PhTileJob *job, PhInk *ink)
{
  PhDrawOptions options = job->look->options;
  cairo_surface_t *surface;
  guint64 hash;
  cairo_t *cr;

  options.scale = job->scale;
  options.clip = job->clip;
  hash = ph_scene_look_hash (job->look->scene, &options);
  if (job->old != NULL && job->hash == hash)
    return g_steal_pointer (&job->old);
  job->hash = hash;
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, job->width, job->height);
  cr = cairo_create (surface);
  cairo_scale (cr, options.scale, options.scale);
  cairo_translate (cr, -options.clip.x, -options.clip.y);
  ph_scene_draw (job->look->scene, cr, ink, &options);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static void
run (gpointer data, gpointer unused)
{
  PhTileJob *job = data;
  PhTilePainter *painter = job->painter;
  PhInk *ink = thread_start ();
  gboolean wanted;

  g_mutex_lock (&painter->lock);
  wanted = !painter->closed && g_atomic_int_get (&painter->look) == (int) job->look->number
           && (job->group == 0 || g_atomic_int_get (&painter->group) == (int) job->group);
  g_mutex_unlock (&painter->lock);
  if (wanted)
    job->surface = paint (job, ink);
  g_mutex_lock (&painter->lock);
  painter->running--;
  g_queue_push_tail (&painter->finished, job);
  g_cond_broadcast (&painter->done);
  /* What was painted ahead is nothing to be shown yet. */
  if (painter->ready_id == 0 && !painter->closed && (!job->ahead || g_atomic_int_get (&job->hurried)))
    painter->ready_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, on_ready, painter, NULL);
  g_mutex_unlock (&painter->lock);
}

/* ── in the main thread ─────────────────────────────────────────────────────────────────────────────────────────── */

static int
most_urgent_first (gconstpointer a, gconstpointer b, gpointer unused)
{
  const PhTileJob *x = a, *y = b;

  return x->ahead != y->ahead ? x->ahead - y->ahead : (int) (y->serial - x->serial);
}

PhTilePainter *
ph_tile_painter_new (GSourceFunc ready, gpointer data)
{
  PhTilePainter *painter = g_new0 (PhTilePainter, 1);

  if (pool == NULL)
    {
      /* Threads of its own: their low priority is not for others. */
      pool = g_thread_pool_new (run, NULL, CLAMP ((int) g_get_num_processors (), 1, 4), TRUE, NULL);
      g_thread_pool_set_sort_function (pool, most_urgent_first, NULL);
    }
  painter->ready = ready;
  painter->data = data;
  g_mutex_init (&painter->lock);
  g_cond_init (&painter->done);
  g_queue_init (&painter->finished);
  return painter;
}

void
ph_tile_painter_free (PhTilePainter *painter)
{
  PhTileJob *job;

  g_mutex_lock (&painter->lock);
  painter->closed = TRUE;
  while (painter->running > 0)
    g_cond_wait (&painter->done, &painter->lock);
  while ((job = g_queue_pop_head (&painter->finished)) != NULL)
    ph_tile_job_free (job);
  if (painter->ready_id != 0)
    g_source_remove (painter->ready_id);
  g_mutex_unlock (&painter->lock);
  g_mutex_clear (&painter->lock);
  g_cond_clear (&painter->done);
  g_free (painter);
}

void
ph_tile_painter_push (PhTilePainter *painter, PhTileJob *job)
{
  static guint serial;

  job->painter = painter;
  job->serial = ++serial;
  g_mutex_lock (&painter->lock);
  painter->running++;
  g_mutex_unlock (&painter->lock);
  g_thread_pool_push (pool, job, NULL);
}

void
ph_tile_painter_hurry (PhTilePainter *painter, PhTileJob *job)
{
  g_atomic_int_set (&job->hurried, TRUE);
  g_thread_pool_move_to_front (pool, job);
}

void
ph_tile_painter_want (PhTilePainter *painter, guint look, guint group)
{
  g_atomic_int_set (&painter->look, (int) look);
  g_atomic_int_set (&painter->group, (int) group);
}

PhTileJob *
ph_tile_painter_collect (PhTilePainter *painter, gint64 deadline)
{
  gboolean in_time = deadline > 0;
  PhTileJob *job;

  g_mutex_lock (&painter->lock);
  while (g_queue_is_empty (&painter->finished) && in_time)
    in_time = g_cond_wait_until (&painter->done, &painter->lock, deadline);
  job = g_queue_pop_head (&painter->finished);
  g_mutex_unlock (&painter->lock);
  return job;
}
