/* commands-profile.c: profile: the time spent in each part of a computation.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/reply-table.h"
#include "core/draw/roofline.h"
#include "core/number.h"
#include "core/replace.h"
#include "core/run/inputs.h"
#include "core/run/peaks.h"
#include "core/run/profile.h"

#define MAX_RUNS 1000

typedef struct
{
  PhSnapshot *snapshot; /* cloned by the worker */
  PhModel *model;       /* (nullable)              */
  GHashTable *named;    /* name -> PhTensor        */
  PhProfile *profile;   /* (nullable)              */
  double runs, top;
  gint64 seed; /* -1: only the feeds      */
  gboolean by_op, reference;
  char *roofline; /* (nullable) a file       */
} Profile;

static void
profile_free (gpointer data)
{
  Profile *job = data;

  g_clear_pointer (&job->profile, ph_profile_unref);
  g_free (job->roofline);
  g_clear_pointer (&job->named, g_hash_table_unref);
  g_clear_pointer (&job->snapshot, ph_snapshot_free);
  ph_model_discard (job->model);
  g_free (job);
}

static gboolean
profile_begin (PhCall *call, GError **error)
{
  Profile *job = g_new0 (Profile, 1);
  g_autofree char *roofline = NULL;
  double seed = -1;

  ph_call_set_data (call, job, profile_free);
  job->runs = 5;
  job->top = 20;
  if (!ph_call_need_open (call, error) || !ph_call_take_number (call, "--runs", &job->runs, error)
      || !ph_call_take_number (call, "--top", &job->top, error) || !ph_call_take_number (call, "--random", &seed, error)
      || !ph_call_take_option (call, "--roofline", &roofline, error))
    return FALSE;
  if (roofline != NULL && !g_str_has_suffix (roofline, ".svg"))
    return ph_call_usage (call, error, "--roofline writes an .svg, not '%s'", roofline);
  job->roofline = roofline != NULL ? ph_expand_home (roofline) : NULL;
  job->by_op = ph_call_take_flag (call, "--ops");
  job->reference = ph_call_take_flag (call, "--reference");
  if (!ph_call_need_args (call, 0, 0, error))
    return FALSE;
  if (!(job->runs >= 1 && job->runs <= MAX_RUNS))
    return ph_call_usage (call, error, "--runs is a number from 1 to %d", MAX_RUNS);
  if (!(job->top >= 1 && job->top <= G_MAXINT))
    return ph_call_usage (call, error, "--top is a number from 1 on");
  job->seed = seed >= 0 ? (gint64) seed : -1;
  job->snapshot = ph_snapshot_new (call->document);
  job->named = ph_feeds_copy (ph_document_get_feeds (call->document));
  return TRUE;
}

static void
run_progress (guint done, guint total, gpointer data)
{
  ph_call_progress (data, "measuring", total > 0 ? (double) done / total : -1);
}

/* Adds the numbers of one node, or of all nodes of one operator. */
static void
add_numbers (JsonObject *row, const PhNodeTime *time, gint64 total, const PhPeaks *peaks)
{
  json_object_set_int_member (row, "calls", time->calls);
  json_object_set_double_member (row, "ms", time->ns / 1e6);
  json_object_set_double_member (row, "share", total > 0 ? (double) time->ns / total : 0);
  ph_json_set (row, "kernel", time->kernel);
  ph_json_set (row, "layout", time->layout);
  json_object_set_int_member (row, "packed", time->packed);
  json_object_set_boolean_member (row, "in_place", time->in_place);
  json_object_set_int_member (row, "bytes", time->bytes);
  if (time->flops >= 0)
    json_object_set_int_member (row, "flops", time->flops);
  else
    json_object_set_null_member (row, "flops");
  if (time->flops >= 0 && time->ns > 0)
    json_object_set_double_member (row, "gflops_per_s", (double) time->flops / time->ns);
  else
    json_object_set_null_member (row, "gflops_per_s");
  if (time->ns > 0)
    json_object_set_double_member (row, "gbytes_per_s", (double) time->bytes / time->ns);
  else
    json_object_set_null_member (row, "gbytes_per_s");
  if (ph_peaks_reached (peaks, time) >= 0)
    json_object_set_double_member (row, "reached", ph_peaks_reached (peaks, time));
  else
    json_object_set_null_member (row, "reached");
}

