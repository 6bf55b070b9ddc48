/* commands-llvm.c: runs LLVM's opt on the open file and adds a step for each of its passes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/recording.h"
#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-text.h"
#include "core/io/llvm/dump.h"
#include "core/io/llvm/import.h"
#include "core/io/llvm/program.h"

#define MOST_MODULES (200.0 * 1024 * 1024) /* bytes of a dump in which the module is printed for each pass over a loop */

typedef struct
{
  PhSnapshot *snapshot;
  char *program, *path, *passes;
  PhHistory *history;
  GPtrArray *problems;
  gboolean died;
} Llvm;

static void
llvm_free (gpointer data)
{
  Llvm *llvm = data;

  g_clear_pointer (&llvm->snapshot, ph_snapshot_free);
  g_clear_pointer (&llvm->history, ph_history_free);
  g_ptr_array_unref (llvm->problems);
  g_free (llvm->program);
  g_free (llvm->path);
  g_free (llvm->passes);
  g_free (llvm);
}

static gboolean refuse (GError **error, PhError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (GError **error, PhError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (PH_ERROR, (int) code, format, args));
  va_end (args);
  return FALSE;
}

/* The passes of LLVM's that led to where the document stands. */
typedef struct
{
  char *passes;
  guint stamp;
  guint steps;
} Ran;

static void
ran_free (gpointer data)
{
  g_free (((Ran *) data)->passes);
  g_free (data);
}

/* Returns the passes that the steps up to @at are of, or NULL if not all of them are LLVM's. */
static const char *
passes_before (PhDocument *document, PhPosition at)
{
  const Ran *ran = g_object_get_data (G_OBJECT (document), "llvm-passes");
  const PhHistory *history = ph_document_get_history (document);

  return ran != NULL && history != NULL && at.rewrite == 0 && at.step == ran->steps && history->steps->len == ran->steps
                 && ph_document_get_generation (document) == ran->stamp
             ? ran->passes
             : NULL;
}

static gboolean
llvm_begin (PhCall *call, GError **error)
{
  const PhPosition at = ph_document_is_open (call->document) ? ph_document_get_position (call->document) : (PhPosition) { 0 };
  const char *path, *before;
  Llvm *llvm;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 1, 1, error))
    return FALSE;
  path = ph_document_get_path (call->document);
  if (path == NULL || ph_model_opset (ph_document_get_model (call->document), "llvm") == 0)
    return refuse (error, PH_ERROR_USAGE, "what is open is not LLVM's: `open FILE.ll` first");
  before = passes_before (call->document, at);
  if (before == NULL && (at.step != 0 || at.rewrite != 0))
    return refuse (
        error, PH_ERROR_USAGE,
        "LLVM reads the file, so its passes begin there, or where its last ones ended: `goto 0` first, or to the last step");
  if (!g_str_has_suffix (path, ".ll") && !g_str_has_suffix (path, ".bc"))
    return refuse (error, PH_ERROR_USAGE, "%s is a dump of passes; LLVM's passes run over the .ll file itself", path);
  llvm = g_new0 (Llvm, 1);
  llvm->problems = g_ptr_array_new_with_free_func (g_free);
  ph_call_set_data (call, llvm, llvm_free);
  llvm->program = ph_llvm_program_find ("opt");
  if (llvm->program == NULL)
    return refuse (error, PH_ERROR_NOT_FOUND, "LLVM's opt is not installed: Debian has it in the package llvm-19");
  llvm->path = g_canonicalize_filename (path, NULL);
  llvm->passes = before != NULL ? g_strdup_printf ("%s,%s", before, call->argv[0]) : g_strdup (call->argv[0]);
  llvm->snapshot = ph_snapshot_new (call->document);
  return TRUE;
}

/* Returns the file without keywords that are too new for opt, which are added to @words, or NULL if it has none. */
static GBytes *
for_older (Llvm *llvm, GPtrArray *words)
{
  g_autoptr (GBytes) bytes = g_str_has_suffix (llvm->path, ".ll") ? ph_file_load (llvm->path, NULL) : NULL;
  g_autofree char *text = NULL;
  gsize size;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (data == NULL)
    return NULL;
  text = ph_llvm_for_older (data, size, words);
  if (words->len == 0)
    return NULL;
  size = strlen (text);
  return g_bytes_new_take (g_steal_pointer (&text), size);
}

/* Runs opt over the file, or over @text in its place, and returns what it dumped. With @error, that may be the part before it died. */
static GBytes *
run_opt (const Llvm *llvm, const char *scope, const char *filter, GBytes *text, GCancellable *cancellable, GError **error)
{
  g_autofree char *passes = g_strconcat ("-passes=", llvm->passes, NULL);
  const char *arguments[] = { passes, "-print-changed", "-disable-output", text != NULL ? "-" : llvm->path, scope, filter, NULL };

  return ph_llvm_program_dump (llvm->program, arguments, text, cancellable, error);
}

/* Returns @dump with the whole module after passes of which it shows a part of a function only, or NULL. */
static GBytes *
show_whole (const Llvm *llvm, GBytes *dump, GBytes *text, GCancellable *cancellable)
{
  g_autofree char *filter = g_strconcat ("-filter-passes=", ph_llvm_module_passes, NULL);
  g_autoptr (GBytes) file = text == NULL ? ph_file_load (llvm->path, NULL) : g_bytes_ref (text), modules = NULL;
  const guint parts = ph_llvm_count_parts (dump);
  g_autoptr (GError) error = NULL;

  if (parts == 0 || file == NULL || (double) parts * (double) g_bytes_get_size (file) > MOST_MODULES)
    return NULL;
  modules = run_opt (llvm, "-print-module-scope", filter, text, cancellable, &error);
  return modules != NULL ? ph_llvm_join_scopes (dump, modules) : NULL;
}

