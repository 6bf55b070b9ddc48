/* step-rows.c: steps and changes as rows of an answer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/command-code.h"
#include "core/console/reply-rows.h"

static void
blame_to_json (const PhProof *proof, PhHistory *history, JsonObject *row)
{
  const PhStep *step = &g_array_index (history->steps, PhStep, proof->blame.step);
  const PhRewrite *rewrite = ph_history_rewrite_at (history, proof->blame);
  JsonObject *blame = json_object_new ();
  g_autofree char *position = g_strdup_printf ("%u.%u", proof->blame.step + 1, proof->blame.rewrite + 1);
  g_autofree char *node = rewrite->node != PH_NO_ID ? g_strdup_printf ("n%u", rewrite->node) : NULL;

  json_object_set_string_member (blame, "position", position);
  json_object_set_int_member (blame, "step", proof->blame.step + 1);
  json_object_set_int_member (blame, "rewrite", proof->blame.rewrite + 1);
  json_object_set_string_member (blame, "pass", step->pass);
  json_object_set_string_member (blame, "rule", rewrite->rule);
  ph_json_set (blame, "node", node);
  ph_json_set (blame, "why", rewrite->why);
  json_object_set_object_member (row, "blame", blame);
}

static void
feeds_to_json (const PhProof *proof, JsonObject *row)
{
  JsonObject *feeds = json_object_new ();
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, proof->feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      g_autofree char *text = ph_tensor_to_string (tensor, 8);

      json_object_set_string_member (feeds, name, text);
    }
  json_object_set_object_member (row, "feeds", feeds);
}

/* Adds a proof to a reply, in the members common to all such replies. */
void
ph_proof_to_json (const PhProof *proof, PhHistory *history, JsonObject *row)
{
  /* clang-format off */
  const struct { const char *name; guint n; } counts[] = {
    { "rewrites_proved", proof->n_proved }, { "rewrites_same", proof->n_same }, { "rewrites_close", proof->n_close },
    { "rewrites_different", proof->n_different }, { "rewrites_nothing_shown", proof->n_nothing }, { "rewrites_none", proof->n_none },
    { "inputs_tried", proof->n_sets }, { "whole_model_tried", proof->n_whole }, { "not_in_double", proof->n_narrow },
  };
  /* clang-format on */

  json_object_set_string_member (row, "class", ph_exactness_name (proof->exactness));
  ph_json_set (row, "rests_on", proof->sentence);
  json_object_set_double_member (row, "tolerance", proof->tolerance);
  json_object_set_boolean_member (row, "loses_accuracy", proof->loses_accuracy);
  ph_json_set (row, "inputs", proof->inputs);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    json_object_set_int_member (row, counts[i].name, counts[i].n);
  json_object_set_int_member (row, "unbounded", (gint64) proof->n_unbounded);
  json_object_set_int_member (row, "out_of_range", (gint64) proof->n_out_of_range);
  ph_json_set (row, "first_difference", proof->first_difference);
  if (proof->problem != NULL)
    ph_json_set (row, "problem", proof->problem);
  if (proof->shown_by == NULL)
    return;
  ph_json_set (row, "output", proof->output);
  ph_json_set (row, "value", proof->value);
  json_object_set_int_member (row, "element", (gint64) proof->element);
  ph_json_set (row, "expected", proof->expected);
  ph_json_set (row, "actual", proof->actual);
  ph_json_set (row, "shown_by", proof->shown_by);
  if (proof->feeds != NULL)
    feeds_to_json (proof, row);
  if (proof->blamed && ph_history_rewrite_at (history, proof->blame) != NULL)
    blame_to_json (proof, history, row);
}

void
ph_step_to_json (PhDocument *document, guint index, JsonObject *row)
{
  const PhStep *step = &g_array_index (ph_document_get_history (document)->steps, PhStep, index);
  const PhProof *proof = ph_document_get_proof (document, index);

  json_object_set_int_member (row, "index", index + 1);
  json_object_set_string_member (row, "pass", step->pass);
  json_object_set_int_member (row, "rewrites", step->n_rewrites);
  json_object_set_int_member (row, "added", step->n_added);
  json_object_set_int_member (row, "removed", step->n_removed);
  json_object_set_int_member (row, "changed", step->n_changed);
  json_object_set_int_member (row, "nodes", step->n_nodes);
  json_object_set_double_member (row, "ms", step->ms);
  json_object_set_string_member (row, "verdict", step->failure != NULL ? "error" : ph_verdict_name (step->verdict));
  if (step->failure != NULL)
    json_object_set_string_member (row, "failure", step->failure);
  if (step->verdict == PH_VERDICT_NONE)
    {
      json_object_set_null_member (row, "max_abs_error");
      json_object_set_null_member (row, "max_scaled_error");
    }
  else
    {
      json_object_set_double_member (row, "max_abs_error", step->max_abs_error);
      json_object_set_double_member (row, "max_scaled_error", step->max_scaled_error);
    }
  if (step->note != NULL)
    json_object_set_string_member (row, "note", step->note);
  if (proof != NULL)
    ph_proof_to_json (proof, ph_document_get_history (document), row);
}

