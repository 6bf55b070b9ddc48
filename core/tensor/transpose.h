/* transpose.h: transposes matrices of 32-bit words.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* to[c * to_step + r] = from[r * from_step + c], for @rows and @columns of @from. */
void ph_transpose_words (gsize rows, gsize columns, const guint32 *from, gsize from_step, guint32 *to, gsize to_step);

static inline void
ph_transpose_floats (gsize rows, gsize columns, const float *from, gsize from_step, float *to, gsize to_step)
{
  ph_transpose_words (rows, columns, (const guint32 *) (gconstpointer) from, from_step, (guint32 *) (gpointer) to, to_step);
}

G_END_DECLS
