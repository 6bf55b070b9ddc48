/* lexer.h: the words of MLIR text, and the state of its parser. Private to core/io/mlir.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/mlir/mlir.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_MLIR_END, PH_MLIR_ID, PH_MLIR_PERCENT, PH_MLIR_AT, PH_MLIR_CARET, PH_MLIR_HASH, PH_MLIR_BANG, PH_MLIR_INTEGER, PH_MLIR_REAL,
  PH_MLIR_QUOTED, PH_MLIR_ARROW, PH_MLIR_PUNCT
} PhMlirTokenKind;
/* clang-format on */

typedef struct
{
  PhMlirTokenKind kind;
  const char *start, *end;
  char punct;     /* of PUNCT; '2' for "::", "<=", "==", ...   */
  gboolean fresh; /* the first of its line                     */
  guint line, column;
} PhMlirToken;

typedef struct
{
  PhMlirModule *module;
  PhSource *source;
  const char *begin, *end, *p, *line_start;
  guint line, depth;
  PhMlirToken token;
  GError *error;         /* (nullable) owned; the first one sticks                    */
  gboolean final;        /* no other reading of the operation would mend @error       */
  gsize read_again;      /* bytes of operations in forms that are not known           */
  GHashTable *aliases;   /* "#loc3", "!t" -> PhMlirAlias                              */
  GHashTable *types;     /* (nullable) what is written of a type -> PhMlirType        */
  GHashTable *resources; /* name -> GBytes                                            */
  GPtrArray *scopes;     /* (element-type GHashTable): names that are defined         */
} PhMlirParser;

typedef struct
{
  const char *p;
  guint line;
  gboolean busy, done;
  PhMlirAttr *attr;
  PhMlirLoc *loc;
  PhMlirType type;
  gboolean typed;
} PhMlirAlias;

void ph_mlir_next (PhMlirParser *parser);
void ph_mlir_seek (PhMlirParser *parser, const PhMlirToken *token); /* back to it */
gboolean ph_mlir_is (PhMlirParser *parser, char punct);
gboolean ph_mlir_is_word (PhMlirParser *parser, const char *word);
guint64 ph_mlir_count (PhMlirParser *parser); /* the decimal digits of the token; G_MAXUINT64: too many */
gboolean ph_mlir_take (PhMlirParser *parser, char punct);
gboolean ph_mlir_expect (PhMlirParser *parser, char punct);
/* FALSE; the first failure is kept. */
gboolean ph_mlir_fail (PhMlirParser *parser, const char *format, ...) G_GNUC_PRINTF (2, 3);
const char *ph_mlir_text (PhMlirParser *parser); /* of the token, interned */
/* What is written from @from up to the present token, on one line; interned. */
const char *ph_mlir_span (PhMlirParser *parser, const char *from);
/* Past the present token, and to its partner where it opens a bracket. */
void ph_mlir_skip (PhMlirParser *parser);
char *ph_mlir_unquote (PhMlirParser *parser);  /* (transfer full) of a QUOTED token */
gboolean ph_mlir_enter (PhMlirParser *parser); /* FALSE: too deep */
gpointer ph_mlir_new (PhMlirParser *parser, gsize size);
GArray *ph_mlir_array (PhMlirParser *parser, gsize size);
GPtrArray *ph_mlir_ptr_array (PhMlirParser *parser);

gboolean ph_mlir_type (PhMlirParser *parser, PhMlirType *type);
PhMlirAttr *ph_mlir_value (PhMlirParser *parser); /* an attribute; NULL: failed */
/* "[b, f, 0]x[o, i, 0]->[b, f, 0]", of convolutions, as a dictionary; NULL: failed */
PhMlirAttr *ph_mlir_dim_numbers (PhMlirParser *parser);
gboolean ph_mlir_dict (PhMlirParser *parser, GPtrArray *into); /* "{" is the present token   */
gboolean ph_mlir_loc (PhMlirParser *parser, PhMlirLoc *loc);   /* "loc" is the present token */
PhMlirAlias *ph_mlir_alias (PhMlirParser *parser, const char *name);
/* dense<...> : type, dense_resource, with "dense" as the present token. */
PhMlirAttr *ph_mlir_dense (PhMlirParser *parser);
GBytes *ph_mlir_hex (const char *text, gsize size); /* (nullable) of "0x..." */

G_END_DECLS
