/* commands-along.c: along: the values of two positions side by side.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-table.h"
#include "core/prove/hunt/runner.h"
#include "core/run/inputs.h"

#define LINE_WIDTH 60
#define MAX_ROWS   20

typedef struct
{
  PhSnapshot *snapshot;
  GHashTable *feeds; /* name -> PhTensor */
  PhPosition a, b;
  double seed;
  gboolean all;
  char *runner;   /* (nullable) a program that computes @b, too: the only position then */
  PhAlong *along; /* (nullable)       */
} Along;

static void
along_free (gpointer data)
{
  Along *job = data;

  g_clear_pointer (&job->snapshot, ph_snapshot_free);
  g_clear_pointer (&job->feeds, g_hash_table_unref);
  g_clear_pointer (&job->along, ph_along_free);
  g_free (job->runner);
  g_free (job);
}

static gboolean
along_begin (PhCall *call, GError **error)
{
  Along *job = g_new0 (Along, 1);

  ph_call_set_data (call, job, along_free);
  job->seed = 1;
  job->all = ph_call_take_flag (call, "--all");
  if (!ph_call_need_open (call, error) || !ph_call_take_number (call, "--seed", &job->seed, error)
      || !ph_call_take_option (call, "--runner", &job->runner, error)
      || !ph_call_need_args (call, 0, job->runner != NULL ? 1 : 2, error))
    return FALSE;
  job->b = ph_document_get_position (call->document);
  if ((call->argc > 0 && !ph_call_find_position (call, call->argv[0], &job->a, error))
      || (call->argc > 1 && !ph_call_find_position (call, call->argv[1], &job->b, error)))
    return FALSE;
  if (job->runner != NULL)
    job->b = call->argc > 0 ? job->a : job->b;
  else if (ph_position_compare (job->a, job->b) == 0)
    return ph_call_usage (call, error, "there is nothing between the two positions: `along 0` compares here with the file");
  job->snapshot = ph_snapshot_new (call->document);
  job->feeds = ph_feeds_copy (ph_document_get_feeds (call->document));
  return TRUE;
}

static gboolean
along_work (PhCall *call, GError **error)
{
  Along *job = call->data;
  PhRunOptions options = { .cancellable = call->cancellable };
  g_autoptr (PhModel) before = NULL, after = NULL;

  if (job->runner != NULL)
    {
      before = ph_model_clone (ph_snapshot_at (job->snapshot, job->b));
      ph_snapshot_done (job->snapshot);
      ph_call_progress (call, "running the program", -1);
      job->along = ph_runner_along (job->runner, before, job->feeds, (guint64) job->seed, call->cancellable, error);
      return job->along != NULL;
    }
  ph_call_progress (call, "computing both", -1);
  before = ph_model_clone (ph_snapshot_at (job->snapshot, job->a));
  ph_snapshot_done (job->snapshot);
  after = ph_snapshot_take (job->snapshot, job->b);
  job->along = ph_along_new (before, after, job->feeds, (guint64) job->seed, &options, error);
  return job->along != NULL;
}

static void
add_row (JsonArray *rows, const PhAlongValue *value)
{
  JsonObject *row = ph_json_add_object (rows);
  g_autofree char *node = g_strdup_printf ("n%u", value->node);

  ph_json_set (row, "value", value->name);
  ph_json_set (row, "node", node);
  ph_json_set (row, "type", value->type);
  json_object_set_double_member (row, "max_abs", value->max_abs);
  json_object_set_double_member (row, "error", value->error);
  ph_json_set (row, "place", value->place);
  ph_json_set (row, "expected", value->expected);
  ph_json_set (row, "actual", value->why != NULL ? value->why : value->actual);
}

static gboolean
along_finish (PhCall *call, GError **error)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "value", "value", .style = PH_STYLE_KEY }, { "node", "node" }, { "type", "type", .minor = TRUE }, { "error", "error", .right = TRUE, .digits = 2 },
    { "place", "at", .minor = TRUE }, { "expected", "was" }, { "actual", "is" },
  };
  /* clang-format on */
  Along *job = call->data;
  const PhAlong *along = job->along;
  JsonArray *rows = ph_reply_array (call->reply, "values");
  g_autofree char *line = ph_along_line (along, LINE_WIDTH), *from = ph_position_to_string (job->a),
                  *to = ph_position_to_string (job->b);
  guint n_differ = 0, n_shown = 0;

  for (guint i = 0; i < along->values->len; i++)
    {
      const PhAlongValue *value = &g_array_index (along->values, PhAlongValue, i);
      const gboolean differs = !(value->error <= along->rounding);

      n_differ += differs ? 1 : 0;
      if (job->all || (differs && n_shown < MAX_ROWS))
        {
          add_row (rows, value);
          n_shown++;
        }
    }
  ph_json_set (call->reply->json, "from", job->runner != NULL ? NULL : from);
  ph_json_set (call->reply->json, "runner", job->runner);
  ph_json_set (call->reply->json, "to", to);
  json_object_set_int_member (call->reply->json, "common", along->values->len);
  json_object_set_int_member (call->reply->json, "only_before", along->n_before);
  json_object_set_int_member (call->reply->json, "only_after", along->n_after);
  json_object_set_int_member (call->reply->json, "different", n_differ);
  ph_json_set (call->reply->json, "line", line);
  ph_json_set (call->reply->json, "first",
               along->first < along->values->len ? g_array_index (along->values, PhAlongValue, along->first).name : NULL);
  if (job->runner != NULL)
    ph_reply_say (call->reply, "%s: %u of %u values differ between here and the program\n", to, n_differ, along->values->len);
  else
    ph_reply_say (call->reply,
                  "%s to %s: %u of %u values that both have differ; %u are only in the first, %u only in the second\n", from, to,
                  n_differ, along->values->len, along->n_before, along->n_after);
  ph_reply_say (call->reply, "%s\n", line);
  if (n_shown > 0)
    ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  if (!job->all && n_differ > n_shown)
    ph_reply_say (call->reply, "%u more differ behind them; --all shows every value\n", n_differ - n_shown);
  if (job->runner == NULL)
    ph_document_take_along (call->document, g_steal_pointer (&job->along), job->a, job->b);
  return TRUE;
}

static const PhCommand rows[] = {
  { "along", "[STEP [STEP]] [--all] [--seed N] [--runner PROGRAM]", "Compare every value that two positions have in common",
    "The file and here, or any two positions, are computed in double on the same inputs: those that are fed, the rest made up from --seed. Each "
    "value that stayed, or that has the same name, is compared, in the order in which they are computed; the bars show how large the error is "
    "from the first to the last, each a power of ten. The first row is where the error comes up, the rest is how it travels. After "
    "`compare other.onnx` it says so of two files. --all lists what agrees, too. With --runner each value of one position is "
    "computed here and by a program (see `verify`): the first that differs is made by the kernel to look at.",
    NULL, NULL, NULL, PH_CODE (along_begin, along_work, along_finish) },
};
const PhCommandGroup ph_commands_along = { rows, G_N_ELEMENTS (rows) };
