/* external.c: passes that other programs run: a command that reads a model and writes one, and passes in a shared object.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <gmodule.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/io.h"
#include "core/opset/opset.h"
#include "passes/adopt.h"
#include "passes/external.h"

#define SECONDS     "60"                /* that a foreign pass may take, unless PEEPHOLE_PASS_SECONDS says otherwise */
#define PROCESSES   256                 /* that it may have at once, on top of what the user has: a fork bomb ends there */
#define MOST_SAID   (64 * 1024)         /* bytes of what it complained of are kept */
#define LEAST_LIMIT (256 * 1024 * 1024) /* bytes that it may write, or four times what it is given */

/* Neither runs in this process, so neither a crash nor a hang of theirs touches it: what comes back is a model in ONNX, and
 * it becomes a step by being matched with what is there. */

/* ── running a program ── */

static void
on_cancelled (GCancellable *cancellable, gpointer process)
{
  g_subprocess_send_signal (process, SIGTERM);
}

/* The last line of peep's answers in JSON, or NULL. (transfer full) */
static JsonObject *
last_reply (GBytes *output)
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
  g_autoptr (JsonObject) reply = last_reply (output);

  if (reply == NULL || !json_object_has_member (reply, "error"))
    return g_strdup ("");
  return g_strdup (json_object_get_string_member_with_default (json_object_get_object_member (reply, "error"), "message", ""));
}

/* The processes and threads of this user: what RLIMIT_NPROC counts. Each is an entry of its process's folder task. */
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

/* In the child: it may not fill the disk or the table of processes, and leaves no core. (Linux holds root to no number of
 * processes.) */
static void
limit_child (gpointer data)
{
  const Limits *limits = data;

  limit_to (RLIMIT_FSIZE, limits->bytes);
  limit_to (RLIMIT_NPROC, limits->tasks);
  limit_to (RLIMIT_CORE, 0);
}

/* A file without a name, that goes away with its last descriptor. */
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
  /* Not mapped: a child of the program that is still there could cut it short. */
  const int copy = fcntl (fd, F_DUPFD_CLOEXEC, 3);
  g_autoptr (PhFile) file = copy >= 0 ? ph_file_new (copy, "output", NULL) : NULL;
  GBytes *bytes = file != NULL ? ph_file_read_bytes (file, 0, ph_file_get_size (file), NULL) : NULL;

  return bytes != NULL ? bytes : g_bytes_new (NULL, 0);
}

/* What is said of a program that ended: FALSE with @error, unless it went well. */
static gboolean
judge (GSubprocess *process, GBytes *output, GBytes *complaint, const char *what, const char *seconds, gint64 started,
       GError **error)
{
  gboolean late = g_get_monotonic_time () - started >= (gint64) (g_ascii_strtod (seconds, NULL) * G_USEC_PER_SEC);
  int status = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : -1;

  if (status == 0)
    return TRUE;
  if (status < 0 && !late)
    g_set_error (error, PH_ERROR, PH_ERROR_CRASHED, "%s was killed by signal %d; the model is as it was", what,
                 g_subprocess_get_term_sig (process));
  else if (status < 0 || status == 124 || status == 137)
    g_set_error (error, PH_ERROR, PH_ERROR_CRASHED, "%s took more than %s seconds, or was killed; the model is as it was", what,
                 seconds);
  else if (status == 128 + SIGXFSZ)
    g_set_error (error, PH_ERROR, PH_ERROR_CRASHED, "%s wrote more than a model of this size can need; the model is as it was",
                 what);
  else
    {
      gsize n = MIN (g_bytes_get_size (complaint), MOST_SAID);
      g_autofree char *said = n > 0 ? g_strndup (g_bytes_get_data (complaint, NULL), n) : g_strdup ("");

      g_strstrip (said);
      if (*said == '\0')
        {
          g_free (said);
          said = error_of_reply (output);
        }
      /* A shell says so of what it ran. */
      if (status > 128 && status <= 128 + SIGSYS)
        g_set_error (error, PH_ERROR, PH_ERROR_CRASHED, "%s was killed by signal %d; the model is as it was%s%s", what,
                     status - 128, *said != '\0' ? ": " : "", said);
      else
        g_set_error (error, PH_ERROR, status == 126 || status == 127 ? PH_ERROR_FAILED : PH_ERROR_CRASHED,
                     "%s failed with status %d%s%s", what, status, *said != '\0' ? ": " : "", said);
    }
  return FALSE;
}

