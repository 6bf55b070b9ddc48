/* layout.c: asks the helper process peephole-layout where boxes and edges go.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layout/layered.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGEST  200000         /* boxes that the helper takes                           */
#define PATIENCE 1.5            /* seconds for dot, where there is a layout of our own   */

PhLayout *
ph_layout_new (guint n_boxes, guint n_edges)
{
  PhLayout *layout = g_new0 (PhLayout, 1);

  layout->boxes = g_new0 (PhLayoutBox, MAX (n_boxes, 1));
  layout->edges = g_new0 (PhLayoutEdge, MAX (n_edges, 1));
  layout->n_boxes = n_boxes;
  layout->n_edges = n_edges;
  layout->points = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  for (guint i = 0; i < n_edges; i++)
    {
      layout->edges[i].weight = 1;
      layout->edges[i].min_length = 1;
      layout->edges[i].presence = PH_PRESENCE;
    }
  return layout;
}

void
ph_layout_free (PhLayout *layout)
{
  if (layout == NULL)
    return;
  g_free (layout->boxes);
  g_free (layout->edges);
  g_array_unref (layout->points);
  g_free (layout);
}

PhLayout *
ph_layout_copy (PhLayout *layout)
{
  PhLayout *copy = g_memdup2 (layout, sizeof *layout);

  copy->boxes = g_memdup2 (layout->boxes, sizeof (PhLayoutBox) * MAX (layout->n_boxes, 1));
  copy->edges = g_memdup2 (layout->edges, sizeof (PhLayoutEdge) * MAX (layout->n_edges, 1));
  copy->points = g_array_new (FALSE, FALSE, sizeof (PhPoint));
  return copy;
}

void
ph_layout_take (PhLayout *layout, PhLayout *other)
{
  g_free (layout->boxes);
  g_free (layout->edges);
  g_array_unref (layout->points);
  *layout = *other;
  g_free (other);
}

/* What is sent to the helper. @coarse: less care, for a second attempt. */
static GBytes *
layout_to_text (PhLayout *layout, gboolean coarse)
{
  GString *text = g_string_sized_new (64 + 24 * layout->n_boxes + 32 * layout->n_edges);
  char width[G_ASCII_DTOSTR_BUF_SIZE], height[G_ASCII_DTOSTR_BUF_SIZE];
  guint n_edges = 0;

  for (guint i = 0; i < layout->n_edges; i++)
    n_edges += layout->edges[i].from != layout->edges[i].to;
  g_string_append_printf (text, "peephole-layout 1 %u %u\n", layout->n_boxes, n_edges);
  if (coarse)
    g_string_append (text, "o nslimit 0.1\no nslimit1 0.1\no mclimit 0.05\no searchsize 10\no splines polyline\n");
  else
    g_string_append_printf (text, "o nslimit %s\no nslimit1 %s\no mclimit %s\n", layout->n_boxes > 300 ? "1" : "10",
                            layout->n_boxes > 300 ? "2" : "20", layout->n_boxes > 500 ? "0.5" : "1");
  for (guint i = 0; i < layout->n_boxes; i++)
    g_string_append_printf (text, "b %s %s\n", g_ascii_formatd (width, sizeof width, "%.2f", layout->boxes[i].width),
                            g_ascii_formatd (height, sizeof height, "%.2f", layout->boxes[i].height));
  for (guint i = 0; i < layout->n_edges; i++)
    {
      const PhLayoutEdge *edge = &layout->edges[i];

      if (edge->from != edge->to)
        g_string_append_printf (text, "e %u %u %d %u\n", edge->from, edge->to, (int) CLAMP (lroundf (edge->weight), 0, 1000),
                                edge->min_length);
    }
  g_string_append (text, "end\n");
  return g_string_free_to_bytes (text);
}

static gboolean
read_number (const char **at, const char *end, double *number)
{
  char *stop;

  if (*at >= end || **at != ' ')
    return FALSE;
  *number = g_ascii_strtod (*at + 1, &stop);
  if (stop == *at + 1 || stop > end || !isfinite (*number))
    return FALSE;
  *at = stop;
  return TRUE;
}

/* dot knows neither ports nor that pills stand left of a box: moves an end to its port, or onto what is drawn of the box, and
 * the curve's handle with it. */
