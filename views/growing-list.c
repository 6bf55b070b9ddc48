/* growing-list.c: a list model that gives a list view the first rows of another model at once, and the others a little later.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/growing-list.h"

#define FIRST    30 /* rows: more than a panel shows                 */
#define MORE     25
#define ENOUGH   230  /* rows that a list view creates; more cost nothing */
#define QUIET_MS 1200 /* without a change: while steps change quickly, only the first rows are needed */
#define EVERY_MS 30

struct _PhGrowingList
{
  GObject parent_instance;
  GListModel *source;
  guint n; /* given                */
  guint timer;
  gboolean waits; /* it grows when the timer has run off once */
};

static GType
get_item_type (GListModel *model)
{
  return g_list_model_get_item_type (PH_GROWING_LIST (model)->source);
}

static guint
get_n_items (GListModel *model)
{
  return PH_GROWING_LIST (model)->n;
}

static gpointer
get_item (GListModel *model, guint position)
{
  PhGrowingList *self = PH_GROWING_LIST (model);

  return position < self->n ? g_list_model_get_item (self->source, position) : NULL;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (PhGrowingList, ph_growing_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
give (PhGrowingList *self, guint n)
{
  const guint before = self->n;

  self->n = MIN (n, g_list_model_get_n_items (self->source));
  if (self->n > before)
    g_list_model_items_changed (G_LIST_MODEL (self), before, 0, self->n - before);
}

static gboolean
grow (gpointer data)
{
  PhGrowingList *self = data;

  if (self->waits)
    {
      self->waits = FALSE;
      self->timer = g_timeout_add (EVERY_MS, grow, self);
      return G_SOURCE_REMOVE;
    }
  give (self, self->n < ENOUGH ? self->n + MORE : G_MAXUINT);
  if (self->n < g_list_model_get_n_items (self->source))
    return G_SOURCE_CONTINUE;
  self->timer = 0;
  return G_SOURCE_REMOVE;
}

static void
on_changed (PhGrowingList *self, guint position, guint removed, guint added)
{
  const guint before = self->n, all = g_list_model_get_n_items (self->source);

  if (position < before || before < FIRST)
    {
      self->n = MIN (all, MAX (FIRST, position));
      position = MIN (position, MIN (before, self->n));
      g_list_model_items_changed (G_LIST_MODEL (self), position, before - position, self->n - position);
    }
  g_clear_handle_id (&self->timer, g_source_remove);
  self->waits = TRUE;
  if (self->n < all)
    self->timer = g_timeout_add (QUIET_MS, grow, self);
}

void
ph_growing_list_reach (PhGrowingList *self, guint position)
{
  g_return_if_fail (PH_IS_GROWING_LIST (self));
  if (position >= self->n)
    give (self, G_MAXUINT);
}

static void
ph_growing_list_dispose (GObject *object)
{
  PhGrowingList *self = PH_GROWING_LIST (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->source)
    g_signal_handlers_disconnect_by_data (self->source, self);
  self->n = 0;
  g_clear_object (&self->source);
  G_OBJECT_CLASS (ph_growing_list_parent_class)->dispose (object);
}

static void
ph_growing_list_class_init (PhGrowingListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ph_growing_list_dispose;
}

static void
ph_growing_list_init (PhGrowingList *self)
{
}

PhGrowingList *
ph_growing_list_new (GListModel *source)
{
  PhGrowingList *self = g_object_new (PH_TYPE_GROWING_LIST, NULL);

  self->source = g_object_ref (source);
  g_signal_connect_swapped (source, "items-changed", G_CALLBACK (on_changed), self);
  on_changed (self, 0, 0, g_list_model_get_n_items (source));
  return self;
}
