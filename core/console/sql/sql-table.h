/* sql-table.h: how a table over the document is declared, and what its columns answer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/sql/sql-private.h"

G_BEGIN_DECLS

#define PH_SQL_KEYS 2

/* The rows of a table with the same text in a column. */
typedef struct
{
  const char *text; /* interned, or static */
  guint first;      /* slot                */
} PhSqlGroup;

/* The rows of a table by the text of a column. */
typedef struct
{
  const void *table;
  int column;
  GArray *groups;      /* (element-type PhSqlGroup)                                    */
  GHashTable *by_text; /* text -> index in @groups                                     */
  guint *next;         /* of each slot the next one with the same text, or G_MAXUINT   */
  guint *order;        /* (nullable) @groups in the order of their texts               */
  gboolean partial;    /* some rows have no text                                       */
} PhSqlIndex;

/* A table is a number of slots, some of them empty. A key is a column of integers by which its rows are found at once;
 * the slots of key k are counted in an order of its own. By a text column rows are found through an index. */
typedef struct
{
  const char *name;
  const char *columns; /* as in CREATE TABLE                                                      */
  const char *doc;
  gint64 (*count) (PhSql *sql);
  gboolean (*has) (PhSql *sql, gint64 slot); /* (nullable) all slots hold a row */
  void (*column) (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out);
  int keys[PH_SQL_KEYS]; /* columns, -1 ends                                                        */
  void (*range) (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end);
  const char *(*text) (PhSql *sql, gint64 slot, int column); /* (nullable) of the columns:   */
  int texts[PH_SQL_KEYS];                                    /* 0 ends                       */
  int at;         /* the hidden column that is a position, or 0                              */
  gboolean here;  /* without one it is the present position                                  */
  gboolean kinds; /* many rows have the same text in the first of texts                      */
} PhSqlTable;

extern const PhSqlTable ph_sql_node_tables[], ph_sql_value_tables[], ph_sql_other_tables[], ph_sql_change_tables[];
extern const guint ph_sql_n_node_tables, ph_sql_n_value_tables, ph_sql_n_other_tables, ph_sql_n_change_tables;

/* sql-table.c */
/* The rows of @table in @view by the text of @column. */
PhSqlIndex *ph_sql_view_index (PhSql *sql, PhSqlView *view, const PhSqlTable *table, int column);
void ph_sql_index_sort (PhSqlIndex *index); /* makes its order */
void ph_sql_add_table (PhSql *sql, const PhSqlTable *table);

void ph_sql_result_text (sqlite3_context *out, const char *text); /* copies, makes it valid UTF-8; NULL: null */
void ph_sql_result_take (sqlite3_context *out, char *text);       /* frees @text */
void ph_sql_result_id (sqlite3_context *out, PhId id);            /* PH_NO_ID: null */

G_END_DECLS
