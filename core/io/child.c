/* child.c: runs other programs as child processes with limits on time, output and memory, so that neither a crash nor a hang reaches us.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/tensor/file.h"

#define SECONDS     "60"                /* default time limit of a foreign pass; PEEPHOLE_PASS_SECONDS overrides it */
#define PROCESSES   256                 /* processes the child may have beyond those the user already has: stops fork bombs */
#define MOST_SAID   (64 * 1024)         /* bytes kept of the child's standard error */
#define NEWEST      30                  /* newest version that ph_child_find() tries */
#define LEAST_LIMIT (256 * 1024 * 1024) /* bytes that its output may have, if that is more than four times its input */

static void
on_cancelled (GCancellable *cancellable, gpointer process)
{
  g_subprocess_send_signal (process, SIGTERM);
}

JsonObject *
ph_child_last_reply (GBytes *output)
{
  g_autofree char *text = g_bytes_get_size (output) > 0 ? g_strndup (g_bytes_get_data (output, NULL), g_bytes_get_size (output))
                                                        : g_strdup ("");
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  guint n = g_strv_length (lines);
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (n == 0 || *lines[n - 1] != '{' || !json_parser_load_from_data (parser, lines[n - 1], -1, NULL))
    return NULL;
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

static char *
error_of_reply (GBytes *output)
{
  g_autoptr (JsonObject) reply = ph_child_last_reply (output);

  if (reply == NULL || !json_object_has_member (reply, "error"))
    return g_strdup ("");
  return g_strdup (json_object_get_string_member_with_default (json_object_get_object_member (reply, "error"), "message", ""));
}

/* Counts the processes and threads of this user as RLIMIT_NPROC does. Each is an entry in its process's folder task. */
static rlim_t
count_tasks (void)
{
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  rlim_t n = 0;

  for (const char *id = NULL; processes != NULL && (id = g_dir_read_name (processes)) != NULL;)
    {
      g_autofree char *path = g_ascii_isdigit (*id) ? g_build_filename ("/proc", id, "task", NULL) : NULL;
      GStatBuf info;

      if (path != NULL && g_stat (path, &info) == 0 && info.st_uid == getuid () && info.st_nlink > 2)
        n += info.st_nlink - 2;
    }
  return n;
}

typedef struct
{
  rlim_t bytes, tasks;
} Limits;

static void
limit_to (int resource, rlim_t most)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0 || limit.rlim_cur <= most)
    return;
  limit.rlim_cur = limit.rlim_max = most;
  setrlimit (resource, &limit);
}

/* Limits the child's output, processes and core dumps. (Linux does not limit the processes of root.) */
static void
limit_child (gpointer data)
{
  const Limits *limits = data;

  limit_to (RLIMIT_FSIZE, limits->bytes);
  limit_to (RLIMIT_NPROC, limits->tasks);
  limit_to (RLIMIT_CORE, 0);
}

/* Opens an unlinked file, which disappears with its last descriptor. */
static int
open_scratch (GError **error)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("peephole-pass-XXXXXX", &path, error);

  if (fd >= 0)
    g_unlink (path);
  return fd;
}

static gboolean
write_all (int fd, GBytes *bytes, GError **error)
{
  gsize size, done = 0;
  const char *data = g_bytes_get_data (bytes, &size);

  while (done < size)
    {
      gssize n = write (fd, data + done, size - done);

      if (n < 0 && errno != EINTR)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_FILE, "the model cannot be handed over: %s", g_strerror (errno));
          return FALSE;
        }
      done += n > 0 ? (gsize) n : 0;
    }
  return lseek (fd, 0, SEEK_SET) == 0;
}

static GBytes *
read_all (int fd)
{
  /* Copied rather than mapped, because a remaining child of the program could truncate the file. */
  const int copy = fcntl (fd, F_DUPFD_CLOEXEC, 3);
  g_autoptr (PhFile) file = copy >= 0 ? ph_file_new (copy, "output", NULL) : NULL;
  GBytes *bytes = file != NULL ? ph_file_read_bytes (file, 0, ph_file_get_size (file), NULL) : NULL;

  return bytes != NULL ? bytes : g_bytes_new (NULL, 0);
}

