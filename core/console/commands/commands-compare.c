/* commands-compare.c: compare: the position from which changes are counted, and comparison with another model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-script.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-text.h"
#include "core/discard.h"

extern const PhPass ph_pass_compare; /* passes/compare.c */

typedef struct
{
  PhJob *job;   /* (nullable) turns the model into another */
  PhDiff *diff; /* (nullable) until it is worked out            */
  char *before; /* (nullable) the comparison whose place it takes */
} Compare;

static void
compare_free (gpointer data)
{
  Compare *compare = data;

  g_clear_pointer (&compare->job, ph_job_free);
  ph_discard (compare->diff, (GDestroyNotify) ph_diff_free);
  g_free (compare->before);
  g_free (compare);
}

static void
reply_since (PhCall *call, const PhDiff *diff)
{
  PhPosition a = ph_document_get_since (call->document), b = ph_document_get_position (call->document);
  g_autofree char *from = ph_position_to_string (a), *to = ph_position_to_string (b);

  json_object_set_string_member (call->reply->json, "from", from);
  json_object_set_string_member (call->reply->json, "to", to);
  json_object_set_int_member (call->reply->json, "added", diff->n_added);
  json_object_set_int_member (call->reply->json, "removed", diff->n_removed);
  json_object_set_int_member (call->reply->json, "changed", diff->n_changed);
  ph_reply_say (call->reply, "changes are shown from %s to %s: +%u -%u ~%u (`diff` lists them)\n", from, to, diff->n_added,
                diff->n_removed, diff->n_changed);
}

static gboolean
is_position (const char *text)
{
  return g_ascii_isdigit (*text) || g_str_equal (text, ".") || g_str_equal (text, "end")
             ? !g_file_test (text, G_FILE_TEST_IS_REGULAR)
             : FALSE;
}

/* Returns the present position or, if the last step is a comparison, the one before it, since the model after it is the other one. @before:
 * (out) that comparison (transfer full) */
static PhPosition
compared_position (PhDocument *document, char **before)
{
  PhHistory *history = ph_document_get_history (document);
  const PhPosition at = ph_document_get_position (document);
  const guint step = at.rewrite > 0 ? at.step : at.step - 1;
  const char *pass = step < history->steps->len ? g_array_index (history->steps, PhStep, step).pass : "";

  if (!g_str_has_prefix (pass, "compare "))
    return at;
  *before = g_strdup (pass);
  return (PhPosition) { step, 0 };
}

static gboolean
compare_begin (PhCall *call, GError **error)
{
  Compare *compare;
  PhPosition since, to;

  if (ph_call_names_function (call))
    return ph_call_read_function (call, TRUE, error);
  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  compare = g_new0 (Compare, 1);
  ph_call_set_data (call, compare, compare_free);
  if (call->argc == 0)
    {
      ph_document_set_since (call->document, NULL);
      ph_call_read (call, ph_document_get_position (call->document));
      return TRUE;
    }
  if (call->argc == 1 && !is_position (call->argv[0]))
    {
      const char *const arguments[] = { call->argv[0], NULL };
      const gsize name = strspn (call->argv[0], G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");

      if (name > 0 && call->argv[0][name] == '(' && g_str_has_suffix (call->argv[0], ")")
          && !g_file_test (call->argv[0], G_FILE_TEST_EXISTS))
        {
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                       "there is no function '%.*s': define it with def, or run its file by `source`", (int) name, call->argv[0]);
          return FALSE;
        }
      compare->job = ph_job_new (call->document, compared_position (call->document, &compare->before));
      ph_job_add_pass (compare->job, &ph_pass_compare, arguments);
      ph_job_get_options (compare->job)->allow = PH_LOSSY;
      return TRUE;
    }
  if (!ph_call_find_position (call, call->argv[0], &since, error)
      || (call->argc > 1
          && (!ph_call_find_position (call, call->argv[1], &to, error) || !ph_document_go (call->document, to, error))))
    return FALSE;
  ph_document_set_since (call->document, &since);
  ph_call_read (call, ph_document_get_position (call->document));
  return TRUE;
}

static gboolean
compare_work (PhCall *call, GError **error)
{
  Compare *compare = call->data;
  PhHistory *history;

  if (ph_call_names_function (call))
    return ph_call_compare_function (call, error);
  ph_call_progress (call, "comparing", -1);
  if (compare->job == NULL)
    {
      compare->diff = ph_diff_new (call->history, call->model, call->since, call->at);
      return TRUE;
    }
  if (!ph_job_run (compare->job, call->cancellable, error))
    return FALSE;
  history = ph_job_get_history (compare->job);
  compare->diff = ph_diff_new (history, ph_job_get_model (compare->job), ph_history_previous (history, history->position, FALSE),
                               history->position);
  return TRUE;
}

static gboolean
compare_finish (PhCall *call, GError **error)
{
  Compare *compare = call->data;

  if (ph_call_names_function (call))
    return ph_call_reply_comparison (call);
  if (compare->job != NULL)
    {
      if (!ph_document_take_job (call->document, compare->job, TRUE, error))
        return FALSE;
      ph_document_set_since (call->document, NULL);
      ph_call_reply_position (call);
      if (compare->before != NULL)
        ph_reply_say (call->reply, "with the model before `%s`, which is dropped\n", compare->before);
    }
  reply_since (call, compare->diff);
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "compare", "[STEP [STEP] | FILE | FUNCTION(ARGUMENTS) [--inputs N]]", "Show what changed since a position, what another model has instead, or a function run in three ways",
    "`compare 3` marks in every view what changed between step 3 and here, `compare 0 5` goes to step 5 first, `compare` counts from the "
    "step before again. `compare other.onnx` adds a step that turns this model into the other one: nodes are recognised by name, output "
    "and structure, so its picture and its `diff` show what differs. Steps ahead are dropped, and so is a comparison just before. `compare f(x)` shows the source of a function, "
    "one run of it as a graph and its source compiled to one, line by line, runs all three on other inputs (20, or --inputs N), and says on which the "
    "trace is wrong and which line decided otherwise there; then what each way takes.",
    NULL, NULL, NULL, PH_CODE (compare_begin, compare_work, compare_finish) },
};
/* clang-format on */
const PhCommandGroup ph_commands_compare = { rows, G_N_ELEMENTS (rows) };
