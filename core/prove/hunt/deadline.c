/* deadline.c: a cancellable triggered by another one or by a timeout. A thread waits for it, because no code checks the time in the middle
 * of a proof.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/deadline.h"

struct _PhDeadline
{
  GCancellable *outer, *own; /* @outer: (nullable) */
  gulong handler;
  gint64 end;
  GThread *thread; /* (nullable) */
  GMutex mutex;    /* guards @done */
  GCond cond;
  gboolean done;
};

static void
on_cancelled (GCancellable *outer, gpointer own)
{
  (void) outer;
  g_cancellable_cancel (own);
}

static gpointer
wait_for_end (gpointer data)
{
  PhDeadline *self = data;
  gboolean over = FALSE;

  g_mutex_lock (&self->mutex);
  while (!self->done && !over)
    over = !g_cond_wait_until (&self->cond, &self->mutex, self->end);
  g_mutex_unlock (&self->mutex);
  if (over)
    g_cancellable_cancel (self->own);
  return NULL;
}

PhDeadline *
ph_deadline_new (GCancellable *outer, gint64 end)
{
  PhDeadline *self = g_new0 (PhDeadline, 1);

  self->own = g_cancellable_new ();
  self->end = end;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  if (outer != NULL)
    {
      self->outer = g_object_ref (outer);
      self->handler = g_cancellable_connect (outer, G_CALLBACK (on_cancelled), self->own, NULL);
    }
  if (end > 0)
    self->thread = g_thread_new ("deadline", wait_for_end, self);
  return self;
}

GCancellable *
ph_deadline_get_cancellable (PhDeadline *self)
{
  return self->own;
}

void
ph_deadline_free (PhDeadline *self)
{
  g_mutex_lock (&self->mutex);
  self->done = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  if (self->outer != NULL)
    g_cancellable_disconnect (self->outer, self->handler);
  g_clear_object (&self->outer);
  g_object_unref (self->own);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
  g_free (self);
}
