/* origin.c: the origin and the later fate of a node, from the journal.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/diff.h"

#include "core/analyze/past-names.h"
#include "core/graph/graph-private.h"
#include "core/graph/made-from.h"

static void
origin_clear (gpointer data)
{
  g_free (((PhOrigin *) data)->label);
}

/* Returns the rewrite that contains @edit. */
static int
rewrite_of_edit (PhHistory *history, guint edit)
{
  guint low = 0, high = history->rewrites->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (g_array_index (history->rewrites, PhRewrite, middle).first_edit <= edit)
        low = middle + 1;
      else
        high = middle;
    }
  return (int) low - 1;
}

static guint
step_of_rewrite (PhHistory *history, guint rewrite)
{
  guint low = 0, high = history->steps->len;

  /* The last step that starts at or before it; steps without rewrites start where the next one does. */
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (g_array_index (history->steps, PhStep, middle).first_rewrite <= rewrite)
        low = middle + 1;
      else
        high = middle;
    }
  return low - 1;
}

typedef struct
{
  GArray *chain;
  GHashTable *seen, *added; /* ids in the chain; id -> index of the edit that added it, plus 1 */
  PhPastNames names;
} Tracing;

char **
ph_origin_given (const PhNodeRecord *record)
{
  for (guint i = 0; record->attrs != NULL && i < record->attrs->len; i++)
    {
      const PhAttr *attr = record->attrs->pdata[i];

      if (attr->kind == PH_ATTR_STRING && attr->s != NULL && g_str_equal (attr->name, PH_ATTR_FROM))
        {
          g_autofree char *text = g_strndup (g_bytes_get_data (attr->s, NULL), g_bytes_get_size (attr->s));

          return g_strsplit (text, ", ", -1);
        }
    }
  return NULL;
}

/* Whether a node of the past bears one of the given names, or comes from one of these itself. */
static gboolean
is_given (const PhNodeRecord *record, const char *const *given)
{
  g_auto (GStrv) own = ph_origin_given (record);

  for (guint i = 0; own != NULL && own[i] != NULL; i++)
    if (g_strv_contains (given, own[i]))
      return TRUE;
  for (guint i = 0; own == NULL && i < record->n_outputs; i++)
    if (g_strv_contains (given, record->output_names[i]))
      return TRUE;
  return FALSE;
}

static gboolean
is_any_given (PhHistory *history, const PhRewrite *rewrite, const char *const *given)
{
  for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if (edit->kind == PH_EDIT_REMOVE_NODE && is_given (edit->spec, given))
        return TRUE;
    }
  return FALSE;
}

/* Returns the node that the first @n edits removed last of those that @given names, else one that is still there; PH_NO_ID: none. */
static PhId
find_given (const Tracing *tracing, guint n, const char *const *given)
{
  for (guint i = n; i-- > 0;)
    {
      const PhEdit *edit = tracing->names.history->edits->pdata[i];

      if (edit->kind == PH_EDIT_REMOVE_NODE && is_given (edit->spec, given))
        return edit->id;
    }
  for (guint i = 0; given[i] != NULL; i++)
    {
      const PhValue *value = ph_model_find_value_named (tracing->names.model, given[i]);

      if (value != NULL && value->producer != NULL)
        return value->producer->id;
    }
  return PH_NO_ID;
}

