/* lexer.h: tokens of LLVM's assembly, and what its parser makes of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/llvm/llvm.h"

G_BEGIN_DECLS

/* ── tokens ── */

/* clang-format off */
typedef enum
{
  PH_LLVM_END, PH_LLVM_WORD,       /* "add", "i32", "4", "0x1p3", "-1.5", "...": whatever is none of the others */
  PH_LLVM_LOCAL, PH_LLVM_GLOBAL,   /* %x, @f: the name without its sign and its quotation marks */
  PH_LLVM_LABEL,                   /* "entry:" at the beginning of a block */
  PH_LLVM_STRING, PH_LLVM_META, PH_LLVM_OTHER,   /* "...", c"..."; !0, !"x", #0, $c, ^1; one character */
} PhLlvmTokenKind;
/* clang-format on */

typedef struct
{
  PhLlvmTokenKind kind;
  const char *start; /* in the text */
  gsize size;        /* of it there */
  const char *name;  /* (nullable) of LOCAL, GLOBAL and LABEL, in the module's strings */
  guint line, column;
  gboolean first; /* of its line */
} PhLlvmToken;

/* ── between the files of this folder ── */

typedef struct
{
  PhSource *source;
  PhLlvmModule *module;
  const char *at, *end, *line_start;
  guint line;
  gboolean first;
  GError **error;
} PhLlvmLexer;

/* FALSE with the lexer's error. */
gboolean ph_llvm_next (PhLlvmLexer *lexer, PhLlvmToken *token);
gboolean ph_llvm_fail (PhLlvmLexer *lexer, const PhLlvmToken *token, const char *format, ...) G_GNUC_PRINTF (3, 4);
gboolean ph_llvm_is (const PhLlvmToken *token, const char *text);
/* How many of @tokens, from the first, are a type; 0: they begin with none. */
guint ph_llvm_type_length (const PhLlvmToken *tokens, guint n);
/* From its tokens; @n > 0. (transfer full) */
PhLlvmInstruction *ph_llvm_instruction (PhLlvmLexer *lexer, const PhLlvmToken *tokens, guint n);

G_END_DECLS