static void
move_end (const PhLayoutBox *box, float dx, PhPoint *end, PhPoint *handle)
{
  const float middle = box->x + box->anchor, half = MAX (box->width / 2 - fabsf (box->anchor) - 6, 1);
  const float x = fabsf (dx - box->anchor) > 0.5f ? box->x + dx : CLAMP (end->x, middle - half, middle + half);

  handle->x += x - end->x;
  end->x = x;
  end->y += end->y > box->y ? -box->inset : box->inset;
}

static gboolean
layout_from_text (PhLayout *layout, const char *text, gsize size)
{
  const char *at = text, *end = text + size;
  double a, b;
  guint box = 0, edge = 0;
  gboolean sized = FALSE;

  g_array_set_size (layout->points, 0);
  while (at < end)
    {
      if (g_str_has_prefix (at, "end\n"))
        {
          while (edge < layout->n_edges && layout->edges[edge].from == layout->edges[edge].to)
            layout->edges[edge++].n_points = 0;
          return sized && box == layout->n_boxes && edge == layout->n_edges;
        }
      if (g_str_has_prefix (at, "size "))
        {
          at += 4;
          if (!read_number (&at, end, &a) || !read_number (&at, end, &b))
            return FALSE;
          layout->width = a;
          layout->height = b;
          sized = TRUE;
        }
      else if (*at == 'b' && box < layout->n_boxes)
        {
          at++;
          if (!read_number (&at, end, &a) || !read_number (&at, end, &b))
            return FALSE;
          layout->boxes[box].x = a;
          layout->boxes[box++].y = b;
        }
      else if (*at == 'e')
        {
          double n;

          while (edge < layout->n_edges && layout->edges[edge].from == layout->edges[edge].to)
            layout->edges[edge++].n_points = 0;
          at++;
          if (edge == layout->n_edges || !read_number (&at, end, &n) || n < 0 || n > (double) size || (n > 0 && n < 4))
            return FALSE;
          layout->edges[edge].first_point = layout->points->len;
          layout->edges[edge].n_points = n;
          for (guint i = 0; i < layout->edges[edge].n_points; i++)
            {
              PhPoint point;

              if (!read_number (&at, end, &a) || !read_number (&at, end, &b))
                return FALSE;
              point.x = a;
              point.y = b;
              g_array_append_val (layout->points, point);
            }
          if (layout->edges[edge].n_points > 0)
            {
              PhPoint *points = &g_array_index (layout->points, PhPoint, layout->edges[edge].first_point);
              const guint last = layout->edges[edge].n_points - 1;

              move_end (&layout->boxes[layout->edges[edge].from], layout->edges[edge].from_dx, &points[0], &points[1]);
              move_end (&layout->boxes[layout->edges[edge].to], layout->edges[edge].to_dx, &points[last], &points[last - 1]);
            }
          edge++;
        }
      if (at >= end || *at++ != '\n')
        return FALSE;
    }
  return FALSE;
}

