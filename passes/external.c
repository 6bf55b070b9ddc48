/* external.c: runs passes of other programs: a command that reads and writes a model, and passes in a shared object.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <gmodule.h>
#include <json-glib/json-glib.h>
#include <sys/stat.h>

#include "core/io/child.h"
#include "core/io/io.h"
#include "core/opset/opset.h"
#include "passes/adopt.h"
#include "passes/run.h"

/* Replaces @run's model by one in ONNX, upgraded to the newest opset. @rewrites: see ph_pass_adopt(). */
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
    g_prefix_error (error, "%s: its model cannot be used: ", what);
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

/* Writes the model for an external program as `save` does, at the opset of its file. */
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
  g_autofree char *line = g_strjoinv (" ", (char **) options->arguments),
                  *why = g_strdup_printf ("The command `%s` made this change.", line);
  const char *const command[] = { "sh", "-c", line, NULL };
  g_autoptr (GBytes) input = write_as_file (ph_pass_run_model (run), error), output = NULL;

  if (input == NULL)
    return FALSE;
  output = ph_child_run (command, options->folder, input, g_bytes_get_size (input), line, options->cancellable, error);
  return output != NULL && adopt_bytes (run, output, line, "exec", why, NULL, error);
}

/* clang-format off */
const PhPass ph_pass_exec = {
  .name = "exec", .group = "foreign", .summary = "Runs a command with the model on its standard input, and reads the model that it writes",
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
    output = ph_child_run (command, NULL, NULL, file_size (in), run->pass->name, options->cancellable, error);
  if (output != NULL)
    bytes = ph_file_load (out, error);
  if (bytes != NULL)
    {
      g_autoptr (JsonObject) reply = ph_child_last_reply (output);

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
  output = ph_child_run (command, NULL, NULL, 0, path, cancellable, error);
  if (output == NULL)
    return NULL;
  text = g_bytes_get_data (output, &size);
  if (!json_parser_load_from_data (parser, text != NULL ? text : "", (gssize) size, error))
    return NULL;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root) || !json_object_has_member (json_node_get_object (root), "passes"))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: its answer is not a list of passes", path);
      return NULL;
    }
  rows = json_object_get_array_member (json_node_get_object (root), "passes");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    add_foreign (json_array_get_object_element (rows, i), absolute, passes);
  return g_steal_pointer (&passes);
}

/* Runs in the process started with --plugin. */
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
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s is not a pass: it lacks PH_PLUGIN (...) of passes/pass.h", path);
      return FALSE;
    }
  if (*abi != PH_PLUGIN_ABI)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                   "%s was built for version %u of the interface, this is %d: build it again", path, *abi, PH_PLUGIN_ABI);
      return FALSE;
    }
  g_module_make_resident (module);
  ph_engine_say_crashes ();
  for (guint i = 0; passes[i] != NULL; i++)
    if (!ph_pass_register (passes[i], error))
      return FALSE;
  return TRUE;
}
