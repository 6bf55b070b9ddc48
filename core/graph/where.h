/* where.h: the place in a program from which a node came.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Interned: equal places are one pointer, and live for ever. */
typedef struct _PhWhere PhWhere;
struct _PhWhere
{
  const char *file;     /* interned                                                                 */
  guint line;           /* from 1; 0: unknown                                                       */
  guint column;         /* likewise                                                                 */
  gboolean own;         /* a place of the very file that was opened: not written into another        */
  const PhWhere *outer; /* (nullable) where the function that holds it was called                    */
};

/* (nullable) @outer where neither a file nor a line is said. */
const PhWhere *ph_where_new (const char *file, guint line, guint column, gboolean own, const PhWhere *outer);
/* "model.py:12:5"; with @outer ", in train.py:40" behind it. (transfer full) */
char *ph_where_to_string (const PhWhere *where, gboolean outer);
/* The innermost first, each as "file", "file:line" or "file:line:column". NULL: there is none. */
const PhWhere *ph_where_parse (const char *const *texts, guint n);

G_END_DECLS
