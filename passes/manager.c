/* manager.c: the registry of passes, and the running of one as a step of the history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

#include "core/graph/growth.h"
#include "core/large-pages.h"
#include "core/ops/verify.h"
#include "core/opset/opset.h"
#include "passes/pass-list.h"

#include <string.h>

#define HEAP_PER_NODE ((gsize) 2 << 10) /* bytes that all of O3 allocates, for each node of the model */

#define PH_PASS_ROW(name_) &ph_pass_##name_,
extern const PhPass ph_pass_exec; /* external.c */
static const PhPass *const builtin[] = { PH_PASSES (PH_PASS_ROW) & ph_pass_exec };

/* Built-in passes and those added later. Lists returned earlier stay valid. */
static GMutex lock;
static GPtrArray *added; /* (nullable) (element-type PhPass) all passes, once one was added */
static GSList *former;   /* (element-type GPtrArray) earlier lists, which callers may still be iterating */

const PhPass *const *
ph_pass_list (guint *n)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  *n = added != NULL ? added->len : G_N_ELEMENTS (builtin);
  return added != NULL ? (const PhPass *const *) added->pdata : builtin;
}

const PhPass *
ph_pass_find (const char *name)
{
  guint n;
  const PhPass *const *list = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (list[i]->name, name))
      return list[i];
  return NULL;
}

gboolean
ph_pass_is_builtin (const PhPass *pass)
{
  for (guint i = 0; i < G_N_ELEMENTS (builtin); i++)
    if (builtin[i] == pass)
      return TRUE;
  return FALSE;
}

gboolean
ph_pass_register (const PhPass *pass, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  GPtrArray *next = g_ptr_array_new ();
  guint n = added != NULL ? added->len : G_N_ELEMENTS (builtin);
  const PhPass *const *list = added != NULL ? (const PhPass *const *) added->pdata : builtin;
  gboolean replaced = FALSE;

  for (guint i = 0; i < n; i++)
    {
      gboolean same = g_str_equal (list[i]->name, pass->name);

      if (same && i < G_N_ELEMENTS (builtin))
        {
          g_ptr_array_unref (next);
          g_set_error (error, PH_ERROR, PH_ERROR_INVALID, "there already is a pass '%s': give yours another name", pass->name);
          return FALSE;
        }
      g_ptr_array_add (next, (gpointer) (same ? pass : list[i]));
      replaced |= same;
    }
  if (!replaced)
    g_ptr_array_add (next, (gpointer) pass);
  if (added != NULL)
    former = g_slist_prepend (former, added);
  added = next;
  return TRUE;
}

PhExactness
ph_pass_exactness (const PhPass *pass)
{
  PhExactness least = pass->exactness;

  for (guint i = 0; i < pass->n_rules; i++)
    least = MAX (least, pass->rules[i].exactness);
  return least;
}

gboolean
ph_rule_may_match (const PhRule *rule, PhModel *model, GPtrArray *lacking)
{
  const PhOp *const one[] = { rule->find != NULL ? ph_pattern_lacks (rule->find, model) : rule->root, NULL };
  const PhOp *const *ops = rule->find == NULL && rule->root == NULL && rule->needs != NULL ? rule->needs : one;
  gboolean may = ops[0] == NULL;

  for (guint i = 0; ops[i] != NULL && !may; i++)
    may = ph_model_has_op (model, ops[i]);
  for (guint i = 0; lacking != NULL && ops[i] != NULL && !may; i++)
    g_ptr_array_add (lacking, (gpointer) ops[i]);
  return may;
}

char *
ph_rule_to_string (const PhRule *rule)
{
  GString *out = g_string_new (NULL);

  if (rule->matches != NULL)
    g_string_append (out, rule->matches);
  else if (rule->find != NULL)
    ph_pattern_print (rule->find, NULL, out);
  else
    g_string_append (out, rule->root != NULL ? rule->root->name : "any");
  g_string_append (out, " => ");
  if (rule->becomes != NULL)
    g_string_append (out, rule->becomes);
  else if (rule->replace != NULL)
    ph_pattern_print (rule->replace, NULL, out);
  else
    g_string_append (out, "...");
  return g_string_free (out, FALSE);
}

