/* commands-kernels.c: kernels: the kernel that runs a node, the alternatives, their speed, and whether they agree.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-table.h"
#include "core/run/candidates.h"
#include "core/run/inputs.h"
#include "core/run/profile.h"

#define TIMED_RUNS 10
#define MAX_RUNS   1000

typedef struct
{
  PhSnapshot *snapshot;
  PhModel *model;    /* (nullable)                                  */
  GHashTable *named; /* name -> PhTensor                            */
  PhId node;         /* PH_NO_ID: all                               */
  gboolean time, compare;
  double runs, seed;
  PhProfile *profile; /* (nullable) of all nodes                     */
} Kernels;

static void
kernels_free (gpointer data)
{
  Kernels *job = data;

  g_clear_pointer (&job->profile, ph_profile_unref);
  g_clear_pointer (&job->named, g_hash_table_unref);
  g_clear_pointer (&job->snapshot, ph_snapshot_free);
  ph_model_discard (job->model);
  g_free (job);
}

/* Returns TRUE for compare-kernels, the command of a selected node's menu. */
static gboolean
is_comparison (const PhCall *call)
{
  return g_str_equal (call->command->name, "compare-kernels");
}

static gboolean
kernels_begin (PhCall *call, GError **error)
{
  Kernels *job = g_new0 (Kernels, 1);
  PhNode *node = NULL;

  ph_call_set_data (call, job, kernels_free);
  job->runs = TIMED_RUNS;
  job->seed = 1;
  if (!ph_call_need_open (call, error) || !ph_call_take_number (call, "--runs", &job->runs, error)
      || !ph_call_take_number (call, "--random", &job->seed, error))
    return FALSE;
  job->time = ph_call_take_flag (call, "--time") || is_comparison (call);
  job->compare = ph_call_take_flag (call, "--compare") || is_comparison (call);
  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (!(job->runs >= 1 && job->runs <= MAX_RUNS))
    return ph_call_usage (call, error, "--runs is a number from 1 to %d", MAX_RUNS);
  if (!(job->seed >= 0))
    return ph_call_usage (call, error, "--random is a number from 0 on");
  if (call->argc == 0 && (job->time || job->compare))
    node = ph_model_find_node (ph_document_get_model (call->document), ph_document_get_selection (call->document));
  if (call->argc == 0 && node == NULL && (job->time || job->compare))
    return ph_call_usage (call, error, "%s is of one node: say which, or select it", job->compare ? "--compare" : "--time");
  if (call->argc > 0 && (node = ph_call_find_node (call, call->argv[0], error)) == NULL)
    return FALSE;
  job->node = node != NULL ? node->id : PH_NO_ID;
  job->snapshot = ph_snapshot_new (call->document);
  job->named = ph_feeds_copy (ph_document_get_feeds (call->document));
  return TRUE;
}

/* ── of one node ── */

static void
reply_node (PhCall *call, const Kernels *job, const GArray *candidates)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "mark", "" }, { "kernel", "kernel", .style = PH_STYLE_KEY }, { "priority", "priority", .right = TRUE }, { "why", "", .sentence = TRUE },
  };
  static const PhColumn measured[] = {
    { "mark", "" }, { "kernel", "kernel", .style = PH_STYLE_KEY }, { "priority", "priority", .right = TRUE },
    { "ms", "ms", .right = TRUE, .digits = 4 }, { "packed", "packed", .right = TRUE }, { "max_abs", "difference", .right = TRUE, .digits = 3 },
    { "place", "where", .minor = TRUE }, { "why", "", .sentence = TRUE },
  };
  /* clang-format on */
  const PhNode *node = ph_model_find_node (job->model, job->node);
  g_autofree char *label = ph_node_label (node);
  JsonArray *rows = ph_reply_array (call->reply, "kernels");
  const gboolean all = job->time || job->compare;

  json_object_set_int_member (call->reply->json, "id", job->node);
  ph_json_set (call->reply->json, "op", node->op_type);
  ph_reply_say (call->reply, PH_STYLE_BOLD "%s" PH_STYLE_RESET "\n", label);
  for (guint i = 0; i < candidates->len; i++)
    {
      const PhCandidate *candidate = &g_array_index (candidates, PhCandidate, i);
      JsonObject *row = ph_json_add_object (rows);

      ph_json_set (row, "mark", candidate->ran ? "→" : "");
      ph_json_set (row, "kernel", candidate->name);
      json_object_set_int_member (row, "priority", candidate->priority);
      json_object_set_boolean_member (row, "takes", candidate->takes);
      json_object_set_boolean_member (row, "chosen", candidate->ran);
      if (candidate->ns >= 0)
        json_object_set_double_member (row, "ms", (double) candidate->ns / 1e6);
      else
        json_object_set_null_member (row, "ms");
      json_object_set_int_member (row, "packed", (gint64) candidate->packed);
      if (candidate->max_abs >= 0)
        json_object_set_double_member (row, "max_abs", candidate->max_abs);
      else
        json_object_set_null_member (row, "max_abs");
      ph_json_set (row, "place", candidate->place);
      ph_json_set (row, "why", candidate->why);
    }
  ph_reply_table (call->reply, rows, all ? measured : columns, all ? G_N_ELEMENTS (measured) : G_N_ELEMENTS (columns));
  if (job->compare && candidates->len == 1)
    ph_reply_say (call->reply, "it has no kernel to compare with\n");
}

/* ── of all ── */

/* Nodes of one operator that one kernel ran. */
typedef struct
{
  const char *op, *kernel, *layout;
  guint n;
  gint64 packed;
  GString *others;
} Sum;