/* timeout(1) kills what the program started, too. Files rather than pipes: neither side waits for the other, and neither
 * breaks the other's pipe. @folder: (nullable) where it runs. */
static GBytes *
run_program (const char *const *command, const char *folder, GBytes *input, gsize model_size, const char *what,
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
  if (!judge (process, output, complaint, what, seconds, started, error))
    g_clear_pointer (&output, g_bytes_unref);

done:
  if (in >= 0)
    close (in);
  if (out >= 0)
    close (out);
  if (err >= 0)
    close (err);
  return g_steal_pointer (&output);
}

/* A model in ONNX, brought to the newest opset, takes the place of @run's. @rewrites: see ph_pass_adopt(). */
static gboolean
adopt_bytes (PhPassRun *run, GBytes *bytes, const char *what, const char *rule, const char *why, JsonArray *rewrites,
             GError **error)
{
  g_autoptr (PhModel) wanted = ph_onnx_read (bytes, what, NULL, error);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhPass *upgrade = ph_pass_find ("upgrade-opset");

  if (wanted == NULL)
    g_prefix_error (error, "%s wrote no model: ", what);
  else if (ph_model_opset (wanted, "") < PH_OPSET_NEWEST && upgrade != NULL
           && !ph_pass_run (upgrade, wanted, history, NULL, error))
    g_prefix_error (error, "%s wrote a model that cannot be read: ", what);
  else if (!ph_pass_adopt (run, wanted, rule, why, rewrites, error))
    g_prefix_error (error, "%s: its model cannot be taken over: ", what);
  else
    return TRUE;
  if (error != NULL)
    {
      (*error)->domain = PH_ERROR;
      (*error)->code = PH_ERROR_BAD_MODEL;
    }
  return FALSE;
}

/* ── exec ── */

/* A program gets what `save` writes: the model at its file's opset. */
static GBytes *
write_as_file (PhModel *model, GError **error)
{
  GError *local = NULL;
  int opset;
  g_autoptr (PhModel) file = ph_model_at_opset (model, 0, &opset, NULL, &local);

  if (local != NULL)
    {
      g_propagate_error (error, local);
      return NULL;
    }
  return ph_onnx_write (file != NULL ? file : model, error);
}

static gboolean
run_exec (PhPassRun *run, GError **error)
{
  const PhPassOptions *options = ph_pass_run_options (run);
  g_autofree char *line = g_strjoinv (" ", (char **) options->arguments), *why = g_strdup_printf ("`%s` made it so.", line);
  const char *const command[] = { "sh", "-c", line, NULL };
  g_autoptr (GBytes) input = write_as_file (ph_pass_run_model (run), error), output = NULL;

  if (input == NULL)
    return FALSE;
  output = run_program (command, options->folder, input, g_bytes_get_size (input), line, options->cancellable, error);
  return output != NULL && adopt_bytes (run, output, line, "exec", why, NULL, error);
}

/* clang-format off */
const PhPass ph_pass_exec = {
  .name = "exec", .group = "foreign", .summary = "Runs a command with the model on its standard input, and takes over the model that it writes",
  .run = run_exec, .exactness = PH_ROUNDING, .needs_arguments = TRUE,
};
/* clang-format on */

/* ── shared objects ── */

/* A pass of a shared object, as its program described it. Lives for ever: steps name it. */
typedef struct
{
  PhPass pass;
  char *path;
} Foreign;

