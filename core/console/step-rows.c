/* step-rows.c: steps and changes as rows of an answer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/console-private.h"

void
ph_step_to_json (PhDocument *document, guint index, JsonObject *row)
{
  const PhStep *step = &g_array_index (ph_document_get_history (document)->steps, PhStep, index);

  json_object_set_int_member (row, "index", index + 1);
  json_object_set_string_member (row, "pass", step->pass);
  json_object_set_int_member (row, "rewrites", step->n_rewrites);
  json_object_set_int_member (row, "added", step->n_added);
  json_object_set_int_member (row, "removed", step->n_removed);
  json_object_set_int_member (row, "changed", step->n_changed);
  json_object_set_int_member (row, "nodes", step->n_nodes);
  json_object_set_double_member (row, "ms", step->ms);
  json_object_set_string_member (row, "verdict", ph_verdict_name (step->verdict));
  if (step->verdict == PH_VERDICT_NONE)
    json_object_set_null_member (row, "max_abs_error");
  else
    json_object_set_double_member (row, "max_abs_error", step->max_abs_error);
  if (step->first_difference != NULL)
    ph_json_set (row, "first_difference", step->first_difference);
}

void
ph_reply_steps (PhReply *reply, JsonArray *rows)
{
  static const PhColumn columns[] = {
    { "index", "step", .right = TRUE },
    { "pass", "pass", .style = PH_STYLE_KEY },
    { "rewrites", "rewrites", .right = TRUE },
    { "added", "added", "+", TRUE, PH_STYLE_ADDED },
    { "removed", "removed", "-", TRUE, PH_STYLE_REMOVED },
    { "changed", "changed", "~", TRUE, PH_STYLE_CHANGED },
    { "nodes", "nodes", .right = TRUE },
    { "ms", "ms", .right = TRUE },
    { "verdict", "verdict" },
    { "max_abs_error", "max error", .right = TRUE },
  };

  ph_reply_table (reply, rows, columns, G_N_ELEMENTS (columns));
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
          JsonObject          *item = ph_json_add_object (what);

          ph_json_set (item, "field", field->field);
          ph_json_set (item, "before", field->before);
          ph_json_set (item, "after", field->after);
        }
      json_object_set_array_member (row, "what", what);
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
