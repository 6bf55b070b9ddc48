/* stall.c: nothing keeps the main loop for long, whatever is done with a large model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <execinfo.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/io/io.h"
#include "tests/bench/transformer.h"
#include "tests/ui/driver.h"
#include "views/inspector.h"

/* Sanitizers make everything several times as long. */
#ifdef __SANITIZE_ADDRESS__
#define SLOWER  8
#define N_NODES 2003
#else
#define SLOWER  1
#define N_NODES 10003
#endif
/* Between two looks of the loop at its sources: what it may compute; and how long it may be away from them, also for waiting. The
 * display server, which it has to wait for, may be kept from running by other programs. On a machine of its own nothing takes over
 * 75 ms; with caches full of what others do, twice that. */
#define PATIENCE    150
#define MOST_CPU_MS (PATIENCE * SLOWER)
#define MOST_MS     (1500 * SLOWER)
#define MOST_ROUNDS 4

static gint64 began;            /* µs, 0: the loop sleeps or looks around; read by the watcher           */
static gint64 waited, computed; /* µs then                                                            */
static double worst, worst_cpu, worst_of_all;
static int over;              /* atomic */
static gint64 started, shown; /* µs: when what is done began, and when progress was shown; 0: never       */
static struct
{
  double cpu, away;
} least[64];     /* ms, of each thing that is done, over all rounds */
static guint at; /* in @least                                       */
static const char *doing = "";
static pthread_t main_thread;
static int schedstat = -1;
static int told_ms = MOST_CPU_MS; /* after so long it is told where the main thread stands; PEEPHOLE_STALL_MS says otherwise */

/* For how long the main thread could have run and another program had the processor: that is not its fault. */
static gint64
waited_us (void)
{
  char text[96];
  guint64 ran, delayed = 0;
  ssize_t n = schedstat >= 0 ? pread (schedstat, text, sizeof text - 1, 0) : 0;

  text[MAX (n, 0)] = '\0';
  if (sscanf (text, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &ran, &delayed) != 2)
    return 0;
  return (gint64) (delayed / 1000);
}

static gint64
computed_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static gboolean
is_progress_shown (void)
{
  GtkWidget *view = driver_has_window () ? GTK_WIDGET (ph_window_get_view (driver_window ())) : NULL;
  GtkWidget *progress = view ? driver_find_named (view, "progress_card") : NULL;

  return progress && gtk_revealer_get_reveal_child (GTK_REVEALER (progress)) && gtk_widget_get_mapped (progress);
}

/* --- the watch: from the loop's check to its next prepare, sources are dispatched ------------------------------------- */

static gboolean
watch_check (GSource *source)
{
  began = g_get_monotonic_time ();
  waited = waited_us ();
  computed = computed_us ();
  return FALSE;
}

static gboolean
watch_prepare (GSource *source, int *timeout)
{
  *timeout = -1;
  if (started && !shown && is_progress_shown ())
    shown = g_get_monotonic_time ();
  if (began)
    {
      double ms = (double) (g_get_monotonic_time () - began - (waited_us () - waited)) / 1000;
      double cpu = (double) (computed_us () - computed) / 1000;
      worst = MAX (worst, ms);
      worst_cpu = MAX (worst_cpu, cpu);
    }
  began = 0;
  return FALSE;
}

static gboolean
watch_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs watch_funcs = { watch_prepare, watch_check, watch_dispatch, NULL, NULL, NULL };

/* Where it stands when it has been there for too long: what to look up in the symbols when this test fails. */
static void
on_signal (int number)
{
  void *frames[40];

  char line[256];
  int length = snprintf (line, sizeof line, "%.200s, after %d ms:\n", doing, (int) ((g_get_monotonic_time () - began) / 1000));

  /* Nothing here may allocate: the signal may have come in the midst of that. */
  if (write (STDERR_FILENO, line, (size_t) length) < 0)
    return;

  backtrace_symbols_fd (frames, backtrace (frames, G_N_ELEMENTS (frames)), STDERR_FILENO);
}

static gpointer
watch_thread (gpointer data)
{
  for (gint64 told = 0; !g_atomic_int_get (&over);)
    {
      gint64 since = *(volatile gint64 *) &began, now = g_get_monotonic_time ();
      /* Once, then again and again while it is still there. */
      if (since && now - MAX (since, told) > (told < since ? told_ms : MIN (told_ms / 4, 50)) * 1000)
        {
          told = now;
          pthread_kill (main_thread, SIGUSR2);
        }
      g_usleep (2000);
    }
  return NULL;
}

/* --- what is done ------------------------------------------------------------------------------------------------------ */

static void
begin (const char *what)
{
  doing = what;
  worst = worst_cpu = 0;
  shown = 0;
  started = g_get_monotonic_time ();
}

