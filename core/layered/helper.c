/* helper.c: runs the helper process peephole-layout, and ends it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/layered/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Searched in $PEEPHOLE_LAYOUT, the program's folder, the build tree's layout-helper/ and the installation. */
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

/* Opens the text as a file in memory: writing to the pipe of a dead helper would end this process by SIGPIPE. */
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

/* The largest answer, per byte of the request and at least: memory files grow as fast as something writes to them. */
#define ANSWER_FACTOR 64
#define ANSWER_LEAST  (16 << 20)

/* Sets the limit from outside: to set it in the child, GLib would have to fork, which copies the page tables of a window for each
 * picture. */
static void
limit_answer (GSubprocess *process, gsize limit)
{
  const char *id = g_subprocess_get_identifier (process);
  const struct rlimit size = { limit, limit };

  if (id != NULL)
    prlimit ((pid_t) g_ascii_strtoll (id, NULL, 10), RLIMIT_FSIZE, &size, NULL);
}

/* Returns TRUE if the helper is only waiting for a processor: then the machine is slow, not the helper. */
static gboolean
is_runnable (GSubprocess *process)
{
  const char *id = g_subprocess_get_identifier (process);
  g_autofree char *path = g_strdup_printf ("/proc/%s/stat", id != NULL ? id : "");
  g_autofree char *stat = NULL;
  const char *name_end;

  if (!g_file_get_contents (path, &stat, NULL, NULL))
    return FALSE;
  name_end = strrchr (stat, ')');
  return name_end != NULL && g_str_has_prefix (name_end, ") R");
}

/* Returns the processor time used in nanoseconds, or 0 if unknown. */
static gint64
time_worked (GSubprocess *process)
{
  const char *id = g_subprocess_get_identifier (process);
  struct timespec worked;
  clockid_t clock;

  if (id == NULL || clock_getcpuclockid ((pid_t) g_ascii_strtoll (id, NULL, 10), &clock) != 0
      || clock_gettime (clock, &worked) != 0)
    return 0;
  return worked.tv_sec * G_GINT64_CONSTANT (1000000000) + worked.tv_nsec;
}

/* Returns everything written to @fd, terminated for the parser of numbers. */
static GBytes *
read_answer (int fd)
{
  const off_t size = lseek (fd, 0, SEEK_END);
  char *data = size >= 0 ? g_try_malloc ((gsize) size + 1) : NULL;
  gsize done = 0;
  gssize n = 1;

  while (data != NULL && done < (gsize) size && (n = pread (fd, data + done, (gsize) size - done, (off_t) done)) > 0)
    done += (gsize) n;
  if (data != NULL)
    data[done] = '\0';
  return data != NULL ? g_bytes_new_take (data, done) : NULL;
}

typedef struct
{
  GSubprocess *process;
  GBytes *out, *err;
  GError *error;
  gboolean heard, done, late;
  double seconds; /* wall-clock limit                                                    */
  guint n_waited; /* how often they passed                                               */
} Talk;

/* On a busy machine the wall clock overestimates the helper's work, so it may take a few times as long. */
#define MOST_WAITS 4

static gboolean
on_late (gpointer data)
{
  Talk *talk = data;

  if (++talk->n_waited < MOST_WAITS && is_runnable (talk->process) && time_worked (talk->process) < talk->seconds * 5e8)
    return G_SOURCE_CONTINUE;
  talk->late = TRUE;
  g_subprocess_force_exit (talk->process);
  return G_SOURCE_REMOVE;
}

static void
on_answered (GObject *source, GAsyncResult *result, gpointer data)
{
  Talk *talk = data;

  talk->heard = g_subprocess_wait_finish (talk->process, result, &talk->error);
  talk->done = TRUE;
}

