/* places.c: finds the node or position that a word names.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-places.h"
#include "core/console/command-code.h"
#include "core/console/meant.h"
#include "core/nearest.h"

#define MAX_NAMES    20000 /* among which a mistyped one is looked for */
#define MAX_EXAMPLES 4

/* Returns the only node of operator @op, or an error that names some. */
static PhNode *
find_by_op (PhModel *model, const char *op, guint *n, GError **error)
{
  g_autoptr (GString) examples = g_string_new (NULL);
  PhNode *found = NULL;

  *n = 0;
  for (guint i = 0; i < model->nodes->len; i++)
    {
      PhNode *node = model->nodes->pdata[i];

      if (node == NULL || g_ascii_strcasecmp (node->op_type, op) != 0)
        continue;
      if (++*n <= MAX_EXAMPLES)
        g_string_append_printf (examples, "%sn%u", *n > 1 ? ", " : "", node->id);
      found = node;
    }
  if (*n > 1)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node '%s', but %u of that operator: %s%s; say which", op, *n,
                 examples->str, *n > MAX_EXAMPLES ? ", ..." : "");
  return *n == 1 ? found : NULL;
}

/* Says where node @id was removed, or returns NULL if it was not. */
static char *
removed_where (PhCall *call, PhId id)
{
  PhHistory *history = ph_document_get_history (call->document);
  PhPosition at;

  if (!ph_history_find_removal (history, id, &at))
    return NULL;
  return g_strdup_printf ("%s at %u.%u", g_array_index (history->steps, PhStep, at.step).pass, at.step + 1, at.rewrite + 1);
}

/* Returns TRUE if @text is the id of a node (@letter n) or a value (v). */
static gboolean
is_id (const char *text, char letter, guint64 *id)
{
  return *text == letter && g_ascii_string_to_unsigned (text + 1, 10, 1, G_MAXUINT32, id, NULL);
}

/* Explains that "n42" never was a node: tells which numbers nodes have, or which value has this one. */
static void
say_no_id (PhModel *model, const char *name, PhId id, GError **error)
{
  PhValue *value = ph_model_find_value (model, id);
  PhNode *node = NULL;

  for (guint i = 0; node == NULL && i < model->nodes->len; i++)
    node = model->nodes->pdata[i];
  if (value != NULL && value->producer != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node %s: v%u is a value, which n%u makes", name, id,
                 value->producer->id);
  else if (node != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node %s: `find TEXT` searches, the first node is n%u", name,
                 node->id);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node %s: the graph has none", name);
}

/* Nodes that are elsewhere in the history, operators, and names that a mistyped one may have meant. */
PhNode *
ph_call_find_node (PhCall *call, const char *name, GError **error)
{
  PhModel *model = ph_document_get_model (call->document);
  PhNode *node = ph_model_find_node_named (model, name);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *nearest;
  guint64 number;
  guint n;
  PhId id;

  if (node != NULL)
    return node;
  node = find_by_op (model, name, &n, error);
  if (n > 0)
    return node;
  id = ph_history_find_node (ph_document_get_history (call->document), name);
  if (id != PH_NO_ID)
    {
      g_autofree char *where = removed_where (call, id);

      g_autofree char *quoted = is_id (name, 'n', NULL) ? g_strdup (name) : g_strdup_printf ("'%s' (n%u)", name, id);

      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "the node %s is not at this position%s%s: `why n%u` says where it comes from", quoted,
                   where != NULL ? "; removed by " : "", where != NULL ? where : "", id);
      return NULL;
    }
  if (is_id (name, 'n', &number))
    {
      say_no_id (model, name, (PhId) number, error);
      return NULL;
    }
  for (guint i = 0; i < model->nodes->len && names->len < MAX_NAMES; i++)
    if (model->nodes->pdata[i] != NULL && *((PhNode *) model->nodes->pdata[i])->name != '\0')
      g_ptr_array_add (names, (gpointer) ((PhNode *) model->nodes->pdata[i])->name);
  nearest = ph_nearest (name, (const char *const *) names->pdata, names->len);
  if (nearest != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node '%s' here; did you mean '%s'?", name, nearest);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node '%s' here: `find %s` searches, n42 is an id", name, name);
  return NULL;
}

gboolean
ph_call_find_any_node (PhCall *call, const char *name, PhId *id, GError **error)
{
  PhNode *node = ph_model_find_node_named (ph_document_get_model (call->document), name);

  *id = node != NULL ? node->id : ph_history_find_node (ph_document_get_history (call->document), name);
  if (*id == PH_NO_ID && is_id (name, 'n', NULL))
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there never was a node %s here", name);
  else if (*id == PH_NO_ID)
    {
      node = ph_call_find_node (call, name, error);
      *id = node != NULL ? node->id : PH_NO_ID;
    }
  return *id != PH_NO_ID;
}

gboolean
ph_call_find_step_of (PhCall *call, const char *name, guint *step)
{
  PhHistory *history = ph_document_get_history (call->document);
  gboolean found = FALSE, changed = FALSE;

  for (guint s = history != NULL ? history->steps->len : 0; s-- > 0 && !changed;)
    if (g_str_equal (g_array_index (history->steps, PhStep, s).pass, name))
      {
        changed = g_array_index (history->steps, PhStep, s).n_rewrites > 0;
        if (!found || changed)
          *step = s;
        found = TRUE;
      }
  return found;
}

gboolean
ph_call_find_position (PhCall *call, const char *text, PhPosition *position, GError **error)
{
  guint step;

  if (g_str_equal (text, "."))
    *position = ph_document_get_position (call->document);
  else if (g_str_equal (text, "end"))
    *position = (PhPosition) { ph_document_get_history (call->document)->steps->len, 0 };
  else if (ph_call_find_step_of (call, text, &step))
    *position = (PhPosition) { step + 1, 0 };
  else if (ph_pass_find (text) != NULL)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "the pass %s did not run: `run %s` runs it", text, text);
      return FALSE;
    }
  else
    {
      g_autofree char *meant = g_ascii_isalpha (*text) ? ph_meant_step (call->document, text) : g_strdup ("");

      if (*meant == '\0')
        return ph_position_parse (ph_document_get_history (call->document), text, position, error);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no step '%s'%s", text, meant);
      return FALSE;
    }
  return TRUE;
}
