/* rewrite-effect.c: describes the effect of one rewrite in words.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/rewrite-effect.h"

#include <glib/gi18n.h>

#define MOST_EDITS 4000 /* looked at between two frames */
#define MOST_CHARS 48

static void
append_short (GString *text, const char *value)
{
  const char *shown = value ? value : _ ("none");

  if (g_utf8_strlen (shown, -1) > MOST_CHARS)
    g_string_append_printf (text, "%.*s…", (int) (g_utf8_offset_to_pointer (shown, MOST_CHARS) - shown), shown);
  else
    g_string_append (text, shown);
}

static guint
append_node (GString *text, const PhNodeChange *change, guint left)
{
  static const char *const signs[]
      = { [PH_CHANGE_NONE] = " ", [PH_CHANGE_ADDED] = "+", [PH_CHANGE_REMOVED] = "−", [PH_CHANGE_CHANGED] = "~" };
  const guint n = change->fields ? change->fields->len : 0;

  if (n == 0 || change->change != PH_CHANGE_CHANGED)
    {
      g_string_append_printf (text, "%s n%u %s\n", signs[change->change], change->id, change->label);
      return 1;
    }
  g_string_append_printf (text, "%s n%u %s\n", signs[change->change], change->id, change->label);
  for (guint i = 0; i < n && i < left; i++)
    {
      const PhFieldChange *field = &g_array_index (change->fields, PhFieldChange, i);
      g_string_append_printf (text, "  %s: ", field->field);
      append_short (text, field->before);
      g_string_append (text, " → ");
      append_short (text, field->after);
      g_string_append_c (text, '\n');
    }
  return 1 + MIN (n, left);
}

char *
ph_rewrite_effect (PhDocument *document, guint step, guint number, guint most)
{
  PhHistory *history = ph_document_get_history (document);
  PhModel *model = ph_document_get_model (document);
  g_autoptr (GString) text = g_string_new (NULL);
  guint lines = 0, i;

  if (!history || !model || step >= history->steps->len || number == 0
      || number > g_array_index (history->steps, PhStep, step).n_rewrites)
    return g_string_free (g_steal_pointer (&text), FALSE);
  PhPosition a = { step, number - 1 };
  PhPosition b = number == g_array_index (history->steps, PhStep, step).n_rewrites ? (PhPosition) { step + 1, 0 }
                                                                                   : (PhPosition) { step, number };
  if (ph_history_edit_index (history, b) - ph_history_edit_index (history, a) > MOST_EDITS)
    return g_string_free (g_steal_pointer (&text), FALSE);
  g_autoptr (PhDiff) diff = ph_diff_new (history, model, a, b);
  for (i = 0; i < diff->nodes->len && lines < most; i++)
    lines += append_node (text, diff->nodes->pdata[i], most - lines);
  if (i < diff->nodes->len)
    g_string_append_printf (text, _ ("and %u more"), diff->nodes->len - i);
  else if (text->len)
    g_string_truncate (text, text->len - 1);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
