/* tile-painter.c: threads that paint parts of the picture, the most urgent first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/tile-painter.h"
#include "core/scene/scene.h"

#include <gtk/gtk.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#define URGENT_NICE 3  /* below the main thread and the display, which draw the next frame */
#define AHEAD_NICE  10 /* of the thread that paints ahead */

/* Freed after its last job, so that closing a picture does not wait for a job. */
struct _PhTilePainter
{
  gatomicrefcount ref_count; /* one for the picture, one for each job that is not done */
  GSourceFunc ready;
  gpointer data;
  int look, group; /* atomic: the tiles still worth painting */
  GMutex lock;
  GCond done;
  GQueue finished; /* (element-type PhTileJob) under @lock */
  guint ready_id;  /* under @lock */
  gboolean closed; /* under @lock */
};

/* One of two queues in front of the threads, shared by all painters. A thread serves only one of them: an urgent tile is never painted by a
 * low-priority thread, and never waits behind tiles painted ahead. */
typedef struct
{
  GCond more;
  GQueue jobs; /* (element-type PhTileJob) under lines_lock; the newest first */
} Line;

static Line urgent, ahead;
static GMutex lines_lock;
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
  if (look->options.values != NULL)
    g_hash_table_ref (look->options.values);
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
  g_clear_pointer (&look->options.values, g_hash_table_unref);
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

static void
painter_unref (PhTilePainter *painter)
{
  if (!g_atomic_ref_count_dec (&painter->ref_count))
    return;
  g_queue_clear_full (&painter->finished, (GDestroyNotify) ph_tile_job_free);
  g_mutex_clear (&painter->lock);
  g_cond_clear (&painter->done);
  g_free (painter);
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

/* Returns this thread's ink, with its fonts and shaped texts. */
static PhInk *
own_ink (void)
{
  PhInk *ink = g_private_get (&thread_ink);

  if (ink == NULL)
    {
      ink = ph_ink_new ();
      g_private_set (&thread_ink, ink);
    }
  return ink;
}

static cairo_surface_t *
paint (PhTileJob *job, PhInk *ink)
{
  PhDrawOptions options = job->look->options;
  cairo_surface_t *surface;
  guint64 hash;
  cairo_t *cr;

  options.scale = job->scale / job->device_scale; /* finer pixels show the same details, only sharper */
  options.clip = job->clip;
  hash = ph_scene_look_hash (job->look->scene, &options);
  if (job->old != NULL && job->hash == hash)
    return g_steal_pointer (&job->old);
  job->hash = hash;
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, job->width, job->height);
  cr = cairo_create (surface);
  cairo_scale (cr, job->scale, job->scale);
  cairo_translate (cr, -options.clip.x, -options.clip.y);
  ph_scene_draw (job->look->scene, cr, ink, &options);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static void
run (PhTileJob *job)
{
  PhTilePainter *painter = job->painter;
  gboolean wanted;

  g_mutex_lock (&painter->lock);
  wanted = !painter->closed && g_atomic_int_get (&painter->look) == (int) job->look->number
           && (job->group == 0 || g_atomic_int_get (&painter->group) == (int) job->group);
  g_mutex_unlock (&painter->lock);
  if (wanted)
    job->surface = paint (job, own_ink ());
  g_mutex_lock (&painter->lock);
  g_queue_push_tail (&painter->finished, job);
  g_cond_broadcast (&painter->done);
  /* A tile painted ahead is not needed yet. */
  if (painter->ready_id == 0 && !painter->closed && (!job->ahead || g_atomic_int_get (&job->hurried)))
    painter->ready_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, on_ready, painter, NULL);
  g_mutex_unlock (&painter->lock);
  painter_unref (painter);
}

/* Lowers the thread's priority. Niceness has no effect among real-time threads: these use their own scale. */
static void
give_way (const Line *line)
{
  struct sched_param param;
  int policy;

  if (pthread_getschedparam (pthread_self (), &policy, &param) == 0 && (policy == SCHED_RR || policy == SCHED_FIFO))
    {
      param.sched_priority = MAX (param.sched_priority - (line == &ahead ? 2 : 1), sched_get_priority_min (policy));
      pthread_setschedparam (pthread_self (), policy, &param);
    }
  else
    setpriority (PRIO_PROCESS, gettid (), line == &ahead ? AHEAD_NICE : URGENT_NICE);
}

static gpointer
paint_line (gpointer data)
{
  Line *line = data;

  give_way (line);
  for (;;)
    {
      PhTileJob *job;

      g_mutex_lock (&lines_lock);
      while ((job = g_queue_pop_head (&line->jobs)) == NULL)
        g_cond_wait (&line->more, &lines_lock);
      g_mutex_unlock (&lines_lock);
      run (job);
    }
  return NULL;
}

/* ── in the main thread ─────────────────────────────────────────────────────────────────────────────────────────── */

/* Starts the threads, which serve all pictures and run until the program ends. */
static void
start_threads (void)
{
  static gboolean started;

  if (started)
    return;
  started = TRUE;
  for (int i = 0; i < CLAMP ((int) g_get_num_processors (), 1, 4); i++)
    g_thread_unref (g_thread_new ("tiles", paint_line, &urgent));
  g_thread_unref (g_thread_new ("tiles-ahead", paint_line, &ahead));
}

PhTilePainter *
ph_tile_painter_new (GSourceFunc ready, gpointer data)
{
  PhTilePainter *painter = g_new0 (PhTilePainter, 1);

  start_threads ();
  g_atomic_ref_count_init (&painter->ref_count);
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
  g_mutex_lock (&painter->lock);
  painter->closed = TRUE;
  g_clear_handle_id (&painter->ready_id, g_source_remove);
  g_mutex_unlock (&painter->lock);
  painter_unref (painter);
}

void
ph_tile_painter_push (PhTilePainter *painter, PhTileJob *job)
{
  Line *line = job->ahead ? &ahead : &urgent;

  job->painter = painter;
  g_atomic_ref_count_inc (&painter->ref_count);
  g_mutex_lock (&lines_lock);
  g_queue_push_head (&line->jobs, job);
  g_cond_signal (&line->more);
  g_mutex_unlock (&lines_lock);
}

void
ph_tile_painter_hurry (PhTilePainter *painter, PhTileJob *job)
{
  g_mutex_lock (&painter->lock);
  g_atomic_int_set (&job->hurried, TRUE);
  if (painter->ready_id == 0 && g_queue_find (&painter->finished, job) != NULL)
    painter->ready_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, on_ready, painter, NULL);
  g_mutex_unlock (&painter->lock);
  g_mutex_lock (&lines_lock);
  if (g_queue_remove (&ahead.jobs, job))
    {
      g_queue_push_head (&urgent.jobs, job);
      g_cond_signal (&urgent.more);
    }
  g_mutex_unlock (&lines_lock);
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
