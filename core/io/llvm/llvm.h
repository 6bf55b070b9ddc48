/* llvm.h: LLVM's assembly text (the .ll files of LLVM 3 to 19, and what its passes print) as functions, blocks and instructions.
 * It reads the shape of the text (https://llvm.org/docs/LangRef.html), not its meaning: an instruction of a newer LLVM is kept as
 * it is written.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/type.h"
#include "core/io/source.h"

G_BEGIN_DECLS

/* ── what is read ── */

typedef enum
{
  PH_LLVM_VALUE,
  PH_LLVM_CONSTANT,
  PH_LLVM_TEXT
} PhLlvmOperandKind;

typedef struct
{
  PhLlvmOperandKind kind;
  const char *text;  /* VALUE: the name of what it uses; else as written, types of aggregates included */
  const char *type;  /* (nullable) as written */
  const char *block; /* (nullable) of a phi: from where */
} PhLlvmOperand;

typedef struct
{
  const char *result;   /* (nullable) */
  const char *opcode;   /* "add", "call" (also of a tail call) */
  const char *type;     /* (nullable) of the result, as written; where it follows from the text */
  const char *flags;    /* (nullable) "nuw nsw", "uge", "inbounds": the words before the first type */
  const char *metadata; /* (nullable) "range noalias": the kinds that promise more of a value than its type */
  const char *text;     /* all after the opcode, without metadata; names of values as "%0", "%1": which operand */
  GArray *operands;     /* (element-type PhLlvmOperand) */
  GPtrArray *targets;   /* (nullable) (element-type utf8) the blocks to which it may go */
  guint line, column;
} PhLlvmInstruction;

typedef struct
{
  const char *name;
  GPtrArray *instructions;
  guint line, column;
} PhLlvmBlock;
typedef struct
{
  const char *name, *type;
} PhLlvmParameter;

typedef struct
{
  const char *name;
  const char *header; /* from the type to before the brace */
  GArray *parameters; /* (element-type PhLlvmParameter) */
  GPtrArray *blocks;  /* (element-type PhLlvmBlock) */
  guint line, column;
  GHashTable
      *standing; /* (nullable) lines from 0 on: instructions that only stand for what was there before; who sets it frees it */
  gboolean in_order; /* out, once it is a graph: blocks are in the order of the text */
} PhLlvmFunction;

typedef struct
{
  GStringChunk *strings;
  GPtrArray *functions; /* (element-type PhLlvmFunction) those with a body */
  GHashTable *types;    /* names of types that it defines */
  GPtrArray *others;    /* (element-type utf8) declarations, globals, types, attributes; without metadata */
  guint n_metadata;
} PhLlvmModule;

/* The header of a function of which only the body is known. */
#define PH_LLVM_UNKNOWN_HEADER "unknown"

/* NULL with @error at a place of @source. Text that is not assembly between functions is an error; a single block or function, as
 * passes print it, is a module. @line: of the source in which the
 * text begins. @types: (nullable) names of types that were defined before. */
PhLlvmModule *ph_llvm_parse (PhSource *source, const char *text, gsize size, guint line, GHashTable *types, GError **error);
void ph_llvm_module_free (PhLlvmModule *module);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhLlvmModule, ph_llvm_module_free)

/* "i32", "<4 x float>": as Peephole's; NULL for what is no tensor (pointers, structures, odd widths). */
const PhType *ph_llvm_type (const char *text);

G_END_DECLS
