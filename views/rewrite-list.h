/* rewrite-list.h: the rewrites of one step as a list model; a million of them cost nothing until they are shown.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_REWRITE_ITEM (ph_rewrite_item_get_type ())
G_DECLARE_FINAL_TYPE (PhRewriteItem, ph_rewrite_item, PH, REWRITE_ITEM, GObject)

/* A proxy that exists while its row is shown. */
struct _PhRewriteItem
{
  GObject parent_instance;
  guint step;                    /* index                   */
  guint number;                  /* from 1, within its step */
  const char *pass, *rule, *why; /* interned              */
  PhId node;                     /* PH_NO_ID: the whole graph */
};

/* The rule as the pass declares it; NULL for passes that are functions. */
const PhRule *ph_rewrite_item_get_rule (PhRewriteItem *item);

#define PH_TYPE_REWRITE_LIST (ph_rewrite_list_get_type ())
G_DECLARE_FINAL_TYPE (PhRewriteList, ph_rewrite_list, PH, REWRITE_LIST, GObject)

PhRewriteList *ph_rewrite_list_new (void);
/* @step: index among the steps of the document's history, or G_MAXUINT for none. */
void ph_rewrite_list_show (PhRewriteList *list, PhDocument *document, guint step);
/* Only those whose rule, sentence or node has @text in it; NULL or "": all. */
void ph_rewrite_list_filter (PhRewriteList *list, const char *text);
guint ph_rewrite_list_get_total (PhRewriteList *list); /* of the step, whatever the filter */
/* The row of rewrite @number (from 1); GTK_INVALID_LIST_POSITION when the filter hides it. */
guint ph_rewrite_list_find (PhRewriteList *list, guint number);
/* The rows that are shown say something else now (breakpoints). */
void ph_rewrite_list_touch (PhRewriteList *list);

G_END_DECLS
