/* lines-private.h: functions of a printed module as lists of operations; for lines.c and lines-compare.c, and for LLVM's
 * functions (core/io/llvm/lines.c).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <string.h>

#include "core/io/mlir/lines.h"

G_BEGIN_DECLS

#define PH_MLIR_NO_PIECE G_MAXUINT
#define PH_MLIR_ARGUMENT (1u << 31) /* with the argument's number: what the name of an argument leads to */

typedef struct
{
  const char *text;
  gsize size;
} PhMlirSpan;

/* One operation in the body of a function, with its regions. */
typedef struct
{
  PhMlirSpan span; /* from its first character to the end of its last line              */
  guint head;      /* length of "%5:2 = ", 0 without results                            */
  guint n_results;
  guint n_lines;
  const char *name;                 /* interned: its own as long as it is there                          */
  guint partner;                    /* index + 1 in the text before that it was compared with; 0: new    */
  guint base;                       /* of the name of its result: without "%" and ":2"                   */
  gboolean found, wanted, standing; /* found: in the text after it; the others: of the last comparison */
} PhMlirPiece;

typedef struct
{
  PhMlirSpan name;
  guint piece;
} PhMlirSlot;

/* Shared by the texts in which it stands. */
typedef struct
{
  const char *symbol;            /* interned                                                      */
  PhMlirSpan text, header, foot; /* @header, @foot: its first line and its last                   */
  GArray *pieces;                /* (nullable) (element-type PhMlirPiece) NULL: it is read whole  */
  PhMlirSlot *slots;             /* what names of values lead to                                  */
  guint n_slots, mask;
  GHashTable *taken; /* (nullable) (element-type interned utf8) names that pieces had, here or before */
} PhMlirFunction;

struct _PhMlirLines
{
  GPtrArray *functions; /* (element-type PhMlirFunction), each a reference                           */
  GArray *between;      /* (element-type PhMlirSpan) before each of them, and behind the last        */
  gboolean whole;
};

static inline gboolean
ph_mlir_is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '.' || c == '-';
}

/* The name behind the "%" at @p. */
static inline PhMlirSpan
ph_mlir_name_at (const char *p, const char *end)
{
  const char *from = ++p;

  while (p < end && ph_mlir_is_name_char (*p) && !(*p == '-' && p + 1 < end && p[1] == '>'))
    p++;
  return (PhMlirSpan) { from, (gsize) (p - from) };
}

static inline gboolean
ph_mlir_span_equal (PhMlirSpan a, PhMlirSpan b)
{
  return a.size == b.size && memcmp (a.text, b.text, a.size) == 0;
}

/* What the name leads to in a text of which only the pieces before @before can be read; PH_MLIR_NO_PIECE: nothing. */
guint ph_mlir_lines_find (const PhMlirFunction *function, PhMlirSpan name, guint before);

/* FALSE: the name is there twice. */
gboolean ph_mlir_lines_add_name (PhMlirFunction *function, PhMlirSpan name, guint piece);
/* Without pieces, and the room for their names once they are there. */
PhMlirFunction *ph_mlir_lines_new_function (void);
void ph_mlir_lines_free_function (gpointer function);
void ph_mlir_lines_make_slots (PhMlirFunction *function);
/* Names of operations that are in the text for the first time are those of their results, or are made up. */
void ph_mlir_lines_name (PhMlirFunction *function);
/* Says which operation of @after is which of @before, names those that are new, and wants those that read something else. @literal: names that
 * lead to no operation before must be the same. FALSE: too much differs. */
gboolean ph_mlir_lines_pair (PhMlirFunction *before, PhMlirFunction *after, gboolean literal);

/* @function takes the place of the one at @index. */
void ph_mlir_lines_share (PhMlirLines *lines, guint index, PhMlirFunction *function);

G_END_DECLS