/* Adds up the times of all nodes of one operator, without nodes in bodies, whose times their owners include. */
static GArray *
add_up (Profile *job, const PhNodeTime *times, guint n, GPtrArray *names)
{
  GArray *sums = g_array_new (FALSE, TRUE, sizeof (PhNodeTime));
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < n; i++)
    {
      const PhNode *node = ph_model_find_node (job->model, times[i].node);
      guint place;
      PhNodeTime *sum;

      if (node == NULL || times[i].inside)
        continue;
      place = GPOINTER_TO_UINT (g_hash_table_lookup (places, node->op_type));
      if (place == 0)
        {
          g_array_set_size (sums, sums->len + 1);
          g_ptr_array_add (names, (gpointer) node->op_type);
          place = sums->len;
          g_hash_table_insert (places, (gpointer) node->op_type, GUINT_TO_POINTER (place));
        }
      sum = &g_array_index (sums, PhNodeTime, place - 1);
      sum->node = place; /* to find its name after sorting */
      sum->calls += times[i].calls;
      sum->ns += times[i].ns;
      sum->bytes += times[i].bytes;
      sum->packed += times[i].packed;
      sum->kernel = sum->calls == times[i].calls || sum->kernel == times[i].kernel ? times[i].kernel : "several";
      sum->layout = sum->calls == times[i].calls || sum->layout == times[i].layout ? times[i].layout : NULL;
      sum->in_place = times[i].in_place && (sum->in_place || sum->calls == times[i].calls);
      sum->flops = times[i].flops < 0 || sum->flops < 0 ? -1 : sum->flops + times[i].flops;
    }
  return sums;
}

static int
slower_first (gconstpointer a, gconstpointer b)
{
  const PhNodeTime *x = a, *y = b;

  return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Columns of numbers go where the terminal has no room for them. */
static gboolean
is_narrow (const PhReply *reply)
{
  return reply->width > 0 && reply->width < 110 && !reply->wide && reply->mode == PH_TABLES_TABLE;
}

/* Formats a row for people: shares in per cent, times with few digits. */
static void
say_row (PhCall *call, JsonObject *row, const char *label, const PhNodeTime *time)
{
  g_autofree char *size = ph_size_to_string (time->bytes);
  const double rate = time->flops >= 0 && time->ns > 0 ? (double) time->flops / time->ns : 0;
  g_autofree char *ops = rate > 0 ? ph_number_to_string ("%.2f", rate) : g_strdup ("");
  g_autofree char *roof = json_object_get_null_member (row, "reached")
                              ? g_strdup ("")
                              : g_strdup_printf ("%.0f%%", 100 * json_object_get_double_member (row, "reached"));

  if (is_narrow (call->reply))
    {
      const guint room = MAX (call->reply->width, 50) - 40;
      const gboolean cut = g_utf8_strlen (label, -1) > (glong) room;
      g_autofree char *start = cut ? g_utf8_substring (label, 0, room - 1) : g_strdup (label);

      ph_reply_say (call->reply, "%9.3f %6.1f%% %6s  %-12s  " PH_STYLE_KEY "%s%s" PH_STYLE_RESET "\n", time->ns / 1e6,
                    100 * json_object_get_double_member (row, "share"), roof, time->kernel, start, cut ? "…" : "");
      return;
    }
  ph_reply_say (call->reply, "%10.3f %6.1f%% %6u  %12s %9s %7.2f %6s  %-16s", time->ns / 1e6,
                100 * json_object_get_double_member (row, "share"), time->calls, size, ops,
                time->ns > 0 ? (double) time->bytes / time->ns : 0, roof, time->kernel);
  ph_reply_say (call->reply, "  " PH_STYLE_KEY "%s" PH_STYLE_RESET "%s\n", label,
                time->inside ? PH_STYLE_DIM "  inside a body" PH_STYLE_RESET : "");
}

static void
reply_profile (PhCall *call, Profile *job)
{
  const gint64 total = ph_profile_total (job->profile);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GArray) sums = NULL;
  JsonArray *rows;
  const PhNodeTime *times;
  const PhPeaks *peaks = ph_profile_peaks (job->profile);
  guint n, shown;

  times = ph_profile_times (job->profile, &n);
  if (job->by_op)
    {
      sums = add_up (job, times, n, names);
      g_array_sort (sums, slower_first);
      times = (const PhNodeTime *) sums->data;
      n = sums->len;
    }
  json_object_set_double_member (call->reply->json, "total_ms", total / 1e6);
  json_object_set_int_member (call->reply->json, "runs", ph_profile_n_runs (job->profile));
  json_object_set_int_member (call->reply->json, "timed", n);
  rows = ph_reply_array (call->reply, job->by_op ? "ops" : "nodes");
  json_object_set_double_member (call->reply->json, "peak_gflops_per_s", peaks->gflops);
  json_object_set_double_member (call->reply->json, "peak_gbytes_per_s", peaks->gbytes);
  ph_reply_say (call->reply, "%.3f ms, the median of %u runs; this machine: %.0f Gflop/s, %.1f GB/s\n" PH_STYLE_DIM, total / 1e6,
                ph_profile_n_runs (job->profile), peaks->gflops, peaks->gbytes);
  if (is_narrow (call->reply))
    ph_reply_say (call->reply, "%9s %7s %6s  %-12s  %s" PH_STYLE_RESET "\n", "ms", "share", "roof", "kernel",
                  job->by_op ? "operator" : "node");
  else
    ph_reply_say (call->reply, "%10s %7s %6s  %12s %9s %7s %6s  %-16s  %s" PH_STYLE_RESET "\n", "ms", "share", "calls", "bytes",
                  "Gflop/s", "GB/s", "roof", "kernel", job->by_op ? "operator" : "node");
  shown = MIN (n, (guint) job->top);
  for (guint i = 0; i < shown; i++)
    {
      const PhNode *node = job->by_op ? NULL : ph_model_find_node (job->model, times[i].node);
      JsonObject *row = ph_json_add_object (rows);
      g_autofree char *label = node != NULL ? ph_node_label (node) : NULL;

      if (node != NULL)
        json_object_set_int_member (row, "id", node->id);
      ph_json_set (row, "op", job->by_op ? names->pdata[times[i].node - 1] : node != NULL ? node->op_type : "");
      if (!job->by_op)
        ph_json_set (row, "name", node != NULL ? node->name : "");
      add_numbers (row, &times[i], total, peaks);
      if (!job->by_op)
        json_object_set_boolean_member (row, "inside", times[i].inside);
      say_row (call, row, label != NULL ? label : json_object_get_string_member (row, "op"), &times[i]);
    }
  if (is_narrow (call->reply))
    ph_reply_say (call->reply, PH_STYLE_DIM "calls, bytes and rates are not shown: --wide" PH_STYLE_RESET "\n");
  if (shown < n)
    ph_reply_say (call->reply, PH_STYLE_DIM "%u more: --top N, or `select * from profile`" PH_STYLE_RESET "\n", n - shown);
}

