/* commands-diff.c: diff, why.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/line-diff.h"
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-rows.h"
#include "core/io/io.h"
#include "core/prove/prove.h"

#define MOST_FOLLOWERS 12

static void
say_change (PhReply *reply, const PhNodeChange *change)
{
  static const char *const styles[] = { "", PH_STYLE_ADDED "+ ", PH_STYLE_REMOVED "- ", PH_STYLE_CHANGED "~ " };

  ph_reply_say (reply, "%sn%u %s" PH_STYLE_RESET, styles[change->change], change->id, change->label);
  if (change->fused_into != NULL && change->fused_into->len > 0)
    for (guint i = 0; i < change->fused_into->len; i++)
      ph_reply_say (reply, "%sn%u", i == 0 ? "  → " : ", ", g_array_index (change->fused_into, PhId, i));
  ph_reply_say (reply, "\n");
  for (guint i = 0; change->fields != NULL && i < change->fields->len; i++)
    {
      const PhFieldChange *field = &g_array_index (change->fields, PhFieldChange, i);

      ph_reply_say (reply, "    %s: %s → %s\n", field->field, field->before != NULL ? field->before : "none",
                    field->after != NULL ? field->after : "none");
    }
  if (change->followers != NULL)
    {
      ph_reply_say (reply, PH_STYLE_DIM "    types follow:");
      for (guint i = 0; i < change->followers->len && i < MOST_FOLLOWERS; i++)
        ph_reply_say (reply, " n%u", g_array_index (change->followers, PhId, i));
      if (change->followers->len > MOST_FOLLOWERS)
        ph_reply_say (reply, " and %u more", change->followers->len - MOST_FOLLOWERS);
      ph_reply_say (reply, PH_STYLE_RESET "\n");
    }
}

/* ── diff --text: the two positions as ONNX text, compared line by line ── */

#define CONTEXT 3

typedef struct
{
  PhSnapshot *snapshot;
  PhPosition positions[2];
  char *names[2];
  gboolean text, stat;
} Diff;

static void
diff_free (gpointer data)
{
  Diff *diff = data;

  ph_snapshot_free (diff->snapshot);
  for (guint i = 0; i < 2; i++)
    g_free (diff->names[i]);
  g_free (diff);
}

/* Numbers the distinct lines. */
static guint *
number_lines (GHashTable *numbers, char **lines)
{
  guint *out = g_new (guint, g_strv_length (lines) + 1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, lines[i]));

      if (number == 0)
        {
          number = g_hash_table_size (numbers) + 1;
          g_hash_table_insert (numbers, lines[i], GUINT_TO_POINTER (number));
        }
      out[i] = number;
    }
  return out;
}

typedef struct
{
  char mark;
  guint a, b;
} Line; /* for each side the index of this line, or of the one it precedes */

static GArray *
align_lines (char **a, char **b)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint *keys_a = number_lines (numbers, a), *keys_b = number_lines (numbers, b);
  guint n_a = g_strv_length (a), n_b = g_strv_length (b), j = 0;
  g_autofree int *partner = ph_line_diff (keys_a, n_a, keys_b, n_b);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (Line));

  for (guint i = 0; i <= n_a; i++)
    {
      if (i < n_a && partner[i] < 0)
        {
          g_array_append_val (out, ((Line) { '-', i, j }));
          continue;
        }
      for (guint end = i < n_a ? (guint) partner[i] : n_b; j < end; j++)
        g_array_append_val (out, ((Line) { '+', i, j }));
      if (i < n_a)
        g_array_append_val (out, ((Line) { ' ', i, j++ }));
    }
  return out;
}

static void
append_hunk (GString *out, GArray *lines, guint first, guint end, char **a, char **b)
{
  const Line *at = &g_array_index (lines, Line, first);
  guint n_a = 0, n_b = 0;

  for (guint i = first; i < end; i++)
    {
      n_a += g_array_index (lines, Line, i).mark != '+';
      n_b += g_array_index (lines, Line, i).mark != '-';
    }
  g_string_append_printf (out, "@@ -%u,%u +%u,%u @@\n", at->a + (n_a > 0), n_a, at->b + (n_b > 0), n_b);
  for (guint i = first; i < end; i++)
    {
      const Line *line = &g_array_index (lines, Line, i);

      g_string_append_printf (out, "%c%s\n", line->mark, line->mark == '+' ? b[line->b] : a[line->a]);
    }
}

