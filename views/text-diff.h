/* text-diff.h: a model's text at two positions, merged line by line, made in a worker.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

typedef struct
{
  GString *text;           /* lines of both                                                     */
  GArray  *signs;          /* (element-type char) one a line: ' ' both, '+' after, '-' before   */
  guint    n_added, n_removed;
} PhTextDiff;

void        ph_text_diff_free   (PhTextDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTextDiff, ph_text_diff_free)

PhTextDiff *ph_text_diff_new    (const char *before, const char *after);      /* @before: (nullable) */
/* Clones the model now, prints and compares in a worker. @a == @b: no comparison. */
void        ph_text_diff_async  (PhDocument *document, PhPosition a, PhPosition b, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data);
PhTextDiff *ph_text_diff_finish (GAsyncResult *result, GError **error);

G_END_DECLS
