/* commands-compare.c: compare: what changes are counted from, and another model against this one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/console-private.h"

extern const PhPass ph_pass_compare;      /* passes/compare.c */

static void
compare_free (gpointer job)
{
  ph_job_free (job);
}

static void
reply_since (PhCall *call)
{
  PhHistory         *history = ph_document_get_history (call->document);
  PhPosition         a = ph_document_get_since (call->document), b = ph_document_get_position (call->document);
  g_autofree char   *from = ph_position_to_string (a), *to = ph_position_to_string (b);
  g_autoptr(PhDiff)  diff = ph_diff_new (history, ph_document_get_model (call->document), a, b);

  json_object_set_string_member (call->reply->json, "from", from);
  json_object_set_string_member (call->reply->json, "to", to);
  json_object_set_int_member (call->reply->json, "added", diff->n_added);
  json_object_set_int_member (call->reply->json, "removed", diff->n_removed);
  json_object_set_int_member (call->reply->json, "changed", diff->n_changed);
  ph_reply_say (call->reply, "changes are shown from %s to %s: +%u -%u ~%u (`diff` lists them)\n", from, to, diff->n_added, diff->n_removed,
                diff->n_changed);
}

static gboolean
is_position (const char *text)
{
  return g_ascii_isdigit (*text) || g_str_equal (text, ".") || g_str_equal (text, "end") ? !g_file_test (text, G_FILE_TEST_IS_REGULAR) : FALSE;
}

static gboolean
compare_begin (PhCall *call, GError **error)
{
  PhPosition since, to;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  if (call->argc == 0)
    {
      ph_document_set_since (call->document, NULL);
      reply_since (call);
      return TRUE;
    }
  if (call->argc == 1 && !is_position (call->argv[0]))
    {
      const char *const arguments[] = { call->argv[0], NULL };
      PhJob *job = ph_job_new (call->document, ph_document_get_position (call->document));

      ph_call_set_data (call, job, compare_free);
      ph_job_add_pass (job, &ph_pass_compare, arguments);
      ph_job_get_options (job)->allow = PH_LOSSY;
      return TRUE;
    }
  if (!ph_call_find_position (call, call->argv[0], &since, error)
      || (call->argc > 1 && (!ph_call_find_position (call, call->argv[1], &to, error) || !ph_document_go (call->document, to, error))))
    return FALSE;
  ph_document_set_since (call->document, &since);
  reply_since (call);
  return TRUE;
}

static gboolean
compare_work (PhCall *call, GError **error)
{
  if (call->data == NULL)
    return TRUE;
  ph_call_progress (call, "comparing", -1);
  return ph_job_run (call->data, call->cancellable, error);
}

static gboolean
compare_finish (PhCall *call, GError **error)
{
  if (call->data == NULL)
    return TRUE;
  if (!ph_document_take_job (call->document, call->data, TRUE, error))
    return FALSE;
  ph_document_set_since (call->document, NULL);
  ph_call_reply_position (call);
  reply_since (call);
  return TRUE;
}

static const PhCommand rows[] = {
  { "compare", "[STEP [STEP] | FILE]", "Show what changed since a position, or what another model has instead",
    "`compare 3` marks in every view what changed between step 3 and here, `compare 0 5` goes to step 5 first, `compare` counts from the "
    "step before again. `compare other.onnx` adds a step that turns this model into the other one: nodes are recognised by name, output "
    "and structure, so its picture and its `diff` show what differs. Steps ahead are dropped.",
    NULL, NULL, NULL, PH_CODE (compare_begin, compare_work, compare_finish) },
};
const PhCommandGroup ph_commands_compare = { rows, G_N_ELEMENTS (rows) };
