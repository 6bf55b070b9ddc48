/* statements.h: the text of a snapshot, statement by statement: of the next snapshot only what differs is read, and what that reads. For texts
 * whose values keep their names from pass to pass.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/io/parts.h"
#include "core/io/source.h"

G_BEGIN_DECLS

typedef enum
{
  PH_STATEMENT_BLANK, /* it says nothing                                                        */
  PH_STATEMENT_FIXED, /* read each time; where it changes, all is read                           */
  PH_STATEMENT_FRAME, /* read each time: what returns values, or holds statements                */
  PH_STATEMENT_ABOVE, /* it belongs to the statements below it                                   */
  PH_STATEMENT_VALUE, /* it makes the value of its name                                          */
} PhStatementKind;

typedef struct _PhStatements PhStatements;

/* How a language writes its graphs. */
typedef struct
{
  /* Adds all of @text. FALSE: it is laid out in a way that is not read in parts. */
  gboolean (*split) (PhStatements *statements, const char *text, gsize size);
  /* Adds to @reads (element-type interned utf8) all names that @key may read. @typed: (out) it says the type of its value. FALSE: names do not
   * tell what it does. */
  gboolean (*describe) (const char *key, gsize size, GPtrArray *reads, gboolean *typed);
  /* Appends a statement on as many lines as @text that makes its value, with its type, of nothing. */
  void (*stand) (const char *text, gsize size, GString *out);
  gboolean (*is_ordered) (const PhNode *node); /* (nullable) it comes before and after others of its kind */
  PhModel *(*read) (PhSource *source, const char *text, gsize size, guint line, GError **error);
} PhStatementSyntax;

void ph_statements_free (PhStatements *statements);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhStatements, ph_statements_free)

/* For split, in order and without gaps. Two texts with one @key are the same statement. @name: of the value. FALSE: it was there before. */
gboolean ph_statements_add (PhStatements *statements, PhStatementKind kind, const char *text, const char *end, const char *key,
                            gsize n_key, const char *name, gsize n_name);

/* The model of @text, which begins at line @line of the source. @before: (inout) (nullable) the snapshot before, and then this one. @parts: (out)
 * (nullable) (element-type PhTextPart) where the model holds only what changed, or the next one may. */
PhModel *ph_statements_read (const PhStatementSyntax *syntax, PhStatements **before, PhSource *source, const char *text,
                             gsize size, guint line, GPtrArray **parts, GError **error);
/* How many statements of the last text were read; all of them: G_MAXUINT. */
guint ph_statements_n_read (const PhStatements *statements);

G_END_DECLS
