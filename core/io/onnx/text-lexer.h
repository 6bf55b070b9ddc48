/* text-lexer.h: words of ONNX's text syntax.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/onnx/proto.h"

G_BEGIN_DECLS

typedef enum
{
  PH_TOKEN_END,
  PH_TOKEN_NAME,
  PH_TOKEN_STRING,
  PH_TOKEN_INT,
  PH_TOKEN_FLOAT,
  PH_TOKEN_SIGN
} PhTokenKind;

typedef struct
{
  PhTokenKind kind;
  char sign;      /* of SIGN; '>' stands for "=>" too, see arrow  */
  gboolean arrow; /* "=>"                                         */
  char *text;     /* NAME, STRING: in the arena; numbers: as written */
  gsize length;   /* of STRING, which may hold zeros              */
  gint64 i;
  double f;
  guint line, column;
} PhToken;

typedef struct
{
  PhOnnxSource *source;
  PhArena *arena;
  const char *at, *end, *line_start;
  guint line;
  PhToken token; /* the one to be looked at                      */
  GError **error;
  gboolean failed;
} PhLexer;

void ph_lexer_init (PhLexer *lexer, PhOnnxSource *source, PhArena *arena, const char *text, gsize length, GError **error);
gboolean ph_lexer_next (PhLexer *lexer); /* FALSE: an error was set                */
gboolean ph_lexer_fail (PhLexer *lexer, const char *format, ...) G_GNUC_PRINTF (2, 3); /* at the token      */
gboolean ph_lexer_is (const PhLexer *lexer, char sign);
gboolean ph_lexer_take (PhLexer *lexer, char sign); /* takes it if it is there                */
gboolean ph_lexer_expect (PhLexer *lexer, char sign);
gboolean ph_lexer_expect_arrow (PhLexer *lexer);
char ph_lexer_peek (PhLexer *lexer); /* first character after the token        */
void ph_lexer_mark (PhLexer *lexer, gconstpointer message, const PhToken *token);
const char *ph_lexer_describe (PhLexer *lexer); /* the token, for messages; in the arena  */

gboolean ph_text_is_name (const char *text); /* needs no quotes                        */

G_END_DECLS
