/* progress.c: reports the progress of the running line on the main thread, at limited frequency.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-work.h"

typedef struct
{
  PhConsole *console;
  char *what;
  double fraction;
} Progress;

static void
progress_free (gpointer data)
{
  Progress *progress = data;

  g_object_unref (progress->console);
  g_free (progress->what);
  g_free (progress);
}

static gboolean
emit_progress (gpointer data)
{
  Progress *progress = data;

  g_signal_emit_by_name (progress->console, "progress", progress->what, progress->fraction);
  return G_SOURCE_REMOVE;
}

void
ph_call_progress (PhCall *call, const char *what, double fraction)
{
  gint64 now = g_get_monotonic_time ();

  if (now - call->progress_time < G_USEC_PER_SEC / 20)
    return;
  call->progress_time = now;
  if (!call->threaded)
    {
      g_signal_emit_by_name (call->console, "progress", what, fraction);
      return;
    }

  Progress *progress = g_new (Progress, 1);
  progress->console = g_object_ref (call->console);
  progress->what = g_strdup (what);
  progress->fraction = fraction;
  g_idle_add_full (G_PRIORITY_DEFAULT, emit_progress, progress, progress_free);
}