static void
say_text_diff (PhReply *reply, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL && lines[i + 1] != NULL; i++)
    {
      const char *style = i < 2                ? PH_STYLE_BOLD
                          : lines[i][0] == '-' ? PH_STYLE_REMOVED
                          : lines[i][0] == '+' ? PH_STYLE_ADDED
                          : lines[i][0] == '@' ? PH_STYLE_KEY
                                               : "";

      ph_reply_say (reply, "%s%s%s\n", style, lines[i], *style != '\0' ? PH_STYLE_RESET : "");
    }
}

/* Writes the format of `diff -u`, which other tools read. */
static gboolean
text_diff (PhCall *call, GError **error)
{
  Diff *diff = call->data;
  g_auto (GStrv) a = NULL, b = NULL;
  g_autoptr (GArray) lines = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  guint end = 0, n_removed = 0, n_added = 0;

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *text = NULL;

      ph_call_progress (call, "printing", -1);
      text = ph_onnx_text_try_print (ph_snapshot_at (diff->snapshot, diff->positions[i]), 16, call->cancellable, error);
      ph_snapshot_done (diff->snapshot);
      if (text == NULL)
        return FALSE;
      *(i == 0 ? &a : &b) = g_strsplit (g_strchomp (text), "\n", -1);
    }
  ph_call_progress (call, "comparing", -1);
  lines = align_lines (a, b);
  for (guint i = 0; i < lines->len; i++)
    {
      n_removed += g_array_index (lines, Line, i).mark == '-';
      n_added += g_array_index (lines, Line, i).mark == '+';
    }
  if (n_removed + n_added > 0)
    g_string_append_printf (out, "--- %s\n+++ %s\n", diff->names[0], diff->names[1]);
  for (guint i = 0; i < lines->len; i++)
    {
      guint first = MAX (end, i > CONTEXT ? i - CONTEXT : 0), last = i;

      if (g_array_index (lines, Line, i).mark == ' ')
        continue;
      for (guint k = i; k < lines->len && k <= last + 2 * CONTEXT; k++)
        if (g_array_index (lines, Line, k).mark != ' ')
          last = k;
      end = MIN (last + CONTEXT + 1, lines->len);
      append_hunk (out, lines, first, end, a, b);
      i = end - 1;
    }
  say_text_diff (call->reply, out->str);
  ph_json_set (call->reply->json, "text", out->str);
  json_object_set_int_member (call->reply->json, "lines_added", n_added);
  json_object_set_int_member (call->reply->json, "lines_removed", n_removed);
  ph_reply_say (call->reply, "%s to %s: +%u -%u lines\n", diff->names[0], diff->names[1], n_added, n_removed);
  return TRUE;
}

/* ── diff --stat: number of nodes of each operator ── */

typedef struct
{
  const char *op;
  guint added, removed, changed;
} Stat;

static int
most_first (gconstpointer a, gconstpointer b)
{
  const Stat *x = *(const Stat *const *) a, *y = *(const Stat *const *) b;
  guint nx = x->added + x->removed + x->changed, ny = y->added + y->removed + y->changed;

  return nx != ny ? (nx > ny ? -1 : 1) : strcmp (x->op, y->op);
}

