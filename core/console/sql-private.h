/* sql-private.h: what a query reads, and how a table over it is declared.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <sqlite3.h>

#include "core/console/console-private.h"

G_BEGIN_DECLS

typedef struct { PhId src, dst, value; guint slot; } PhSqlEdge;
typedef struct { PhNode *node; PhAttr *attr; } PhSqlAttr;

struct _PhSql
{
  PhDocument *document;          /* (unowned) its console lives as long as it does; its own thread only     */
  sqlite3    *db;
  GMutex      lock;              /* one query at a time                                                     */

  /* What the queries read: the document itself, or a snapshot of it where they run in a worker. */
  gboolean    owned;
  guint       generation;
  PhPosition  position;
  PhModel    *source;            /* the document's model that @model is, or was cloned from                 */
  PhModel    *model;             /* (nullable) nothing is open                                              */
  PhHistory  *history;           /* (nullable)                                                              */
  GHashTable *feeds, *values;    /* (nullable) owned references                                             */
  GPtrArray  *problems;          /* (element-type char*) owned                                              */
  GArray     *entries;           /* (element-type PhPipelineEntry) owned                                    */

  /* Made when a query first asks. */
  GArray     *edges_by_dst, *edges_by_src;       /* (nullable) (element-type PhSqlEdge)                     */
  GArray     *attrs;             /* (nullable) (element-type PhSqlAttr) by node id                          */
  PhModel    *other;             /* (nullable) for nodes_at(): the model at @other_at                       */
  PhPosition  other_at;

  gboolean    connecting;        /* SQLite reads our own declaration of a table                              */
  GCancellable *cancellable;     /* (nullable) of the query that runs                                       */
};

#define PH_SQL_KEYS 2

/* A table is a number of slots, some of them empty. A key is a column of integers by which its rows are found at once;
 * the slots of key k are counted in an order of its own. */
typedef struct
{
  const char *name;
  const char *columns;           /* as in CREATE TABLE                                                      */
  const char *doc;
  gint64    (*count)  (PhSql *sql);
  gboolean  (*has)    (PhSql *sql, gint64 slot);                            /* (nullable) all slots hold a row */
  void      (*column) (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out);
  int         keys[PH_SQL_KEYS]; /* columns, -1 ends                                                        */
  void      (*range)  (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end);
  int         at;                /* the hidden column that is a position, or 0                              */
} PhSqlTable;

extern const PhSqlTable ph_sql_graph_tables[], ph_sql_other_tables[];
extern const guint      ph_sql_n_graph_tables, ph_sql_n_other_tables;

/* sql-table.c */
void ph_sql_add_table   (PhSql *sql, const PhSqlTable *table);

void ph_sql_result_text (sqlite3_context *out, const char *text);            /* copies, makes it valid UTF-8; NULL: null */
void ph_sql_result_take (sqlite3_context *out, char *text);                  /* frees @text */
void ph_sql_result_id   (sqlite3_context *out, PhId id);                     /* PH_NO_ID: null */

G_END_DECLS