/* Sets @error unless the child ended well; it says whether it crashed, timed out, wrote too much or failed. */
static void
judge (GSubprocess *process, GBytes *output, GBytes *complaint, const char *what, const char *seconds, gint64 started,
       GError **error)
{
  gboolean late = g_get_monotonic_time () - started >= (gint64) (g_ascii_strtod (seconds, NULL) * G_USEC_PER_SEC);
  int status = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : -1;
  g_autofree char *said = NULL;
  const char *colon;

  if (status == 0)
    return;
  said = g_strndup (g_bytes_get_data (complaint, NULL), MIN (g_bytes_get_size (complaint), MOST_SAID));
  g_strstrip (said);
  if (*said == '\0' && status > 0 && status != 124 && status != 137)
    {
      g_free (said);
      said = error_of_reply (output);
    }
  colon = *said != '\0' ? ": " : "";
  if (status < 0 && !late)
    g_set_error (error, PH_ERROR, PH_ERROR_CRASHED, "%s was killed by signal %d%s%s", what, g_subprocess_get_term_sig (process),
                 colon, said);
  else if (status < 0 || status == 124 || status == 137)
    g_set_error (error, PH_ERROR, PH_ERROR_CRASHED,
                 "%s took more than %s seconds (PEEPHOLE_PASS_SECONDS allows more), or was killed%s%s", what, seconds, colon,
                 said);
  else if (status == 128 + SIGXFSZ)
    g_set_error (error, PH_ERROR, PH_ERROR_CRASHED, "%s wrote more than a model of this size can need", what);
  /* A shell reports the signal that killed its command as 128 + signal. */
  else if (status > 128 && status <= 128 + SIGSYS)
    g_set_error (error, PH_ERROR, PH_ERROR_CRASHED, "%s was killed by signal %d%s%s", what, status - 128, colon, said);
  else
    g_set_error (error, PH_ERROR, status == 126 || status == 127 ? PH_ERROR_FAILED : PH_ERROR_CRASHED,
                 "%s failed with status %d%s%s", what, status, colon, said);
}

/* timeout(1) also kills the processes that the program started. Files rather than pipes: neither side waits for the other, and neither gets
 * a broken pipe. */
GBytes *
ph_child_run_to_end (const char *const *command, const char *folder, GBytes *input, gsize model_size, const char *what,
                     GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GBytes) output = NULL, complaint = NULL, nothing = g_bytes_new (NULL, 0);
  g_autoptr (GError) own = NULL;
  Limits limits = { MAX (LEAST_LIMIT, 4 * model_size), count_tasks () + PROCESSES };
  const char *seconds = g_getenv ("PEEPHOLE_PASS_SECONDS");
  int in = -1, out = -1, err = -1;
  gulong handler;
  gint64 started = g_get_monotonic_time ();

  seconds = seconds != NULL ? seconds : SECONDS;
  g_ptr_array_add (arguments, (gpointer) "timeout");
  g_ptr_array_add (arguments, (gpointer) "--kill-after=2");
  g_ptr_array_add (arguments, (gpointer) seconds);
  for (guint i = 0; command[i] != NULL; i++)
    g_ptr_array_add (arguments, (gpointer) command[i]);
  g_ptr_array_add (arguments, NULL);

  if ((in = open_scratch (error)) < 0 || (out = open_scratch (error)) < 0 || (err = open_scratch (error)) < 0
      || !write_all (in, input != NULL ? input : nothing, error))
    goto done;
  g_subprocess_launcher_take_stdin_fd (launcher, g_steal_fd (&in));
  g_subprocess_launcher_take_stdout_fd (launcher, dup (out));
  g_subprocess_launcher_take_stderr_fd (launcher, dup (err));
  if (folder != NULL)
    g_subprocess_launcher_set_cwd (launcher, folder);
  g_subprocess_launcher_set_child_setup (launcher, limit_child, &limits, NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) arguments->pdata, &own);
  if (process == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "%s cannot be started: %s", what, own->message);
      goto done;
    }
  handler = cancellable != NULL ? g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), process, NULL) : 0;
  g_subprocess_wait (process, NULL, NULL);
  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    goto done;
  output = read_all (out);
  complaint = read_all (err);
  judge (process, output, complaint, what, seconds, started, error);

done:
  if (in >= 0)
    close (in);
  if (out >= 0)
    close (out);
  if (err >= 0)
    close (err);
  return g_steal_pointer (&output);
}

GBytes *
ph_child_run (const char *const *command, const char *folder, GBytes *input, gsize model_size, const char *what,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) own = NULL;
  g_autoptr (GBytes) output = ph_child_run_to_end (command, folder, input, model_size, what, cancellable, &own);

  if (own == NULL)
    return g_steal_pointer (&output);
  g_propagate_error (error, g_steal_pointer (&own));
  return NULL;
}

char *
ph_child_find (const char *name, guint oldest)
{
  for (guint version = NEWEST; version >= oldest; version--)
    {
      g_autofree char *versioned = g_strdup_printf ("%s-%u", name, version);
      char *path = g_find_program_in_path (versioned);

      if (path != NULL)
        return path;
    }
  return g_find_program_in_path (name);
}