/* $PEEPHOLE_LAYOUT, or beside the program, or in the build tree's layout-helper/, or where it is installed. */
static char *
find_helper (void)
{
  const char *given = g_getenv ("PEEPHOLE_LAYOUT");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : g_strdup (".");
  static const char *const places[] = { "peephole-layout", "../layout-helper/peephole-layout",
                                        "../../layout-helper/peephole-layout", "../libexec/peephole/peephole-layout" };

  if (given != NULL && *given != 0)
    return g_strdup (given);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (folder, places[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_strdup (PH_LIBEXECDIR "/peephole-layout");
}

typedef struct
{
  PhLayout    *layout;        /* owned */
  double       seconds;
  GSubprocess *helper;        /* (nullable) */
  GSource     *timer_source;  /* (nullable) */
  gboolean     late;
  gboolean     coarse;
} Request;

static void
request_stop_timer (Request *request)
{
  if (request->timer_source != NULL)
    g_source_destroy (request->timer_source);
  g_clear_pointer (&request->timer_source, g_source_unref);
}

static void
request_free (gpointer data)
{
  Request *request = data;

  request_stop_timer (request);
  if (request->helper != NULL)
    g_subprocess_force_exit (request->helper);
  g_clear_object (&request->helper);
  g_clear_pointer (&request->layout, ph_layout_free);
  g_free (request);
}

static void
layered_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Request *request = data;
  GError *error = NULL;

  if (ph_layout_layered (request->layout, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void start_helper (GTask *task);

static gboolean
on_late (gpointer data)
{
  Request *request = g_task_get_task_data (data);

  request->late = TRUE;
  g_clear_pointer (&request->timer_source, g_source_unref);
  g_subprocess_force_exit (request->helper);
  return G_SOURCE_REMOVE;
}

static void
on_answered (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  g_autoptr(GBytes) out = NULL, err = NULL;
  g_autoptr(GError) error = NULL;
  Request *request = g_task_get_task_data (task);
  GSubprocess *helper = G_SUBPROCESS (source);
  gboolean heard = g_subprocess_communicate_finish (helper, result, &out, &err, &error);
  gsize size = 0;
  const char *text = out != NULL ? g_bytes_get_data (out, &size) : NULL;

  request_stop_timer (request);
  if (g_cancellable_is_cancelled (g_task_get_cancellable (task)))
    {
      g_subprocess_force_exit (helper);
      g_task_return_new_error (task, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
      return;
    }
  if (request->late)
    {
      g_clear_object (&request->helper);
      if (!request->coarse)
        {
          request->coarse = TRUE;
          request->seconds = MAX (request->seconds / 2, 0.5);
          start_helper (task);
        }
      else
        {
          request->layout->coarse = TRUE;
          g_task_run_in_thread (task, layered_thread);
        }
      return;
    }
  if (!heard && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    {
      g_task_return_new_error (task, PH_ERROR, PH_ERROR_LAYOUT, "The layout helper does not answer: %s. Try again.", error->message);
      return;
    }
  /* A helper that died while we wrote is reaped by now or in a moment; the wait is short either way. */
  g_subprocess_wait (helper, NULL, NULL);
  if (g_subprocess_get_if_signaled (helper))
    {
      const int number = g_subprocess_get_term_sig (helper);

      g_task_return_new_error (task, PH_ERROR, PH_ERROR_LAYOUT,
                               "The layout helper was ended by signal %d (%s). Try again; the model itself is not affected.", number,
                               g_strsignal (number));
    }
  else if (g_subprocess_get_exit_status (helper) != 0)
    {
      gsize length = 0;
      const char *message = err != NULL ? g_bytes_get_data (err, &length) : NULL;
      g_autofree char *first = g_strndup (message != NULL ? message : "", MIN (length, 200));

      g_task_return_new_error (task, PH_ERROR, PH_ERROR_LAYOUT, "The layout helper failed with status %d: %s",
                               g_subprocess_get_exit_status (helper), *g_strstrip (first) != 0 ? first : "it did not say why.");
    }
  else if (text == NULL || !layout_from_text (request->layout, text, size))
    g_task_return_new_error (task, PH_ERROR, PH_ERROR_LAYOUT,
                             "The layout helper's answer cannot be read. Is $PEEPHOLE_LAYOUT the program of this version?");
  else
    {
      request->layout->coarse = request->coarse;
      g_task_return_boolean (task, TRUE);
    }
}

/* The text as a file in memory to read from: a pipe to a helper that died would end us with SIGPIPE. */
static int
open_text (GBytes *text)
{
  gsize size, done = 0;
  const char *data = g_bytes_get_data (text, &size);
  int fd = memfd_create ("peephole-layout", MFD_CLOEXEC);

  while (fd >= 0 && done < size)
    {
      const gssize n = write (fd, data + done, size - done);

      if (n <= 0)
        {
          close (fd);
          return -1;
        }
      done += n;
    }
  if (fd >= 0)
    lseek (fd, 0, SEEK_SET);
  return fd;
}

/* Holds a reference on @task until it has answered. */
static void
start_helper (GTask *task)
{
  Request *request = g_task_get_task_data (task);
  g_autofree char *path = find_helper ();
  const char *const arguments[] = { path, NULL };
  g_autoptr(GBytes) text = layout_to_text (request->layout, request->coarse);
  g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  const int fd = open_text (text);
  GError *error = NULL;

  if (fd < 0)
    {
      g_task_return_new_error (task, PH_ERROR, PH_ERROR_LAYOUT, "There is no memory for what the layout helper reads: %s",
                               g_strerror (errno));
      return;
    }
  g_object_ref (task);
  request->late = FALSE;
  g_subprocess_launcher_take_stdin_fd (launcher, fd);
  request->helper = g_subprocess_launcher_spawnv (launcher, arguments, &error);
  if (request->helper == NULL)
    {
      g_task_return_new_error (task, PH_ERROR, PH_ERROR_LAYOUT, "%s cannot be started: %s. Set PEEPHOLE_LAYOUT to the layout helper.",
                               path, error->message);
      g_error_free (error);
      g_object_unref (task);
      return;
    }
  if (request->seconds > 0)
    {
      request->timer_source = g_timeout_source_new ((guint) (request->seconds * 1000));
      g_source_set_callback (request->timer_source, on_late, task, NULL);
      g_source_attach (request->timer_source, g_task_get_context (task));
    }
  g_subprocess_communicate_async (request->helper, NULL, g_task_get_cancellable (task), on_answered, task);
}

void
ph_layout_async (PhLayout *layout, double seconds, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, data);
  Request *request = g_new0 (Request, 1);

  g_task_set_source_tag (task, ph_layout_async);
  g_task_set_check_cancellable (task, FALSE);      /* our own error says it */
  request->layout = layout;
  request->seconds = seconds;
  g_task_set_task_data (task, request, request_free);
  if (g_cancellable_is_cancelled (cancellable))
    g_task_return_new_error (task, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
  else if (layout->engine == PH_LAYOUT_LAYERED || layout->n_boxes > LARGEST
           || ((layout->engine == PH_LAYOUT_AUTO || layout->engine == PH_LAYOUT_BEST) && layout->n_boxes > PH_LAYOUT_DOT_MAX))
    g_task_run_in_thread (task, layered_thread);
  else
    start_helper (task);
}

PhLayout *
ph_layout_finish (GAsyncResult *result, GError **error)
{
  Request *request = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), error))
    return NULL;
  return g_steal_pointer (&request->layout);
}

typedef struct { PhLayout *layout; GError *error; gboolean done; } Waiting;

static void
on_done (GObject *source, GAsyncResult *result, gpointer data)
{
  Waiting *waiting = data;

  waiting->layout = ph_layout_finish (result, &waiting->error);
  waiting->done = TRUE;
}

/* dot's ranks and crossings are hard to beat on bushy graphs, our straight lines on long ones: the crossings decide. A helper that
 * dies, hangs or talks nonsense is done without. */
static gboolean
better_of_both (PhLayout *layout, double seconds, GCancellable *cancellable, GError **error)
{
  PhLayout *ours = ph_layout_copy (layout);
  g_autoptr(GError) failed = NULL;

  layout->engine = PH_LAYOUT_DOT;
  if (!ph_layout_layered (ours, cancellable, error))
    {
      ph_layout_free (ours);
      return FALSE;
    }
  if (!ph_layout_sync (layout, MIN (seconds, PATIENCE), cancellable, &failed))
    {
      if (g_error_matches (failed, PH_ERROR, PH_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&failed));
          ph_layout_free (ours);
          return FALSE;
        }
      g_debug ("%s", failed->message);
      ph_layout_take (layout, ours);
      return TRUE;
    }
  if (!layout->coarse && ph_layout_crossings (ours) > 2 + ph_layout_crossings (layout) * 5 / 4)
    ph_layout_free (ours);
  else
    ph_layout_take (layout, ours);
  return TRUE;
}

/* The caller keeps @layout: what was laid out is a copy that it takes the arrays from. */
gboolean
ph_layout_sync (PhLayout *layout, double seconds, GCancellable *cancellable, GError **error)
{
  g_autoptr(GMainContext) context = g_main_context_new ();
  Waiting waiting = { NULL, };

  if (layout->engine == PH_LAYOUT_BEST && layout->n_boxes <= PH_LAYOUT_DOT_MAX)
    return better_of_both (layout, seconds, cancellable, error);
  g_main_context_push_thread_default (context);
  ph_layout_async (ph_layout_copy (layout), seconds, cancellable, on_done, &waiting);
  while (!waiting.done)
    g_main_context_iteration (context, TRUE);
  g_main_context_pop_thread_default (context);
  if (waiting.layout == NULL)
    {
      g_propagate_error (error, waiting.error);
      return FALSE;
    }
  ph_layout_take (layout, waiting.layout);
  return TRUE;
}
