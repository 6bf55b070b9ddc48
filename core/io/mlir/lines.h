/* lines.h: the text of a module as MLIR dumps it after a pass, operation by operation, and what of it is not as it was after the pass before: only
 * that is parsed again. Values are numbered anew in each dump, so operations are compared by what they read, not by its name.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <string.h>

#include "core/io/parts.h"

G_BEGIN_DECLS

/* Whether the text from @p to @end, which has no mark at its end, begins with @word. */
static inline gboolean
ph_mlir_begins (const char *p, const char *end, const char *word)
{
  const gsize size = strlen (word);

  return (gsize) (end - p) >= size && memcmp (p, word, size) == 0;
}

typedef struct _PhMlirLines PhMlirLines;

/* @text must live as long as this: a whole module, or one function, where all others are as in @before (nullable). NULL: it is not laid out as
 * MLIR prints modules, or no function in it is worth it. */
PhMlirLines *ph_mlir_lines_new (const char *text, gsize size, gboolean whole, PhMlirLines *before);
void ph_mlir_lines_free (PhMlirLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhMlirLines, ph_mlir_lines_free)

/* The module @after, where of what is as in @before only that stands which the rest reads. As many lines as the text that @after was made of.
 * @parts: (out) (element-type PhTextPart); @same: (element-type utf8) symbols of functions that are as they were: they have no body in the text. NULL: too much differs,
 * or what differs cannot be told alone. (transfer full) */
GString *ph_mlir_lines_compare (PhMlirLines *before, PhMlirLines *after, GPtrArray *parts, GPtrArray *same);
/* The symbols of the functions that are followed. (transfer container) (element-type utf8) */
GPtrArray *ph_mlir_lines_followed (PhMlirLines *lines);
/* The operations of @symbol have the names that they have in @before. FALSE: its text is another. */
gboolean ph_mlir_lines_keep (PhMlirLines *lines, PhMlirLines *before, const char *symbol);
/* The names of the operations of @symbol in order, without its terminator. (nullable): it is not followed. (transfer full) */
PhTextPart *ph_mlir_lines_all (PhMlirLines *lines, const char *symbol);
/* It cannot be told which operation is which node: @symbol is read whole each time. */
void ph_mlir_lines_forget (PhMlirLines *lines, const char *symbol);

G_END_DECLS
