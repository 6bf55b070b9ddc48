/* rewrite-list.c: the rewrites of one step as a list model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/rewrite-list.h"

G_DEFINE_FINAL_TYPE (PhRewriteItem, ph_rewrite_item, G_TYPE_OBJECT)

static void
ph_rewrite_item_class_init (PhRewriteItemClass *klass)
{
}

static void
ph_rewrite_item_init (PhRewriteItem *self)
{
}

struct _PhRewriteList
{
  GObject     parent_instance;
  PhDocument *document;       /* (nullable)                                       */
  guint       step;
  guint       first, n;       /* into the history's rewrites                      */
};

static GType
get_item_type (GListModel *model)
{
  return PH_TYPE_REWRITE_ITEM;
}

static guint
get_n_items (GListModel *model)
{
  return PH_REWRITE_LIST (model)->n;
}

static gpointer
get_item (GListModel *model, guint position)
{
  PhRewriteList *self = PH_REWRITE_LIST (model);
  PhHistory *history = self->document ? ph_document_get_history (self->document) : NULL;

  if (position >= self->n || !history || self->first + position >= history->rewrites->len)
    return NULL;
  const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, self->first + position);
  PhRewriteItem *item = g_object_new (PH_TYPE_REWRITE_ITEM, NULL);
  item->number = position + 1;
  item->rule = rewrite->rule;
  item->why = rewrite->why;
  item->node = rewrite->node;
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

void
ph_rewrite_list_show (PhRewriteList *self, PhDocument *document, guint step)
{
  PhHistory *history = document ? ph_document_get_history (document) : NULL;
  guint old = self->n;

  g_return_if_fail (PH_IS_REWRITE_LIST (self));
  g_set_object (&self->document, document);
  self->step = step;
  self->first = self->n = 0;
  if (history && step < history->steps->len)
    {
      const PhStep *shown = &g_array_index (history->steps, PhStep, step);
      self->first = shown->first_rewrite;
      self->n = shown->n_rewrites;
    }
  g_list_model_items_changed (G_LIST_MODEL (self), 0, old, self->n);
}

static void
ph_rewrite_list_dispose (GObject *object)
{
  g_clear_object (&PH_REWRITE_LIST (object)->document);
  G_OBJECT_CLASS (ph_rewrite_list_parent_class)->dispose (object);
}

static void
ph_rewrite_list_class_init (PhRewriteListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ph_rewrite_list_dispose;
}

static void
ph_rewrite_list_init (PhRewriteList *self)
{
}

PhRewriteList *
ph_rewrite_list_new (void)
{
  return g_object_new (PH_TYPE_REWRITE_LIST, NULL);
}
