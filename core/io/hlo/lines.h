/* lines.h: the text of a module as XLA dumps it after a pass, instruction by instruction, and what of it is not as it was after the pass
 * before: only that is parsed again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PhHloLines PhHloLines;

/* NULL: it is not laid out as XLA prints modules, or orders instructions by control: it has to be read whole. @before: (nullable) of the
 * module before the pass: what is equal is shared. */
PhHloLines *ph_hlo_lines_new (const char *text, gsize size, PhHloLines *before);
void ph_hlo_lines_free (PhHloLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhHloLines, ph_hlo_lines_free)

/* Names are interned, without "%", of instructions of the entry. */
typedef struct
{
  char *
      text; /* (nullable) NULL: nothing changed. As many lines as the text; what is as it was, and not used by the rest, is left out */
  gsize size;
  GPtrArray *standing; /* are in @text without operands, since only their values are used      */
  GPtrArray *same;     /* are in @text as they were                                             */
  GPtrArray *gone;     /* were there before the pass, and are not, or are another               */
  guint n_parsed;      /* instructions in @text                                                 */
} PhHloDelta;

/* @after was made with @before. NULL: too much differs, or what differs cannot be told alone. */
PhHloDelta *ph_hlo_lines_compare (PhHloLines *before, PhHloLines *after);
void ph_hlo_delta_free (PhHloDelta *delta);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhHloDelta, ph_hlo_delta_free)

G_END_DECLS