static void
say_stat (PhCall *call, const PhDiff *diff)
{
  static const PhColumn columns[] = {
    { "op", "op", .style = PH_STYLE_KEY },
    { "added", "added", "+", TRUE, PH_STYLE_ADDED },
    { "removed", "removed", "-", TRUE, PH_STYLE_REMOVED },
    { "changed", "changed", "~", TRUE, PH_STYLE_CHANGED },
  };
  g_autoptr (GHashTable) stats = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  JsonArray *rows = ph_reply_array (call->reply, "ops");

  for (guint i = 0; i < diff->nodes->len; i++)
    {
      const PhNodeChange *change = diff->nodes->pdata[i];
      const gboolean counts = change->follows == PH_NO_ID;
      g_autofree char *op = g_strndup (change->label, strcspn (change->label, " "));
      Stat *stat = g_hash_table_lookup (stats, op);

      if (!counts)
        continue;
      if (stat == NULL)
        {
          stat = g_new0 (Stat, 1);
          stat->op = op;
          g_ptr_array_add (sorted, stat);
          g_hash_table_insert (stats, g_steal_pointer (&op), stat);
        }
      stat->added += change->change == PH_CHANGE_ADDED;
      stat->removed += change->change == PH_CHANGE_REMOVED;
      stat->changed += change->change == PH_CHANGE_CHANGED;
    }
  g_ptr_array_sort (sorted, most_first);
  for (guint i = 0; i < sorted->len; i++)
    {
      const Stat *stat = sorted->pdata[i];
      JsonObject *row = ph_json_add_object (rows);

      json_object_set_string_member (row, "op", stat->op);
      json_object_set_int_member (row, "added", stat->added);
      json_object_set_int_member (row, "removed", stat->removed);
      json_object_set_int_member (row, "changed", stat->changed);
    }
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
}

/* ── diff ── */

/* Finds the two positions: as given, around the passes of a name, or the range of `compare`. */
static gboolean
find_positions (PhCall *call, PhPosition *a, PhPosition *b, GError **error)
{
  guint step;

  *a = ph_document_get_since (call->document);
  *b = ph_document_get_position (call->document);
  if (call->argc == 1 && ph_call_find_step_of (call, call->argv[0], &step))
    {
      *a = (PhPosition) { step, 0 };
      *b = (PhPosition) { step + 1, 0 };
      return TRUE;
    }
  return (call->argc < 1 || ph_call_find_position (call, call->argv[0], a, error))
         && (call->argc < 2 || ph_call_find_position (call, call->argv[1], b, error));
}

static gboolean
diff_begin (PhCall *call, GError **error)
{
  gboolean stat = ph_call_take_flag (call, "--stat"), text = ph_call_take_flag (call, "--text");
  PhPosition at[2];
  Diff *diff;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 2, error) || !find_positions (call, &at[0], &at[1], error))
    return FALSE;
  diff = g_new0 (Diff, 1);
  diff->snapshot = ph_snapshot_new (call->document);
  diff->text = text;
  diff->stat = stat;
  for (guint i = 0; i < 2; i++)
    {
      diff->positions[i] = at[i];
      diff->names[i] = ph_position_to_string (at[i]);
      json_object_set_string_member (call->reply->json, i == 0 ? "from" : "to", diff->names[i]);
    }
  ph_call_set_data (call, diff, diff_free);
  return TRUE;
}

static gboolean
diff_work (PhCall *call, GError **error)
{
  const Diff *data = call->data;
  g_autoptr (PhDiff) diff = NULL;
  JsonArray *lists[4] = { NULL }, *following;

  if (data->text)
    return text_diff (call, error);
  ph_call_progress (call, "comparing", -1);
  diff = ph_diff_new (ph_snapshot_get_history (data->snapshot), ph_snapshot_at (data->snapshot, data->positions[1]),
                      data->positions[0], data->positions[1]);
  ph_snapshot_done (data->snapshot);
  lists[PH_CHANGE_ADDED] = ph_reply_array (call->reply, "added");
  lists[PH_CHANGE_REMOVED] = ph_reply_array (call->reply, "removed");
  lists[PH_CHANGE_CHANGED] = ph_reply_array (call->reply, "changed");
  following = ph_reply_array (call->reply, "following");
  for (guint i = 0; i < diff->nodes->len; i++)
    {
      const PhNodeChange *change = diff->nodes->pdata[i];

      if (g_cancellable_set_error_if_cancelled (call->cancellable, error))
        return FALSE;
      if (change->follows != PH_NO_ID)
        ph_change_to_json (change, ph_json_add_object (following));
      else if (lists[change->change] != NULL)
        {
          ph_change_to_json (change, ph_json_add_object (lists[change->change]));
          if (!data->stat)
            say_change (call->reply, change);
        }
    }
  if (data->stat)
    say_stat (call, diff);
  ph_reply_say (call->reply, "%s to %s: +%u -%u ~%u", data->names[0], data->names[1], diff->n_added, diff->n_removed,
                diff->n_changed);
  ph_reply_say (call->reply, diff->n_following > 0 ? ", and %u whose types follow\n" : "\n", diff->n_following);
  return TRUE;
}