static void
clear_sum (gpointer data)
{
  g_string_free (((Sum *) data)->others, TRUE);
}

static Sum *
find_sum (GArray *sums, const char *op, const PhNodeTime *time)
{
  Sum sum = { op, time->kernel, time->layout, 0, 0, NULL };

  for (guint i = 0; i < sums->len; i++)
    {
      Sum *other = &g_array_index (sums, Sum, i);

      if (other->op == op && other->kernel == time->kernel && other->layout == time->layout)
        return other;
    }
  sum.others = g_string_new (NULL);
  g_array_append_val (sums, sum);
  return &g_array_index (sums, Sum, sums->len - 1);
}

static int
compare_sums (gconstpointer a, gconstpointer b)
{
  const Sum *x = a, *y = b;

  return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : g_strcmp0 (x->op, y->op);
}

static void
reply_all (PhCall *call, const Kernels *job)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "op", "operator", .style = PH_STYLE_KEY }, { "kernel", "kernel" }, { "nodes", "nodes", .right = TRUE }, { "layout", "layout" },
    { "packed", "packed", .right = TRUE }, { "others", "registered", .sentence = TRUE },
  };
  /* clang-format on */
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (Sum));
  const GArray *candidates = ph_profile_candidates (job->profile);
  JsonArray *rows = ph_reply_array (call->reply, "operators");

  g_array_set_clear_func (sums, clear_sum);
  for (guint i = 0; i < candidates->len; i++)
    {
      const PhCandidate *candidate = &g_array_index (candidates, PhCandidate, i);
      const PhNode *node = ph_model_find_node (job->model, candidate->node);
      const PhNodeTime *time = ph_profile_find (job->profile, candidate->node);
      Sum *sum;

      if (node == NULL || time == NULL)
        continue;
      sum = find_sum (sums, node->op_type, time);
      if (i == 0 || g_array_index (candidates, PhCandidate, i - 1).node != candidate->node)
        {
          sum->n++;
          sum->packed += time->packed;
        }
      if (sum->n == 1)
        g_string_append_printf (sum->others, "%s%s", sum->others->len > 0 ? ", " : "", candidate->name);
    }
  g_array_sort (sums, compare_sums);
  for (guint i = 0; i < sums->len; i++)
    {
      const Sum *sum = &g_array_index (sums, Sum, i);
      JsonObject *row = ph_json_add_object (rows);

      ph_json_set (row, "op", sum->op);
      ph_json_set (row, "kernel", sum->kernel);
      json_object_set_int_member (row, "nodes", sum->n);
      ph_json_set (row, "layout", sum->layout);
      json_object_set_int_member (row, "packed", sum->packed);
      ph_json_set (row, "others", sum->others->str);
    }
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  ph_reply_say (call->reply, PH_STYLE_DIM
                "`kernels NODE` says why, --time and --compare try them; `select * from kernels` has every node" PH_STYLE_RESET
                "\n");
}

static gboolean
kernels_work (PhCall *call, GError **error)
{
  Kernels *job = call->data;
  PhRunOptions options = { .cancellable = call->cancellable };
  g_autoptr (GHashTable) feeds = NULL, results = NULL;
  g_autoptr (GArray) candidates = NULL;

  ph_call_progress (call, job->time ? "measuring" : "computing", -1);
  job->model = ph_snapshot_take (job->snapshot, ph_snapshot_get_history (job->snapshot)->position);
  feeds = ph_inputs_find (job->model, job->named, PH_INPUTS_NORMAL, (guint64) job->seed, NULL, &options, &results, error);
  if (feeds == NULL)
    return FALSE;
  if (job->node != PH_NO_ID)
    {
      candidates = ph_kernel_study (job->model, feeds, job->node, job->time ? (guint) job->runs : 0, job->compare, &options,
                                    error);
      if (candidates != NULL)
        reply_node (call, job, candidates);
      return candidates != NULL;
    }
  job->profile = ph_profile_model (job->model, feeds, 1, &options, error);
  if (job->profile == NULL)
    return FALSE;
  reply_all (call, job);
  return TRUE;
}

static gboolean
kernels_finish (PhCall *call, GError **error)
{
  Kernels *job = call->data;

  if (job->profile != NULL && ph_document_get_profile (call->document) == NULL)
    ph_document_take_profile (call->document, g_steal_pointer (&job->profile));
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "kernels", "[NODE] [--time] [--compare] [--runs N] [--random SEED]", N_ ("Say which kernels run the nodes, and which else could"),
    "Alone it computes the outputs and says of each operator which kernel ran it, in which order its result lies, and which kernels are "
    "registered for it. Of a NODE it says why one was chosen and why the others were not; --time measures each on what the node reads "
    "here, N times (10), --compare computes the node by each and says how far its result is from the reference kernel's, and where. What "
    "is not fed is made up from SEED. `set kernel NODE NAME` chooses another; the table kernels has every node: "
    "`select op, kernel, count(*) from kernels where ran group by 1, 2`.",
    NULL, NULL, NULL, PH_CODE (kernels_begin, kernels_work, kernels_finish) },
  { "compare-kernels", "[NODE]", N_ ("Compute a node by each of its kernels, and compare and time them"),
    "The same as `kernels NODE --time --compare`, of the node that is selected.",
    N_ ("Compare Its _Kernels"), NULL, NULL, PH_CODE (kernels_begin, kernels_work, kernels_finish) },
};
/* clang-format on */
const PhCommandGroup ph_commands_kernels = { rows, G_N_ELEMENTS (rows) };
