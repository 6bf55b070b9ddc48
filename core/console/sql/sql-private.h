/* sql-private.h: what a query reads, and how a table over it is declared.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <sqlite3.h>

#include "core/console/command-code.h"
#include "core/console/console-state.h"
#include "core/run/profile.h"

G_BEGIN_DECLS

typedef struct
{
  PhId src, dst, value;
  guint slot;
} PhSqlEdge;
typedef struct
{
  PhNode *node;
  PhAttr *attr;
} PhSqlAttr;

typedef struct _PhSqlChanges PhSqlChanges; /* sql-changes.c */

/* The graph at one position, and what was made of it when a query first asked. */
typedef struct
{
  PhPosition at;
  PhModel *model;
  gboolean owned;                      /* or it is the document's own                                             */
  guint cursors;                       /* that read it                                                            */
  GArray *edges_by_dst, *edges_by_src; /* (nullable) (element-type PhSqlEdge)                     */
  GArray *attrs;                       /* (nullable) (element-type PhSqlAttr) by node id                          */
  guint *depth;                        /* (nullable) of each node: the longest way to it from an input, in nodes  */
  GHashTable *critical;                /* (nullable) the nodes of the path that costs most                        */
  GPtrArray *indexes;                  /* (element-type PhSqlIndex)                                               */
} PhSqlView;

struct _PhSql
{
  PhDocument *document; /* (unowned) its console lives as long as it does; its own thread only     */
  sqlite3 *db;
  GMutex lock; /* one query at a time                                                     */

  /* What the queries read: the document itself, or a snapshot of it where they run in a worker. */
  gboolean threaded;
  guint generation;
  PhModel *source;            /* the document's model that @here is, or was cloned from                  */
  PhSnapshot *snapshot;       /* (nullable) of which the worker makes @here                              */
  PhSqlView *here;            /* (nullable) nothing is open                                              */
  GPtrArray *others;          /* (element-type PhSqlView) for nodes_at() and its like                    */
  PhSqlView *view;            /* (nullable) the one that the row being read is of: callbacks read this   */
  PhHistory *history;         /* (nullable)                                                              */
  GHashTable *feeds, *values; /* (nullable) owned references                                             */
  PhProfile *profile;         /* (nullable) owned reference                                              */
  GPtrArray *problems;        /* (element-type char*) owned                                              */
  PhSqlChanges *changes;      /* (nullable) what the steps did, when a query asked                       */
  GArray *entries;            /* (element-type PhPipelineEntry) owned                                    */

  gboolean connecting;       /* SQLite reads our own declaration of a table                             */
  PhCall *call;              /* (nullable) of the query that runs                                       */
  GCancellable *cancellable; /* (nullable) of the query that runs                                       */
};

/* sql-changes.c */
void ph_sql_changes_free (PhSqlChanges *changes);

/* sql-view.c */
PhSqlView *ph_sql_view_new (PhModel *model, PhPosition at, gboolean owned);
void ph_sql_view_free (PhSqlView *view);
PhSqlView *ph_sql_find_view (PhSql *sql, const char *position, GError **error); /* (transfer none) */

/* sql-functions.c */
void ph_sql_add_functions (PhSql *sql);
void ph_sql_reply_functions (PhReply *reply); /* what `tables` says of them */
/* The path that costs most, by nodes or floating-point operations. (transfer full) (element-type PhNode) */
GPtrArray *ph_sql_find_longest (PhModel *model, gboolean flops);

/* sql-values.c: "[batch,8]", NULL where it is not known; and -1 where that is not */
char *ph_sql_shape_text (const PhType *type);
gint64 ph_sql_value_bytes (const PhValue *value);

G_END_DECLS