/* ── why ── */

static void
say_removal (PhCall *call, PhId id)
{
  PhHistory *history = ph_document_get_history (call->document);
  const PhRewrite *rewrite;
  const char *pass;
  JsonObject *row;
  PhPosition at;

  if (!ph_history_find_removal (history, id, &at))
    return;
  rewrite = ph_history_rewrite_at (history, at);
  pass = g_array_index (history->steps, PhStep, at.step).pass;
  row = json_object_new ();
  json_object_set_int_member (row, "step", at.step + 1);
  json_object_set_int_member (row, "rewrite", at.rewrite + 1);
  json_object_set_string_member (row, "pass", pass);
  json_object_set_string_member (row, "rule", rewrite->rule);
  ph_json_set (row, "why", rewrite->why);
  json_object_set_object_member (call->reply->json, "removed", row);
  ph_reply_say (call->reply, "removed by %s/" PH_STYLE_KEY "%s" PH_STYLE_RESET " at %u.%u: %s\n", pass, rewrite->rule,
                at.step + 1, at.rewrite + 1, rewrite->why);
}

static gboolean
why_begin (PhCall *call, GError **error)
{
  JsonArray *chain;
  const PhNode *node;
  g_autoptr (GArray) origins = NULL;
  PhId id = PH_NO_ID;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (call->argc == 0)
    {
      id = ph_document_get_selection (call->document);
      if (id == PH_NO_ID)
        return ph_call_usage (call, error, "nothing is selected: click a node, or name one");
    }
  else if (!ph_call_find_any_node (call, call->argv[0], &id, error))
    return FALSE;
  chain = ph_reply_array (call->reply, "chain");
  origins = ph_origin_chain (ph_document_get_history (call->document), ph_document_get_model (call->document), id);
  for (guint i = 0; i < origins->len; i++)
    {
      PhOrigin *origin = &g_array_index (origins, PhOrigin, i);
      JsonObject *row = ph_json_add_object (chain);
      g_autofree char *text = g_strdup_printf ("n%u", origin->id);

      json_object_set_string_member (row, "id", text);
      ph_json_set (row, "label", origin->label);
      json_object_set_int_member (row, "depth", origin->depth);
      json_object_set_int_member (row, "step", origin->step);
      json_object_set_int_member (row, "rewrite", origin->rewrite);
      ph_json_set (row, "pass", origin->pass);
      ph_json_set (row, "rule", origin->rule);
      ph_json_set (row, "why", origin->why);
      ph_reply_say (call->reply, "%*sn%u %s", (int) (2 * origin->depth), "", origin->id, origin->label);
      if (origin->pass != NULL)
        ph_reply_say (call->reply, "  made by %s/" PH_STYLE_KEY "%s" PH_STYLE_RESET " at %d.%d: %s\n", origin->pass, origin->rule,
                      origin->step, origin->rewrite, origin->why);
      else
        ph_reply_say (call->reply, "  in the file\n");
    }
  node = ph_model_find_node (ph_document_get_model (call->document), id);
  if (node == NULL)
    say_removal (call, id);
  else if (node->where != NULL)
    {
      g_autofree char *where = ph_where_to_string (node->where, TRUE);

      json_object_set_string_member (call->reply->json, "where", where);
      ph_reply_say (call->reply, "from %s\n", where);
    }
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "diff", "[STEP [STEP] | PASS] [--stat] [--text]", N_ ("What changed between two positions"),
    "Without arguments: what the current step, or inside a step the last rewrite, changed, or what `compare` asked for. "
    "`diff 0 .` is all since the file, `diff fuse-gelu` what a pass changed. --stat counts by operator, --text compares the ONNX text "
    "of the two, as `diff -u` does.",
    N_ ("_Diff"), "<Control><Shift>d", NULL, PH_CODE (diff_begin, diff_work) },
  { "why", "[NODE]", N_ ("Where a node comes from, back to the file"),
    "A node that was removed is asked for by its id or its name; then the answer says what removed it.", N_ ("_Why Is This Here"), "F1", "dialog-question-symbolic",
    PH_CODE (why_begin) },
};
/* clang-format on */
const PhCommandGroup ph_commands_diff = { rows, G_N_ELEMENTS (rows) };