/* Sets @error where it did not end well; its own time limit is no error. */
static gboolean
judge_end (Talk *talk, GError **error)
{
  if (!talk->heard && !g_error_matches (talk->error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT, "The layout helper does not answer: %s. Try again.", talk->error->message);
      return FALSE;
    }
  if (g_subprocess_get_if_signaled (talk->process))
    {
      const int number = g_subprocess_get_term_sig (talk->process);

      talk->late |= number == SIGPROF;
      if (number == SIGXFSZ)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT,
                       "The layout helper does not end answering. Is $PEEPHOLE_LAYOUT the program of this version?");
          return FALSE;
        }
      if (!talk->late)
        g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT,
                     "The layout helper was ended by signal %d (%s). Try again; the model itself is not affected.", number,
                     g_strsignal (number));
      return talk->late;
    }
  if (g_subprocess_get_exit_status (talk->process) != 0)
    {
      gsize length = 0;
      const char *message = talk->err != NULL ? g_bytes_get_data (talk->err, &length) : NULL;
      g_autofree char *first = g_strndup (message != NULL ? message : "", MIN (length, 200));

      g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT, "The layout helper failed with status %d: %s",
                   g_subprocess_get_exit_status (talk->process), *g_strstrip (first) != 0 ? first : "it did not say why.");
      return FALSE;
    }
  return TRUE;
}

gboolean
ph_helper_run (GBytes *text, double seconds, GCancellable *cancellable, GBytes **answer, gboolean *late, GError **error)
{
  g_autofree char *path = find_helper ();
  const char *const arguments[] = { path, NULL };
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GMainContext) context = NULL;
  g_autoptr (GError) local = NULL;
  GSource *timer = NULL;
  Talk talk = { .seconds = seconds };
  gboolean done;
  int fd, out, err;

  *answer = NULL;
  *late = FALSE;
  if (g_cancellable_is_cancelled (cancellable))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
      return FALSE;
    }
  fd = open_text (text);
  out = memfd_create ("peephole-layout-answer", MFD_CLOEXEC);
  err = memfd_create ("peephole-layout-complaint", MFD_CLOEXEC);
  if (fd < 0 || out < 0 || err < 0)
    {
      for (guint i = 0; i < 3; i++)
        if (((int[]) { fd, out, err })[i] >= 0)
          close (((int[]) { fd, out, err })[i]);
      g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT, "There is no memory for what the layout helper reads: %s",
                   g_strerror (errno));
      return FALSE;
    }
  context = g_main_context_new ();
  g_main_context_push_thread_default (context);
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_INHERIT_FDS);
  g_subprocess_launcher_take_stdin_fd (launcher, fd);
  g_subprocess_launcher_take_stdout_fd (launcher, fcntl (out, F_DUPFD_CLOEXEC, 3));
  g_subprocess_launcher_take_stderr_fd (launcher, fcntl (err, F_DUPFD_CLOEXEC, 3));
  talk.process = g_subprocess_launcher_spawnv (launcher, arguments, &local);
  if (talk.process == NULL)
    {
      g_main_context_pop_thread_default (context);
      close (out);
      close (err);
      g_set_error (error, PH_ERROR, PH_ERROR_LAYOUT, "%s cannot be started: %s. Set PEEPHOLE_LAYOUT to the layout helper.", path,
                   local->message);
      return FALSE;
    }
  limit_answer (talk.process, g_bytes_get_size (text) * ANSWER_FACTOR + ANSWER_LEAST);
  if (seconds > 0)
    {
      timer = g_timeout_source_new ((guint) (seconds * 1000));
      g_source_set_callback (timer, on_late, &talk, NULL);
      g_source_attach (timer, context);
    }
  g_subprocess_wait_async (talk.process, cancellable, on_answered, &talk);
  while (!talk.done)
    g_main_context_iteration (context, TRUE);
  g_main_context_pop_thread_default (context);
  if (timer != NULL)
    {
      g_source_destroy (timer);
      g_source_unref (timer);
    }
  if (g_cancellable_is_cancelled (cancellable))
    {
      g_subprocess_force_exit (talk.process);
      g_subprocess_wait (talk.process, NULL, NULL);
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "The layout was cancelled.");
      done = FALSE;
    }
  else
    {
      if (!talk.heard)
        g_subprocess_force_exit (talk.process);
      g_subprocess_wait (talk.process, NULL, NULL);
      talk.out = read_answer (out);
      talk.err = read_answer (err);
      done = judge_end (&talk, error);
      *late = talk.late;
    }
  close (out);
  close (err);
  *answer = g_steal_pointer (&talk.out);
  g_clear_pointer (&talk.err, g_bytes_unref);
  g_clear_error (&talk.error);
  g_object_unref (talk.process);
  return done;
}