static void
end (void)
{
  driver_settle ();
  g_test_message ("%-28.28s %6.1f ms, away for %5.1f ms; took %6.0f ms, progress %s%.0f ms", doing, worst_cpu, worst,
                  (double) (g_get_monotonic_time () - started) / 1000, shown ? "after " : "never, ",
                  shown ? (double) (shown - started) / 1000 : 0.0);
  started = 0;
  worst_of_all = MAX (worst_of_all, worst_cpu);
  g_assert_cmpuint (at, <, G_N_ELEMENTS (least));
  least[at].cpu = MIN (least[at].cpu, worst_cpu);
  least[at].away = MIN (least[at].away, worst);
  at++;
}

static void
run (const char *line)
{
  begin (line);
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  end ();
  if (!driver_last_ok ())
    g_error ("%s: %s", line, driver_last_text ());
}

static void
action (const char *name)
{
  begin (name);
  driver_activate (name);
  end ();
}

static void
work (const char *open_line, const char *export, const char *save)
{
  at = 0;
  run (open_line);
  run ("pipeline eliminate-identity,fold-constants,cse,dce,fuse-layer-norm");
  run ("goto end");
  run ("back");
  run ("goto 0");
  run ("step");
  run ("compare 0 end");
  run ("info");
  run ("diff 0 end");
  run ("diff 0 end --text");
  run ("select op, count(*) from nodes group by op");
  run ("rewrites");
  run ("steps");
  run ("problems");
  run ("why n20");
  action ("view.form::side");
  action ("view.form::text");
  action ("view.form::overlay");
  run ("find MatMul");
  run ("select-node n20");
  action ("view.part::around");
  action ("view.part::all");
  action ("view.color::cost");
  action ("view.open::all");
  action ("view.compact");
  action ("win.new-tab");
  action ("win.close-tab");
  action ("view.part::paths");
  run ("select-node n900");
  action ("view.part::paths");
  action ("view.part::all");
  run ("back");
  action ("view.part::touched");
  action ("view.part::all");
  action ("view.open::none");
  action ("view.compact");
  action ("view.page::text");
  ph_window_show_bottom (driver_window (), "console");
  run ("pass off cse");
  run ("run --to dce");
  run ("run");
  run (export);
  run (save);
  run ("reload");
  run ("print");
}

static gboolean
is_over (void)
{
  for (guint i = 0; i < at; i++)
    if (least[i].cpu > MOST_CPU_MS || least[i].away > MOST_MS)
      return TRUE;
  return FALSE;
}

static void
test_stall (void)
{
  const char *asked = g_getenv ("PEEPHOLE_STALL_NODES"), *file = g_getenv ("PEEPHOLE_STALL_FILE");
  guint n = asked ? (guint) atoi (asked) : N_NODES;
  g_autofree char *folder = g_dir_make_tmp ("peephole-stall-XXXXXX", NULL), *path = g_build_filename (folder, "large.onnx", NULL);
  g_autofree char *open_line = g_strdup_printf ("open %s", file ? file : path);
  g_autofree char *export = g_strdup_printf ("render %s/whole.svg", folder),
                  *save = g_strdup_printf ("save %s/again.onnx", folder);
  g_autoptr (GError) error = NULL;

  if (!file)
    {
      PhModel *model = ph_bench_transformer (n, TRUE, TRUE);
      g_assert_true (ph_io_save (model, path, NULL, &error));
      g_assert_no_error (error);
      ph_model_free (model);
    }

  if (g_getenv ("PEEPHOLE_STALL_MS"))
    told_ms = atoi (g_getenv ("PEEPHOLE_STALL_MS"));
  main_thread = pthread_self ();
  schedstat = g_open ("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0);
  /* The first call loads a library and allocates, which no signal handler may. */
  backtrace ((void *[1]) { NULL }, 1);
  signal (SIGUSR2, on_signal);
  GThread *watcher = g_thread_new ("watch", watch_thread, NULL);
  GSource *watch = g_source_new (&watch_funcs, sizeof (GSource));
  g_source_attach (watch, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (least); i++)
    least[i].cpu = least[i].away = INFINITY;
  /* A page that came from the disk just then, or a busy machine? What is the program's fault happens in every round. */
  for (guint round = 0; round == 0 || (round < MOST_ROUNDS && is_over ()); round++)
    work (open_line, export, save);
  g_atomic_int_set (&over, TRUE);
  g_thread_join (watcher);
  g_source_destroy (watch);
  g_source_unref (watch);
  g_test_message ("at most %.1f ms", worst_of_all);
  driver_remove (folder);
  g_assert_false (is_over ());
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/stall/large-model", test_stall);
  return driver_main ();
}
