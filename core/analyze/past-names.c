/* past-names.c: names of nodes and values that may have been removed, from the model or the journal.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/past-names.h"

#include "core/graph/graph-private.h"

void
ph_past_names_clear (PhPastNames *names)
{
  g_clear_pointer (&names->nodes, g_hash_table_unref);
  g_clear_pointer (&names->values, g_hash_table_unref);
  g_clear_pointer (&names->makers, g_hash_table_unref);
  g_clear_pointer (&names->tensors, g_hash_table_unref);
}

static void
names_read_journal (PhPastNames *names)
{
  if (names->nodes != NULL)
    return;
  names->nodes = g_hash_table_new (NULL, NULL);
  names->values = g_hash_table_new (NULL, NULL);
  names->makers = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < names->history->edits->len; i++)
    {
      const PhEdit *edit = names->history->edits->pdata[i];
      gpointer id = GUINT_TO_POINTER (edit->id);

      if (edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_REMOVE_NODE)
        {
          PhNodeRecord *record = edit->spec;

          g_hash_table_insert (names->nodes, id, record);
          for (guint k = 0; k < record->n_outputs; k++)
            {
              g_hash_table_insert (names->values, GUINT_TO_POINTER (record->outputs[k]), (gpointer) record->output_names[k]);
              g_hash_table_insert (names->makers, GUINT_TO_POINTER (record->outputs[k]), id);
            }
        }
      else if (edit->kind == PH_EDIT_ADD_VALUE || edit->kind == PH_EDIT_REMOVE_VALUE)
        g_hash_table_insert (names->values, id, (gpointer) ((PhValueRecord *) edit->spec)->name);
    }
}

char *
ph_past_names_node (PhPastNames *names, PhId id)
{
  const PhNode *node = ph_model_find_node (names->model, id);
  const PhNodeRecord *record;
  const char *op, *name;

  if (node != NULL)
    {
      op = node->op_type;
      name = node->name;
    }
  else
    {
      names_read_journal (names);
      record = g_hash_table_lookup (names->nodes, GUINT_TO_POINTER (id));
      if (record == NULL)
        return g_strdup_printf ("n%u", id);
      op = record->op_type;
      name = record->name;
    }
  return *name != '\0' ? g_strdup_printf ("%s '%s'", op, name) : g_strdup (op);
}

char *
ph_past_names_value (PhPastNames *names, PhId id)
{
  const PhValue *value = ph_model_find_value (names->model, id);
  const char *name;

  if (id == PH_NO_ID)
    return g_strdup ("(none)");
  if (value != NULL)
    return g_strdup (value->name);
  names_read_journal (names);
  name = g_hash_table_lookup (names->values, GUINT_TO_POINTER (id));
  return name != NULL ? g_strdup (name) : g_strdup_printf ("v%u", id);
}

void
ph_past_names_add_maker (PhPastNames *names, PhId id, char **text)
{
  const PhValue *value = ph_model_find_value (names->model, id);
  guint maker = value != NULL && value->producer != NULL ? value->producer->id : 0;
  char *plain = *text;

  if (value == NULL)
    {
      names_read_journal (names);
      maker = GPOINTER_TO_UINT (g_hash_table_lookup (names->makers, GUINT_TO_POINTER (id)));
    }
  if (maker == 0)
    return;
  *text = g_strdup_printf ("%s of n%u", plain, maker);
  g_free (plain);
}
