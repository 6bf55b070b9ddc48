/* rewrite-list.c: the rewrites of one step as a list model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/rewrite-list.h"

#include <string.h>

G_DEFINE_FINAL_TYPE (PhRewriteItem, ph_rewrite_item, G_TYPE_OBJECT)

static guint changed_signal;

static void
ph_rewrite_item_class_init (PhRewriteItemClass *klass)
{
  changed_signal = g_signal_new ("changed", PH_TYPE_REWRITE_ITEM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ph_rewrite_item_init (PhRewriteItem *self)
{
}

const PhRule *
ph_rewrite_item_get_rule (PhRewriteItem *item)
{
  g_autofree char *name = g_strndup (item->pass, strcspn (item->pass, " "));
  const PhPass *pass = ph_pass_find (name);

  for (guint i = 0; pass && i < pass->n_rules; i++)
    if (g_str_equal (pass->rules[i].name, item->rule))
      return &pass->rules[i];
  return NULL;
}

struct _PhRewriteList
{
  GObject parent_instance;
  PhDocument *document; /* (nullable)                                                          */
  guint step;
  guint first, total; /* into the history's rewrites                                         */
  char *filter;       /* (nullable) in lower case                                            */
  GArray *fits;       /* (element-type guint) (nullable) the matching rewrites, from 0; NULL: all */
  GPtrArray *shown;   /* (element-type PhRewriteItem) (unowned) that a row holds             */
};

static guint
count (PhRewriteList *self)
{
  return self->fits ? self->fits->len : self->total;
}

static GType
get_item_type (GListModel *model)
{
  return PH_TYPE_REWRITE_ITEM;
}

static guint
get_n_items (GListModel *model)
{
  return count (PH_REWRITE_LIST (model));
}

static void
forget (gpointer data, GObject *item)
{
  g_ptr_array_remove_fast (PH_REWRITE_LIST (data)->shown, item);
}

static gpointer
get_item (GListModel *model, guint position)
{
  PhRewriteList *self = PH_REWRITE_LIST (model);
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;

  if (position >= count (self) || !history || self->step >= history->steps->len)
    return NULL;
  guint number = self->fits ? g_array_index (self->fits, guint, position) : position;
  if (self->first + number >= history->rewrites->len)
    return NULL;
  const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, self->first + number);
  PhRewriteItem *item = g_object_new (PH_TYPE_REWRITE_ITEM, NULL);
  item->step = self->step;
  item->number = number + 1;
  item->pass = g_array_index (history->steps, PhStep, self->step).pass;
  item->rule = rewrite->rule;
  item->why = rewrite->why;
  item->node = rewrite->node;
  g_ptr_array_add (self->shown, item);
  g_object_weak_ref (G_OBJECT (item), forget, self);
  return item;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (PhRewriteList, ph_rewrite_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* --- filtering ----------------------------------------------------------------------------------------------------- */

static gboolean
contains (const char *text, const char *part)
{
  g_autofree char *lower = g_utf8_strdown (text ? text : "", -1);
  return strstr (lower, part) != NULL;
}

/* Rules and sentences are interned: each is looked at once, however often it was applied. */
static gboolean
rule_fits (PhRewriteList *self, GHashTable *known, const PhRewrite *rewrite)
{
  gpointer value;

  if (g_hash_table_lookup_extended (known, rewrite->rule, NULL, &value))
    return GPOINTER_TO_INT (value);
  gboolean fits = contains (rewrite->rule, self->filter) || contains (rewrite->why, self->filter);
  g_hash_table_insert (known, (gpointer) rewrite->rule, GINT_TO_POINTER (fits));
  return fits;
}

static gboolean
node_fits (PhRewriteList *self, const PhRewrite *rewrite)
{
  char id[16];

  if (rewrite->node == PH_NO_ID)
    return FALSE;
  g_snprintf (id, sizeof id, "n%u", rewrite->node);
  if (g_str_equal (id, self->filter))
    return TRUE;
  const PhNode *node = ph_model_find_node (ph_document_get_model (self->document), rewrite->node);
  return node && *node->name && contains (node->name, self->filter);
}

static void
apply_filter (PhRewriteList *self)
{
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);

  g_clear_pointer (&self->fits, g_array_unref);
  if (!self->filter || !history)
    return;
  self->fits = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < self->total; i++)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, self->first + i);
      if (rule_fits (self, known, rewrite) || node_fits (self, rewrite))
        g_array_append_val (self->fits, i);
    }
}

/* Removes all items before new ones are added: for items replaced at once GtkListView examines every new one to find old ones again. */
static void
empty (PhRewriteList *self)
{
  guint old = count (self);

  g_clear_pointer (&self->fits, g_array_unref);
  self->total = 0;
  if (old > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, old, 0);
}

static void
fill (PhRewriteList *self)
{
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;

  if (history && self->step < history->steps->len)
    {
      const PhStep *shown = &g_array_index (history->steps, PhStep, self->step);
      self->first = shown->first_rewrite;
      self->total = shown->n_rewrites;
    }
  apply_filter (self);
  if (count (self) > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, 0, count (self));
}

void
ph_rewrite_list_filter (PhRewriteList *self, const char *text)
{
  g_return_if_fail (PH_IS_REWRITE_LIST (self));
  empty (self);
  g_free (self->filter);
  self->filter = text && *text ? g_utf8_strdown (text, -1) : NULL;
  fill (self);
}

void
ph_rewrite_list_show (PhRewriteList *self, PhDocument *document, guint step)
{
  g_return_if_fail (PH_IS_REWRITE_LIST (self));
  empty (self);
  g_set_object (&self->document, document);
  self->step = step;
  fill (self);
}

guint
ph_rewrite_list_get_total (PhRewriteList *self)
{
  return self->total;
}

guint
ph_rewrite_list_find (PhRewriteList *self, guint number)
{
  guint row;

  if (number == 0 || number > self->total)
    return G_MAXUINT;
  if (!self->fits)
    return number - 1;
  for (row = 0; row < self->fits->len && g_array_index (self->fits, guint, row) < number - 1;)
    row++;
  return row < self->fits->len && g_array_index (self->fits, guint, row) == number - 1 ? row : G_MAXUINT;
}

void
ph_rewrite_list_touch (PhRewriteList *self)
{
  for (guint i = 0; i < self->shown->len; i++)
    g_signal_emit (self->shown->pdata[i], changed_signal, 0);
}

/* --- object -------------------------------------------------------------------------------------------------------- */

static void
ph_rewrite_list_finalize (GObject *object)
{
  PhRewriteList *self = PH_REWRITE_LIST (object);

  for (guint i = 0; i < self->shown->len; i++)
    g_object_weak_unref (self->shown->pdata[i], forget, self);
  g_ptr_array_unref (self->shown);
  g_clear_pointer (&self->fits, g_array_unref);
  g_clear_pointer (&self->filter, g_free);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (ph_rewrite_list_parent_class)->finalize (object);
}

static void
ph_rewrite_list_class_init (PhRewriteListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ph_rewrite_list_finalize;
}

static void
ph_rewrite_list_init (PhRewriteList *self)
{
  self->shown = g_ptr_array_new ();
}

PhRewriteList *
ph_rewrite_list_new (void)
{
  return g_object_new (PH_TYPE_REWRITE_LIST, NULL);
}