PhModel *
ph_pass_run_model (PhPassRun *run)
{
  return run->model;
}

const PhPassOptions *
ph_pass_run_options (PhPassRun *run)
{
  return run->options;
}

gboolean
ph_pass_has_rule (PhPassRun *run, const char *rule)
{
  const gsize length = strlen (run->pass->name);

  for (guint i = 0; run->options->rules_off != NULL && run->options->rules_off[i] != NULL; i++)
    {
      const char *off = run->options->rules_off[i];

      if (strncmp (off, run->pass->name, length) == 0 && off[length] == '/' && g_str_equal (off + length + 1, rule))
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_pass_begin (PhPassRun *run, const char *rule, PhNode *node, const char *why)
{
  if (run->n_rewrites >= run->options->limit || g_cancellable_is_cancelled (run->options->cancellable))
    run->stopped = TRUE;
  if (run->stopped || !ph_pass_has_rule (run, rule))
    return FALSE;
  run->first_edit = run->history->edits->len;
  ph_history_begin_rewrite (run->history, rule, node != NULL ? node->id : PH_NO_ID, why);
  return TRUE;
}

void
ph_pass_end (PhPassRun *run)
{
  if (run->history->edits->len > run->first_edit)
    ph_pass_refine (run);
  if (!ph_history_end_rewrite (run->history))
    return;
  run->n_rewrites++;
  if (run->model->next_id >= run->next_count && !run->stopped)
    {
      run->next_count = run->model->next_id + MAX (ph_growth_get_budget () / 4, 1);
      run->stopped = !ph_growth_check ((gint64) ph_model_n_nodes (run->model, TRUE) - run->n_nodes, &run->error);
    }
  if (run->options->progress != NULL && run->n_rewrites % 32 == 0)
    run->options->progress (run->pass->name, run->n_rewrites, run->options->progress_data);
}

void
ph_pass_abort (PhPassRun *run)
{
  ph_history_abort_rewrite (run->history, run->model);
}

gboolean
ph_pass_close (PhPassRun *run, gboolean ok)
{
  if (ok)
    ph_pass_end (run);
  else
    ph_pass_abort (run);
  return ok;
}

void
ph_pass_note (PhPassRun *run, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  if (run->note == NULL)
    run->note = g_string_new (NULL);
  if (strstr (run->note->str, text) == NULL)
    g_string_append_printf (run->note, "%s%s", run->note->len > 0 ? "; " : "", text);
}

gboolean
ph_pass_run_inside (PhPassRun *run, const char *name, GError **error)
{
  const PhPass *own = run->pass;
  gboolean ok;

  run->pass = ph_pass_find (name);
  ok = run->pass->run != NULL ? run->pass->run (run, error) : ph_pass_run_rules (run, error);
  run->pass = own;
  return ok;
}

static char *
step_name (const PhPass *pass, const PhPassOptions *options)
{
  g_autofree char *arguments = NULL;

  if (options->arguments == NULL || options->arguments[0] == NULL)
    return g_strdup (pass->name);
  arguments = pass->takes_file ? g_filename_display_basename (options->arguments[0])
                               : g_strjoinv (" ", (char **) options->arguments);
  return g_strdup_printf ("%s %s", pass->name, arguments);
}

#define MAX_REPEATS 64

static gboolean
run_once (PhPassRun *run, GError **error)
{
  const PhPass *pass = run->pass;

  if (pass->run == NULL)
    return ph_pass_run_rules (run, error);
  return pass->exactness > run->options->allow || pass->run (run, error);
}

/* Fails if weights could not be read, since a pass has decided on wrong values. */
static gboolean
check_read (PhPassRun *run, GError **error)
{
  if (ph_tensor_take_fault (error))
    return TRUE;
  g_prefix_error (error, "%s: ", run->pass->name);
  return FALSE;
}

static gboolean
run_pass (PhPassRun *run, GError **error)
{
  const PhPass *pass = run->pass;
  guint before = 0;

  for (guint i = 0; i == 0 || (run->options->repeat && run->n_rewrites > before && !run->stopped); i++)
    {
      before = run->n_rewrites;
      if (i == MAX_REPEATS)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_CONVERGED,
                       "%s: after %d runs in a row it still rewrites something, so it has no fixed "
                       "point",
                       pass->name, MAX_REPEATS);
          return FALSE;
        }
      if (!run_once (run, error))
        return FALSE;
    }
  if (g_cancellable_set_error_if_cancelled (run->options->cancellable, NULL))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_CANCELLED, "%s: cancelled", pass->name);
      return FALSE;
    }
  if (run->options->verify && !ph_model_verify (run->model, error))
    {
      (*error)->code = PH_ERROR_BAD_RULE;
      g_prefix_error (error, "%s broke the graph, which is as it was before: ", pass->name);
      return FALSE;
    }
  return TRUE;
}

