/* step-item.h: rows of the pipeline list: the file, the steps that ran, the passes still to run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

typedef enum
{
  PH_STEP_ITEM_FILE,
  PH_STEP_ITEM_STEP,
  PH_STEP_ITEM_ENTRY
} PhStepItemKind;

#define PH_TYPE_STEP_ITEM (ph_step_item_get_type ())
G_DECLARE_FINAL_TYPE (PhStepItem, ph_step_item, PH, STEP_ITEM, GObject)

/* Only says what a row stands for; the row reads the document. Signal: changed (). */
struct _PhStepItem
{
  GObject parent_instance;
  PhStepItemKind kind;
  guint step; /* STEP: index among the history's steps                          */
  int entry;  /* index among the pipeline's entries, -1: none (an extra step)   */
};

/* (element-type PhStepItem) (transfer full): for a GListStore. @changed_only: without the steps that changed nothing, but for
 * the present one. */
GPtrArray *ph_step_items_of (PhDocument *document, gboolean changed_only);
/* The row of an entry stays its row when the entry becomes a step, so that it keeps the keyboard. */
gboolean ph_step_item_same_row (PhStepItem *a, PhStepItem *b);
void ph_step_item_become (PhStepItem *item, PhStepItem *other); /* and says so, also when it is the same */

G_END_DECLS