/* Returns what opt dumped. With @error, that may be the part before it died. */
static GBytes *
run_passes (Llvm *llvm, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GBytes) dump = run_opt (llvm, NULL, NULL, NULL, cancellable, &reason), older = NULL, whole = NULL;
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  if (reason != NULL && (older = for_older (llvm, words)) != NULL)
    {
      g_autoptr (GError) again = NULL;
      g_autoptr (GBytes) second = run_opt (llvm, NULL, NULL, older, cancellable, &again);

      if (again == NULL)
        {
          g_autofree char *list = NULL;

          g_ptr_array_add (words, NULL);
          list = g_strjoinv (", ", (char **) words->pdata);
          g_ptr_array_add (llvm->problems,
                           g_strdup_printf ("This opt does not know all of the file, which it read without: %s", list));
          g_clear_error (&reason);
          g_bytes_unref (dump);
          dump = g_steal_pointer (&second);
        }
      else
        g_clear_pointer (&older, g_bytes_unref);
    }
  whole = dump != NULL ? show_whole (llvm, dump, older, cancellable) : NULL;
  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return whole != NULL ? g_steal_pointer (&whole) : g_steal_pointer (&dump);
}

static gboolean
holds_pass (GBytes *dump)
{
  gsize size = 0;
  const char *data = dump != NULL ? g_bytes_get_data (dump, &size) : NULL;

  return data != NULL && g_strstr_len (data, (gssize) size, "*** IR Dump After ") != NULL;
}

static gboolean
llvm_work (PhCall *call, GError **error)
{
  Llvm *llvm = call->data;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GBytes) dump = NULL;
  g_autoptr (GError) reason = NULL;

  ph_call_progress (call, "running LLVM's passes", -1);
  dump = run_passes (llvm, call->cancellable, &reason);
  llvm->died = reason != NULL;
  /* What a crash left is read as far as it goes: its steps lead to the pass that broke. */
  if (llvm->died && !holds_pass (dump))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (llvm->died)
    g_ptr_array_add (llvm->problems, g_strdup_printf ("%s. The steps are those of the passes before", reason->message));
  ph_call_progress (call, "reading what they did", -1);
  model = ph_snapshot_take (llvm->snapshot, (PhPosition) { 0, 0 });
  if (g_bytes_get_size (dump) == 0)
    {
      llvm->history = ph_history_new ();
      return TRUE;
    }
  llvm->history = ph_recording_follow (ph_format_find ("llvm-dump"), dump, llvm->path, model, "read by LLVM", llvm->problems,
                                       call->cancellable, error);
  return llvm->history != NULL;
}

static gboolean
llvm_finish (PhCall *call, GError **error)
{
  Llvm *llvm = call->data;
  guint steps = llvm->history->steps->len, changed = 0;
  Ran *ran;

  for (guint i = 0; i < steps; i++)
    changed += g_array_index (llvm->history->steps, PhStep, i).n_rewrites > 0;
  ph_document_truncate (call->document, (PhPosition) { 0, 0 });
  if (steps > 0)
    ph_document_take_recording (call->document, g_steal_pointer (&llvm->history));
  json_object_set_int_member (call->reply->json, "steps", steps);
  json_object_set_int_member (call->reply->json, "changed", changed);
  for (guint i = 0; i < llvm->problems->len; i++)
    ph_reply_say (call->reply, "problem: %s\n", (char *) llvm->problems->pdata[i]);
  ph_reply_say (call->reply, "%u passes ran, %u changed something\n", steps, changed);
  json_object_set_boolean_member (call->reply->json, "died", llvm->died);
  if (steps == 0)
    return TRUE;
  /* Passes after those of a run that died would die with it. */
  if (llvm->died)
    return ph_document_go (call->document, (PhPosition) { steps, 0 }, error);
  ran = g_new (Ran, 1);
  *ran = (Ran) { g_steal_pointer (&llvm->passes), ph_document_get_generation (call->document), steps };
  g_object_set_data_full (G_OBJECT (call->document), "llvm-passes", ran, ran_free);
  return ph_document_go (call->document, (PhPosition) { steps, 0 }, error);
}

static const PhCommand rows[] = {
  { "llvm", "PASSES", N_ ("Run LLVM's own passes over the open .ll file"),
    "`llvm mem2reg`, `llvm sroa,instcombine,gvn`, `llvm 'default<O2>'`: as in opt's -passes. Each pass that LLVM ran is a step, with what it changed. "
    "It needs opt, of any version from 14 on: Debian has it in llvm-19. The passes run in a process of their own, on the file as it is on disk; where LLVM's last ones ended, these run before the new ones once more.",
    N_ ("Run _LLVM's Passes…"), NULL, NULL, PH_CODE (llvm_begin, llvm_work, llvm_finish) },
  { "run llvm", "PASSES", N_ ("The same as `llvm PASSES`"), "`run llvm sroa` runs it as `run cse` runs a pass of Peephole's.",
    NULL, NULL, NULL, PH_CODE (llvm_begin, llvm_work, llvm_finish) },
  { "pipeline llvm", "PASSES", N_ ("The same as `llvm PASSES`"), "`pipeline llvm 'default<O2>'` runs a pipeline of LLVM's.", NULL,
    NULL, NULL, PH_CODE (llvm_begin, llvm_work, llvm_finish) },
};

const PhCommandGroup ph_commands_llvm = { rows, G_N_ELEMENTS (rows) };
