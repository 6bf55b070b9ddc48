/* blocks.h: allocates aligned blocks of memory for elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* 64-byte aligned where it is large; large blocks stay with the process when they are let go of, for the next ones. @zeroed: all bytes are 0.
 * (nullable) Not counted against the budget. */
gpointer ph_block_new (gsize bytes, gboolean zeroed);
/* For what outlives a run, weights in the order that a kernel likes: always aligned, not zeroed, where no block of a run lies. (nullable) */
gpointer ph_block_new_lasting (gsize bytes);
void ph_block_free (gpointer block, gsize bytes);
/* Up to where large blocks have ever reached: what lived at once at most, with the gaps between. Bytes. */
gsize ph_block_get_extent (void);

G_END_DECLS
