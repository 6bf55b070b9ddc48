/* lexer.h: the state of the parser of HLO text, and its words. Private to core/io/hlo.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/hlo/hlo.h"

G_BEGIN_DECLS

typedef struct
{
  PhHlo *hlo;
  PhHloModule *module;
  PhHloComputation *computation;
  const char *begin, *end, *p; /* ends with a NUL                                              */
  PhTextLine line;
  guint depth;
  guint n_nested;     /* instructions that are written where their value is read       */
  GString *word;      /* the last word that was read                                  */
  GHashTable *frames; /* (nullable) number of a stack frame -> PhWhere                */
  GError *error;      /* (nullable) owned; the first one sticks                       */
} PhHloParser;

/* FALSE; @at: where in the text. */
gboolean ph_hlo_fail (PhHloParser *parser, const char *at, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Past blanks and comments; what stands there then, 0 at the end. */
char ph_hlo_peek (PhHloParser *parser);
/* @token, if it stands there. */
gboolean ph_hlo_take (PhHloParser *parser, const char *token);
gboolean ph_hlo_expect (PhHloParser *parser, const char *token);
/* A name, "%" before it or not; it lies in parser->word until the next one. NULL: there is none, nothing is read. */
const char *ph_hlo_word (PhHloParser *parser);
gboolean ph_hlo_is_word (PhHloParser *parser, const char *word); /* it is next; nothing is read */
/* "..." with its escapes undone. (transfer full) NULL: failed. */
char *ph_hlo_string (PhHloParser *parser);
gboolean ph_hlo_int (PhHloParser *parser, gint64 *value); /* FALSE: there is none, nothing is read */
/* Past one value up to a comma, a closing bracket, or the end of the line; FALSE: brackets do not match. */
gboolean ph_hlo_skip (PhHloParser *parser);
gboolean ph_hlo_skip_bracket (PhHloParser *parser); /* from an opening one past its partner */
/* What stands from @from to @to, on one line, valid UTF-8. (transfer full) */
char *ph_hlo_span (const char *from, const char *to);
gboolean ph_hlo_enter (PhHloParser *parser);

PhHloShape *ph_hlo_shape (PhHloParser *parser); /* NULL: failed */
gboolean ph_hlo_is_shape (PhHloParser *parser); /* a shape stands there */
/* Into @literals, a PhTensor for each leaf, NULL where it is left out. */
gboolean ph_hlo_literal (PhHloParser *parser, const PhHloShape *shape, GPtrArray *literals);
/* All of ", name=value". */
gboolean ph_hlo_attrs (PhHloParser *parser, PhHloInstruction *instruction);
gboolean ph_hlo_instructions (PhHloParser *parser, PhHloComputation *computation); /* up to "}" */

G_END_DECLS