static char *
find_peep (void)
{
  static const char *const places[] = { "peep", "../app/peep", "../../app/peep", "../bin/peep" };
  const char *given = g_getenv ("PEEPHOLE_PEEP");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : g_strdup (".");

  if (given != NULL)
    return g_strdup (given);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (folder, places[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_strdup ("peep");
}

static gsize
file_size (const char *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 ? (gsize) status.st_size : 0;
}

static gboolean
run_foreign (PhPassRun *run, GError **error)
{
  const Foreign *foreign = (const Foreign *) run->pass;
  const PhPassOptions *options = ph_pass_run_options (run);
  g_autofree char *folder = g_dir_make_tmp ("peephole-pass-XXXXXX", error), *in = NULL, *out = NULL, *peep = find_peep ();
  g_autofree char *pass_line = NULL, *save = NULL;
  g_autoptr (GBytes) output = NULL, bytes = NULL;
  gboolean ok = FALSE;

  if (folder == NULL)
    return FALSE;
  in = g_build_filename (folder, "in.onnx", NULL);
  out = g_build_filename (folder, "out.onnx", NULL);
  pass_line = options->limit != G_MAXUINT ? g_strdup_printf ("run %s --limit %u", run->pass->name, options->limit)
                                          : g_strdup_printf ("run %s", run->pass->name);
  save = g_strdup_printf ("save '%s'", out);

  const char *const command[] = { peep, "--json", "--plugin", foreign->path,          in,  "-c", pass_line,
                                  "-c", save,     "-c",       "rewrites end --nodes", NULL };

  if (ph_io_save (ph_pass_run_model (run), in, options->cancellable, error))
    output = run_program (command, NULL, NULL, file_size (in), run->pass->name, options->cancellable, error);
  if (output != NULL)
    bytes = ph_file_load (out, error);
  if (bytes != NULL)
    {
      g_autoptr (JsonObject) reply = last_reply (output);

      ok = adopt_bytes (
          run, bytes, run->pass->name, run->pass->name, run->pass->summary,
          reply != NULL && json_object_has_member (reply, "rewrites") ? json_object_get_array_member (reply, "rewrites") : NULL,
          error);
    }
  g_unlink (in);
  g_unlink (out);
  g_rmdir (folder);
  return ok;
}

const char *
ph_pass_get_file (const PhPass *pass)
{
  return pass->run == run_foreign ? ((const Foreign *) pass)->path : NULL;
}

static void
add_foreign (JsonObject *row, const char *path, GPtrArray *passes)
{
  Foreign *foreign = g_new0 (Foreign, 1);

  foreign->path = g_strdup (path);
  foreign->pass = (PhPass) { .name = ph_intern (json_object_get_string_member_with_default (row, "name", "")),
                             .group = "foreign",
                             .summary = ph_intern (json_object_get_string_member_with_default (row, "summary", "")),
                             .run = run_foreign,
                             .exactness = PH_ROUNDING };
  g_ptr_array_add (passes, foreign);
}

GPtrArray *
ph_pass_load (const char *path, GCancellable *cancellable, GError **error)
{
  g_autofree char *peep = find_peep (), *absolute = g_canonicalize_filename (path, NULL);
  const char *const command[] = { peep, "--json", "--plugin", absolute, "-c", "passes plugin", NULL };
  g_autoptr (GBytes) output = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GPtrArray) passes = g_ptr_array_new ();
  JsonArray *rows;
  JsonNode *root;
  const char *text;
  gsize size;

  if (!g_file_test (absolute, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: there is no such file", path);
      return NULL;
    }
  output = run_program (command, NULL, NULL, 0, path, cancellable, error);
  if (output == NULL)
    return NULL;
  text = g_bytes_get_data (output, &size);
  if (!json_parser_load_from_data (parser, text != NULL ? text : "", (gssize) size, error))
    return NULL;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root) || !json_object_has_member (json_node_get_object (root), "passes"))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: it answered with something else than its passes", path);
      return NULL;
    }
  rows = json_object_get_array_member (json_node_get_object (root), "passes");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    add_foreign (json_array_get_object_element (rows, i), absolute, passes);
  return g_steal_pointer (&passes);
}

/* In the process that --plugin makes for it. */
gboolean
ph_pass_load_here (const char *path, GError **error)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  const guint *abi;
  const PhPass *const *passes;

  if (module == NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s", g_module_error ());
      return FALSE;
    }
  if (!g_module_symbol (module, "ph_plugin_abi", (gpointer *) &abi)
      || !g_module_symbol (module, "ph_plugin_passes", (gpointer *) &passes))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s is no pass: it lacks PH_PLUGIN (...) of passes/pass.h", path);
      return FALSE;
    }
  if (*abi != PH_PLUGIN_ABI)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                   "%s was built for version %u of the interface, this is %d: build it again", path, *abi, PH_PLUGIN_ABI);
      return FALSE;
    }
  g_module_make_resident (module);
  for (guint i = 0; passes[i] != NULL; i++)
    if (!ph_pass_register (passes[i], error))
      return FALSE;
  return TRUE;
}

GBytes *
ph_external_run (const char *const *command, const char *folder, GBytes *input, gsize model_size, const char *what,
                 GCancellable *cancellable, GError **error)
{
  return run_program (command, folder, input, model_size, what, cancellable, error);
}
