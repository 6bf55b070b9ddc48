/* placement.h: where the blocks of a run lie: offsets that follow from how long each block lived in the run before.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A run notes its large blocks; the next one, which mostly asks for the same, finds each where the offsets say. What is there is never
 * taken from anybody: an offset is a wish, and a block for which it does not come true lies elsewhere. */
typedef struct _PhPlacement PhPlacement;

PhPlacement *ph_placement_new (void);
void ph_placement_free (PhPlacement *placement);

/* Blocks that this thread asks for follow @placement (nullable: none) until ph_placement_end(), which gets what this returned. */
PhPlacement *ph_placement_begin (PhPlacement *placement);
void ph_placement_end (PhPlacement *placement, PhPlacement *before);

gsize ph_placement_get_bytes (const PhPlacement *placement); /* that the offsets reach to; 0: none yet            */
gsize ph_placement_get_live (const PhPlacement *placement);  /* the greatest sum of blocks at once: no fewer can do */

/* blocks.c asks for these. */
PhPlacement *ph_placement_current (void);                                         /* (nullable) of this thread        */
gboolean ph_placement_next (PhPlacement *placement, gsize size, gsize *offset);   /* FALSE: anywhere                  */
void ph_placement_note (PhPlacement *placement, gconstpointer block, gsize size); /* it was taken                     */
void ph_placement_forget (PhPlacement *placement, gconstpointer block);           /* it was let go of                 */
/* Where so many bytes are free, as an offset in the stretch: they are not taken. @trim: what is free behind them gives up its pages. */
gsize ph_block_reserve (gsize bytes, gboolean trim);

G_END_DECLS
