/* rewrite-list.h: the rewrites of one step as a list model. A million cost nothing: items exist only for visible rows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_REWRITE_ITEM (ph_rewrite_item_get_type ())
G_DECLARE_FINAL_TYPE (PhRewriteItem, ph_rewrite_item, PH, REWRITE_ITEM, GObject)

struct _PhRewriteItem
{
  GObject     parent_instance;
  guint       number;         /* from 1, within its step                         */
  const char *rule, *why;     /* interned; why may be NULL                       */
  PhId        node;           /* where it matched; PH_NO_ID for the whole graph  */
};

#define PH_TYPE_REWRITE_LIST (ph_rewrite_list_get_type ())
G_DECLARE_FINAL_TYPE (PhRewriteList, ph_rewrite_list, PH, REWRITE_LIST, GObject)

PhRewriteList *ph_rewrite_list_new  (void);
/* @step counts from 0; G_MAXUINT: an empty list. */
void           ph_rewrite_list_show (PhRewriteList *list, PhDocument *document, guint step);

G_END_DECLS
