/* arrangement-words.c: the open groups and the shown part as words: "fit +layers.0 -n7", "around n4 2 +n9".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/document/view-private.h"

/* Returns the index of @word among the words of @field; G_MAXUINT: none. */
static guint
index_of (PhViewField field, const char *word)
{
  const PhViewWord *words = ph_view_row (field)->words;

  for (guint i = 0; words[i].word != NULL; i++)
    if (g_str_equal (words[i].word, word))
      return i;
  return G_MAXUINT;
}

/* Groups */

static GHashTable *
copy_names (GHashTable *from)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer key;

  if (from != NULL)
    {
      g_hash_table_iter_init (&iter, from);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        g_hash_table_add (copy, g_strdup (key));
    }
  return copy;
}

/* Takes @name out of @set, or puts it there. The set is replaced. */
static void
change_names (GHashTable **set, const char *name, gboolean has)
{
  GHashTable *copy = copy_names (*set);

  if (has)
    g_hash_table_add (copy, g_strdup (name));
  else
    g_hash_table_remove (copy, name);
  g_clear_pointer (set, g_hash_table_unref);
  if (g_hash_table_size (copy) > 0)
    *set = copy;
  else
    g_hash_table_unref (copy);
}

gboolean
ph_arrangement_set_open (PhArrangement *arrangement, const char *const *words, GError **error)
{
  for (guint i = 0; words[i] != NULL; i++)
    {
      const guint base = index_of (PH_VIEW_OPEN, words[i]);

      if (i == 0 && base != G_MAXUINT)
        {
          arrangement->open = base;
          g_clear_pointer (&arrangement->opened, g_hash_table_unref);
          g_clear_pointer (&arrangement->closed, g_hash_table_unref);
        }
      else if ((*words[i] == '+' || *words[i] == '-') && words[i][1] != '\0')
        {
          change_names (&arrangement->opened, words[i] + 1, *words[i] == '+');
          change_names (&arrangement->closed, words[i] + 1, *words[i] == '-');
        }
      else
        {
          g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "'%s' opens nothing: say fit, all or none, or +GROUP, -GROUP", words[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

static void
append_names (GString *text, char sign, GHashTable *set)
{
  GList *names = set != NULL ? g_list_sort (g_hash_table_get_keys (set), compare_names) : NULL;

  for (GList *l = names; l != NULL; l = l->next)
    {
      g_autofree char *word = g_strdup_printf ("%c%s", sign, (const char *) l->data);
      g_autofree char *quoted = strpbrk (word, " '\"\\$") != NULL ? g_shell_quote (word) : NULL;

      g_string_append_printf (text, " %s", quoted != NULL ? quoted : word);
    }
  g_list_free (names);
}

char *
ph_arrangement_open_text (const PhArrangement *arrangement)
{
  GString *text = g_string_new (ph_view_row (PH_VIEW_OPEN)->words[arrangement->open].word);

  append_names (text, '+', arrangement->opened);
  append_names (text, '-', arrangement->closed);
  return g_string_free (text, FALSE);
}

/* Parts */

static gboolean
find_node (PhDocument *document, const char *word, PhId *id, GError **error)
{
  PhModel *model = ph_document_get_model (document);
  const PhNode *node = word != NULL ? ph_model_find_node_named (model, word)
                                    : ph_model_find_node (model, ph_document_get_selection (document));

  *id = node != NULL ? node->id : PH_NO_ID;
  if (node == NULL && word == NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "which node? `find` searches for one, n42 is an id");
  else if (node == NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no node '%s' here: `find %s` searches, n42 is an id", word, word);
  return node != NULL;
}

/* Finds an input by name, or by number as in a saved part. */
static gboolean
find_input (PhDocument *document, const char *word, PhId *id)
{
  GPtrArray *inputs = ph_document_get_model (document)->graph->inputs;

  for (guint i = 0; i < inputs->len; i++)
    if (g_str_equal (((PhValue *) inputs->pdata[i])->name, word)
        || (*word == 'n' && g_ascii_strtoull (word + 1, NULL, 10) == ((PhValue *) inputs->pdata[i])->id))
      {
        *id = ((PhValue *) inputs->pdata[i])->id;
        return TRUE;
      }
  return FALSE;
}

/* Adds to the array by replacing it. */
static void
add_also (PhArrangement *arrangement, const PhId *ids, guint n)
{
  GArray *also = g_array_new (FALSE, FALSE, sizeof (PhId));

  if (arrangement->also != NULL)
    g_array_append_vals (also, arrangement->also->data, arrangement->also->len);
  g_array_append_vals (also, ids, n);
  g_clear_pointer (&arrangement->also, g_array_unref);
  arrangement->also = also;
}

static gboolean
need_around (const PhArrangement *arrangement, GError **error)
{
  if (arrangement->part != PH_PART_AROUND)
    g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "no neighbourhood is shown: `view part around NODE` shows one");
  return arrangement->part == PH_PART_AROUND;
}

/* Adds a node or input, given as "+n7" in saved parts, or by name or number. */
static gboolean
set_also (PhArrangement *arrangement, PhDocument *document, const char *word, GError **error)
{
  PhId id;

  if (!need_around (arrangement, error) || (!find_input (document, word + 1, &id) && !find_node (document, word + 1, &id, error)))
    return FALSE;
  add_also (arrangement, &id, 1);
  return TRUE;
}

static gboolean
begin_part (PhArrangement *arrangement, PhDocument *document, const char *const *words, guint *n, GError **error)
{
  PhId from = PH_NO_ID, to = PH_NO_ID;
  guint steps = 2;
  const guint kind = index_of (PH_VIEW_PART, words[0]);

  *n = 1;
  if (kind == PH_PART_AROUND || kind == PH_PART_PATHS)
    {
      if (!find_node (document, words[1], &from, error))
        return FALSE;
      *n += words[*n] != NULL;
    }
  if (kind == PH_PART_PATHS)
    {
      if (!find_node (document, words[*n], &to, error))
        return FALSE;
      *n += words[*n] != NULL;
    }
  if (kind == PH_PART_AROUND && words[*n] != NULL && g_ascii_isdigit (*words[*n]))
    {
      const guint64 number = g_ascii_strtoull (words[*n], NULL, 10);

      steps = (guint) CLAMP (number, 1, 1000);
      *n += 1;
    }
  else if (kind == PH_PART_AROUND && arrangement->part == PH_PART_AROUND)
    steps = arrangement->steps;
  arrangement->part = (PhPartKind) kind;
  arrangement->from = from;
  arrangement->to = to;
  arrangement->steps = steps;
  g_clear_pointer (&arrangement->also, g_array_unref);
  return TRUE;
}

gboolean
ph_arrangement_set_part (PhArrangement *arrangement, PhDocument *document, const char *const *words, GError **error)
{
  const guint kind = index_of (PH_VIEW_PART, words[0]);
  guint n = 0;

  if (kind <= PH_PART_TOUCHED && !begin_part (arrangement, document, words, &n, error))
    return FALSE;
  if (kind > PH_PART_TOUCHED && kind != G_MAXUINT)
    {
      if (!need_around (arrangement, error))
        return FALSE;
      arrangement->steps = g_str_equal (words[0], "wider") ? arrangement->steps + 1 : MAX (arrangement->steps, 2) - 1;
      g_clear_pointer (&arrangement->also, g_array_unref);
      n = 1;
    }
  if (g_str_equal (words[0], "beyond"))
    {
      PhId id;

      if (!need_around (arrangement, error) || !find_node (document, words[1], &id, error))
        return FALSE;

      g_autoptr (GArray) users = ph_view_users (ph_document_get_model (document), id);

      add_also (arrangement, (const PhId *) users->data, users->len);
      n = words[1] != NULL ? 2 : 1;
    }
  for (; words[n] != NULL; n++)
    if (*words[n] == '+' && words[n][1] != '\0')
      {
        if (!set_also (arrangement, document, words[n], error))
          return FALSE;
      }
    else
      {
        g_set_error (
            error, PH_ERROR, PH_ERROR_USAGE,
            "'%s' is not a part: say all, around NODE [STEPS], paths NODE NODE, touched, wider, narrower, beyond NODE, or +NODE",
            words[n]);
        return FALSE;
      }
  return ph_arrangement_find_part (arrangement, document, error);
}

char *
ph_arrangement_part_text (const PhArrangement *arrangement)
{
  GString *text = g_string_new (ph_view_row (PH_VIEW_PART)->words[arrangement->part].word);

  if (arrangement->part == PH_PART_AROUND)
    g_string_append_printf (text, " n%u %u", arrangement->from, arrangement->steps);
  else if (arrangement->part == PH_PART_PATHS)
    g_string_append_printf (text, " n%u n%u", arrangement->from, arrangement->to);
  for (guint i = 0; arrangement->also != NULL && i < arrangement->also->len; i++)
    g_string_append_printf (text, " +n%u", g_array_index (arrangement->also, PhId, i));
  return g_string_free (text, FALSE);
}
