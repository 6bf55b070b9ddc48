/* step-item.c: rows of the pipeline list: the file, the steps that ran, the passes still to run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/step-item.h"

G_DEFINE_FINAL_TYPE (PhStepItem, ph_step_item, G_TYPE_OBJECT)

static guint changed_signal;

static void
ph_step_item_class_init (PhStepItemClass *klass)
{
  changed_signal = g_signal_new ("changed", PH_TYPE_STEP_ITEM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ph_step_item_init (PhStepItem *self)
{
}

static PhStepItem *
item_new (PhStepItemKind kind, guint step, int entry)
{
  PhStepItem *item = g_object_new (PH_TYPE_STEP_ITEM, NULL);

  item->kind = kind;
  item->step = step;
  item->entry = entry;
  return item;
}

gboolean
ph_step_item_same_row (PhStepItem *a, PhStepItem *b)
{
  return a->entry >= 0 ? a->entry == b->entry : a->kind == b->kind && a->step == b->step && a->entry == b->entry;
}

void
ph_step_item_become (PhStepItem *item, PhStepItem *other)
{
  item->kind = other->kind;
  item->step = other->step;
  item->entry = other->entry;
  g_signal_emit (item, changed_signal, 0);
}

/* Lists the steps in the order in which they ran; an entry without a step follows the entry before it in the pipeline. */
GPtrArray *
ph_step_items_of (PhDocument *document, gboolean changed_only)
{
  PhPosition at = ph_document_get_position (document);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  PhHistory *history = ph_document_get_history (document);
  GArray *entries = ph_document_get_entries (document);
  guint n_steps = history ? history->steps->len : 0;
  guint entry = 0;

  if (!history)
    return items;
  g_ptr_array_add (items, item_new (PH_STEP_ITEM_FILE, 0, -1));
  for (guint step = 0; step < n_steps; step++)
    {
      int own = -1;
      for (guint e = 0; entries && e < entries->len; e++)
        if (ph_document_entry_step (document, e) == (int) step)
          own = (int) e;
      for (; own >= 0 && entry < (guint) own; entry++)
        if (ph_document_entry_step (document, entry) < 0)
          g_ptr_array_add (items, item_new (PH_STEP_ITEM_ENTRY, 0, (int) entry));
      if (own >= 0)
        entry = (guint) own + 1;
      const PhStep *done = &g_array_index (history->steps, PhStep, step);
      gboolean present = at.step + (at.rewrite > 0) == step + 1;
      if (!changed_only || present || done->n_rewrites > 0 || done->n_added + done->n_removed + done->n_changed > 0)
        g_ptr_array_add (items, item_new (PH_STEP_ITEM_STEP, step, own));
    }
  for (; entries && entry < entries->len; entry++)
    if (ph_document_entry_step (document, entry) < 0)
      g_ptr_array_add (items, item_new (PH_STEP_ITEM_ENTRY, 0, (int) entry));
  return items;
}