static gboolean
profile_work (PhCall *call, GError **error)
{
  Profile *job = call->data;
  PhRunOptions options = { .cancellable = call->cancellable, .reference = job->reference };
  g_autoptr (GHashTable) feeds = NULL, results = NULL;

  ph_call_progress (call, "measuring", 0);
  job->model = ph_snapshot_take (job->snapshot, ph_snapshot_get_history (job->snapshot)->position);
  feeds = ph_inputs_find (job->model, job->named, job->seed >= 0 ? PH_INPUTS_NORMAL : PH_INPUTS_FED, MAX (job->seed, 0), NULL,
                          &options, &results, error);
  if (feeds == NULL)
    return FALSE;
  options.progress = run_progress;
  options.progress_data = call;
  job->profile = ph_profile_model (job->model, feeds, (guint) job->runs, &options, error);
  if (job->profile == NULL)
    return FALSE;
  reply_profile (call, job);
  if (job->roofline != NULL)
    {
      g_autofree char *svg = ph_roofline_svg (job->profile, job->model);

      if (!ph_replace_contents (job->roofline, svg, strlen (svg), error))
        {
          g_prefix_error (error, "%s: ", job->roofline);
          return FALSE;
        }
      json_object_set_string_member (call->reply->json, "file", job->roofline);
      ph_reply_say (call->reply, "wrote %s\n", job->roofline);
    }
  return TRUE;
}

static gboolean
profile_finish (PhCall *call, GError **error)
{
  Profile *job = call->data;

  ph_document_take_profile (call->document, g_steal_pointer (&job->profile));
  return TRUE;
}

static const PhCommand rows[] = {
  { "profile", "[--runs N] [--top N] [--ops] [--random SEED] [--roofline FILE]", N_ ("Measure how long each node takes"),
    "Computes the outputs once to warm up and then N times (5), and says the median time of the slowest nodes (20), their share of the "
    "whole, the bytes they read and wrote, operations and bytes per second, and the kernel that ran each (`kernels` says which else "
    "could). roof is the share of what this machine can do at most, measured once by a large product and a copy, at as many operations a "
    "byte; what lies in the caches can exceed it. --roofline x.svg draws that. --ops adds up by operator; --random SEED makes up what is "
    "not fed; --reference does without the fast kernels. The table profile has all of it: "
    "`select n.name, p.ms from profile p join nodes n on n.id = p.node order by 2 desc`.",
    N_ ("_Profile"), "<Control><Shift>t", NULL, PH_CODE (profile_begin, profile_work, profile_finish) },
};
const PhCommandGroup ph_commands_profile = { rows, G_N_ELEMENTS (rows) };
