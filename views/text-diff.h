/* text-diff.h: a model's text at two positions, put side by side line by line, made in a worker.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

typedef enum
{
  PH_ROW_SAME,
  PH_ROW_CHANGED,
  PH_ROW_ADDED,
  PH_ROW_REMOVED
} PhRowKind;

typedef struct
{
  PhRowKind kind;
  int before, after; /* its lines in the two texts, from 0; -1: none                              */
  int above, below;  /* where they stand in the one text of both; the same of a line that stays   */
} PhTextRow;

/* A part of a changed line, in characters. */
typedef struct
{
  guint row;
  gboolean after;
  guint start, end;
} PhTextMark;

typedef struct
{
  GArray *rows;            /* (element-type PhTextRow)                                                  */
  GArray *marks;           /* (element-type PhTextMark) by row                                          */
  GString *before, *after; /* a line a row, a blank where there is none                                 */
  GString *both;           /* one text: of each change what was, then what is                           */
  GArray *signs;           /* (element-type char) one a line of @both: ' ' both, '+' after, '-' before  */
  guint n_added, n_removed, n_changed;
} PhTextDiff;

PhTextDiff *ph_text_diff_new (const char *before, const char *after); /* @before: (nullable) like @after */
void ph_text_diff_free (PhTextDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTextDiff, ph_text_diff_free)

/* Prints and compares in a worker. @a == @b: no comparison. */
void ph_text_diff_async (PhDocument *document, PhPosition a, PhPosition b, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer data);
PhTextDiff *ph_text_diff_finish (GAsyncResult *result, GError **error);

G_END_DECLS