#define MANY_STEPS 12

/* Returns the steps of @rows that changed something. */
static JsonArray *
busy_steps (JsonArray *rows)
{
  JsonArray *out = json_array_new ();

  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);

      if (json_object_get_int_member (row, "rewrites") > 0)
        json_array_add_object_element (out, json_object_ref (row));
    }
  return out;
}

void
ph_reply_steps (PhReply *reply, JsonArray *rows, gboolean brief)
{
  g_autoptr (JsonArray) shown = brief && json_array_get_length (rows) > MANY_STEPS ? busy_steps (rows) : json_array_ref (rows);
  guint idle = json_array_get_length (rows) - json_array_get_length (shown);
  gboolean compared = FALSE;

  static const PhColumn columns[] = {
    { "index", "step", .right = TRUE, .dim = "rewrites" },
    { "pass", "pass", .style = PH_STYLE_KEY },
    { "rewrites", "rewrites", .right = TRUE, .minor = TRUE },
    { "added", "added", "+", TRUE, PH_STYLE_ADDED },
    { "removed", "removed", "-", TRUE, PH_STYLE_REMOVED },
    { "changed", "changed", "~", TRUE, PH_STYLE_CHANGED },
    { "nodes", "nodes", .right = TRUE },
    { "ms", "ms", .right = TRUE, .digits = 3, .minor = TRUE },
    { "verdict", "verdict" },
    { "max_scaled_error", "max error", .right = TRUE, .digits = 2 },
  };

  for (guint i = 0; i < json_array_get_length (rows) && !compared; i++)
    compared = !g_str_equal (json_object_get_string_member (json_array_get_object_element (rows, i), "verdict"), "none");
  ph_reply_table (reply, shown, columns, G_N_ELEMENTS (columns) - (compared ? 0 : 2));
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);

      if (json_object_has_member (row, "note"))
        ph_reply_say (reply, "%s\n", json_object_get_string_member (row, "note"));
    }
  if (idle > 0)
    ph_reply_say (reply, PH_STYLE_DIM "%u %spasses found nothing to do (`steps` lists them)" PH_STYLE_RESET "\n", idle,
                  idle < json_array_get_length (rows) ? "other " : "");
}

static void
set_number (JsonObject *row, const char *member, double value)
{
  if (value - value == 0)
    json_object_set_double_member (row, member, value);
  else
    json_object_set_null_member (row, member); /* JSON has no NaN and no infinity */
}

static void
tensor_change_to_json (const PhTensorChange *change, JsonObject *row)
{
  g_autofree char *first = ph_tensor_change_place (change, change->first),
                  *largest = ph_tensor_change_place (change, change->largest);

  json_object_set_int_member (row, "elements", (gint64) change->count);
  json_object_set_int_member (row, "elements_changed", (gint64) change->changed);
  json_object_set_string_member (row, "first", first);
  set_number (row, "first_before", change->before);
  set_number (row, "first_after", change->after);
  set_number (row, "largest_change", change->most);
  json_object_set_string_member (row, "largest_at", largest);
}

void
ph_change_to_json (const PhNodeChange *change, JsonObject *row)
{
  g_autofree char *id = g_strdup_printf ("n%u", change->id);

  json_object_set_string_member (row, "id", id);
  ph_json_set (row, "label", change->label);
  if (change->fields != NULL)
    {
      JsonArray *what = json_array_new ();

      for (guint i = 0; i < change->fields->len; i++)
        {
          const PhFieldChange *field = &g_array_index (change->fields, PhFieldChange, i);
          JsonObject *item = ph_json_add_object (what);

          ph_json_set (item, "field", field->field);
          ph_json_set (item, "before", field->before);
          ph_json_set (item, "after", field->after);
          if (field->tensor != NULL)
            tensor_change_to_json (field->tensor, item);
        }
      json_object_set_array_member (row, "what", what);
    }
  if (change->follows != PH_NO_ID)
    {
      g_autofree char *cause = g_strdup_printf ("n%u", change->follows);

      json_object_set_string_member (row, "follows", cause);
    }
  if (change->fused_into != NULL && change->fused_into->len > 0)
    {
      JsonArray *into = json_array_new ();

      for (guint i = 0; i < change->fused_into->len; i++)
        {
          g_autofree char *other = g_strdup_printf ("n%u", g_array_index (change->fused_into, PhId, i));
          json_array_add_string_element (into, other);
        }
      json_object_set_array_member (row, "fused_into", into);
    }
}