static void
trace (Tracing *tracing, PhId id, guint depth)
{
  PhHistory *history = tracing->names.history;
  PhOrigin origin = { .id = id, .depth = depth };
  guint added = GPOINTER_TO_UINT (g_hash_table_lookup (tracing->added, GUINT_TO_POINTER (id)));
  const PhRewrite *rewrite = NULL;
  g_auto (GStrv) given = NULL;
  gboolean removed_any = FALSE;

  if (!g_hash_table_add (tracing->seen, GUINT_TO_POINTER (id)))
    return;
  origin.label = ph_past_names_node (&tracing->names, id);
  if (added > 0)
    {
      guint index = (guint) rewrite_of_edit (history, added - 1), step = step_of_rewrite (history, index);

      rewrite = &g_array_index (history->rewrites, PhRewrite, index);
      origin.step = (int) step + 1;
      origin.rewrite = (int) (index - g_array_index (history->steps, PhStep, step).first_rewrite) + 1;
      origin.pass = g_array_index (history->steps, PhStep, step).pass;
      origin.rule = rewrite->rule;
      origin.why = rewrite->why;
    }
  g_array_append_val (tracing->chain, origin);
  if (rewrite == NULL)
    return;
  given = ph_origin_given (((PhEdit *) history->edits->pdata[added - 1])->spec);
  if (given != NULL && !is_any_given (history, rewrite, (const char *const *) given))
    {
      const PhId other = find_given (tracing, rewrite->first_edit, (const char *const *) given);

      if (other != PH_NO_ID && other != id)
        {
          trace (tracing, other, depth + 1);
          return;
        }
      g_clear_pointer (&given, g_strfreev);
    }
  for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];
      guint made = GPOINTER_TO_UINT (g_hash_table_lookup (tracing->added, GUINT_TO_POINTER (edit->id)));

      /* A node that the rewrite itself made and removed again is scaffolding. */
      if (edit->kind != PH_EDIT_REMOVE_NODE || made > rewrite->first_edit)
        continue;
      if (given != NULL && !is_given (edit->spec, (const char *const *) given))
        continue; /* the compiler says that it comes from others */
      removed_any = TRUE;
      trace (tracing, edit->id, depth + 1);
    }
  if (!removed_any && rewrite->node != PH_NO_ID && rewrite->node != id)
    trace (tracing, rewrite->node, depth + 1);
}

GArray *
ph_origin_chain (PhHistory *history, PhModel *model, PhId id)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL), added = g_hash_table_new (NULL, NULL);
  Tracing tracing = { g_array_new (FALSE, TRUE, sizeof (PhOrigin)), seen, added, { history, model, NULL, NULL, NULL, NULL } };

  g_array_set_clear_func (tracing.chain, origin_clear);
  for (guint i = 0; i < history->edits->len; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];
      if (edit->kind == PH_EDIT_ADD_NODE)
        g_hash_table_insert (added, GUINT_TO_POINTER (edit->id), GUINT_TO_POINTER (i + 1));
    }
  trace (&tracing, id, 0);
  ph_past_names_clear (&tracing.names);
  return tracing.chain;
}

static gboolean
is_named (const PhEdit *edit, const char *name)
{
  const PhNodeRecord *record = edit->spec;

  if (g_strcmp0 (record->name, name) == 0)
    return TRUE;
  for (guint k = 0; k < record->n_outputs; k++)
    if (g_strcmp0 (record->output_names[k], name) == 0)
      return TRUE;
  return FALSE;
}

PhId
ph_history_find_node (PhHistory *history, const char *name)
{
  guint64 number = PH_NO_ID;

  if (*name == '\0')
    return PH_NO_ID;
  if (!g_ascii_string_to_unsigned (name + (*name == 'n' ? 1 : 0), 10, 1, G_MAXUINT32, &number, NULL))
    number = PH_NO_ID;
  for (guint i = history->edits->len; i-- > 0;)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if ((edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_REMOVE_NODE) && (edit->id == number || is_named (edit, name)))
        return edit->id;
    }
  return PH_NO_ID;
}

gboolean
ph_history_find_removal (PhHistory *history, PhId id, PhPosition *at)
{
  for (guint i = history->edits->len; i-- > 0;)
    {
      const PhEdit *edit = history->edits->pdata[i];
      guint index, step;

      if (edit->kind != PH_EDIT_REMOVE_NODE || edit->id != id)
        continue;
      index = (guint) rewrite_of_edit (history, i);
      step = step_of_rewrite (history, index);
      *at = (PhPosition) { step, index - g_array_index (history->steps, PhStep, step).first_rewrite };
      return TRUE;
    }
  return FALSE;
}