/* Returns TRUE if the model can still be written at the highest opset of the run. The engine only checks for operators that do not exist
 * there; passes with a function, and forms without an equivalent, are checked here. */
static gboolean
keeps_opset (PhPassRun *run)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (PhModel) lowered = NULL;
  g_autofree char *why = NULL;

  if (run->options->max_opset <= 0 || run->n_rewrites == 0 || run->options->keep_opset
      || ph_model_opset (run->model, "") < PH_OPSET_NEWEST || ph_model_is_in_form (run->model, run->options->max_opset))
    return TRUE;
  lowered = ph_model_lowered (run->model, run->options->max_opset, NULL, &why, &local);
  if (lowered == NULL)
    ph_pass_note (run, "%s is skipped: %s", run->pass->name, why);
  return lowered != NULL;
}

gboolean
ph_pass_run (const PhPass *pass, PhModel *model, PhHistory *history, const PhPassOptions *options, GError **error)
{
  PhPassOptions defaults = PH_PASS_OPTIONS_DEFAULT;
  PhPassRun run = { .pass = pass, .model = model, .history = history, .options = options != NULL ? options : &defaults };
  gint64 start = g_get_monotonic_time ();
  g_autofree char *name = step_name (pass, run.options);
  GError *local = NULL;
  gboolean ok;

  if (pass->needs_arguments && (run.options->arguments == NULL || run.options->arguments[0] == NULL))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s needs arguments: see help %s", pass->name, pass->name);
      return FALSE;
    }

  /* Merging two equal values, for example, changes the derivative with respect to one of them. */
  if (!pass->keeps_values && ph_model_has_op (model, &ph_op_Gradient))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                   "%s: the model has a Gradient, which refers to values by name, "
                   "and this pass might change them: run expand-gradient first",
                   pass->name);
      return FALSE;
    }

  ph_history_begin_step (history, model, name);
  ph_tensor_take_fault (NULL);
  run.n_nodes = ph_model_n_nodes (model, TRUE);
  ph_heap_ready (HEAP_PER_NODE * (gsize) run.n_nodes);
  run.next_count = model->next_id + ph_growth_get_budget ();
  ok = run_pass (&run, &local);
  if (run.error != NULL)
    {
      g_clear_error (&local);
      g_propagate_prefixed_error (&local, run.error, "%s: ", pass->name);
      ok = FALSE;
    }
  if (ok)
    ok = check_read (&run, &local);
  if (ok && !keeps_opset (&run))
    {
      ph_history_abort_step (history, model);
      ph_history_begin_step (history, model, name);
    }
  if (ok)
    {
      ph_history_end_step (history, model, (g_get_monotonic_time () - start) / 1000.0);
      if (run.note != NULL)
        g_array_index (history->steps, PhStep, history->steps->len - 1).note = ph_intern (run.note->str);
    }
  else
    {
      ph_history_abort_step (history, model);
      /* The failure of an external program is a result: a step to inspect. */
      if (g_error_matches (local, PH_ERROR, PH_ERROR_CRASHED) || g_error_matches (local, PH_ERROR, PH_ERROR_BAD_MODEL))
        {
          ph_history_begin_step (history, model, name);
          ph_history_end_step (history, model, (g_get_monotonic_time () - start) / 1000.0)->failure = ph_intern (local->message);
        }
      g_propagate_error (error, local);
    }
  if (run.note != NULL)
    g_string_free (run.note, TRUE);
  return ok;
}
