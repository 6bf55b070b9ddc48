/* jitter.h: constants of either side that the other side does not have, moved in their last bit.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/pair.h"

G_BEGIN_DECLS

/* jitter.c: constants of either side that the other side does not have, moved in their last bit. */
typedef struct _PhJitter PhJitter;
PhJitter *ph_jitter_new (const PhPair *pair); /* NULL: both sides have the same constants            */
void ph_jitter_free (PhJitter *jitter);
/* Moves them, differently each @turn; ph_jitter_restore() puts them back. */
void ph_jitter_apply (PhJitter *jitter, guint side, guint turn);
void ph_jitter_restore (PhJitter *jitter, guint side);
gboolean ph_jitter_has (PhJitter *jitter, guint side);
/* Those of the side after are many, and hardly one of them is short for another number or computed by a recipe: that they were rounded is all
 * that can be said of them. */
gboolean ph_jitter_is_rounded (PhJitter *jitter);

double ph_half_step (PhDType dtype); /* half a step between two numbers of the element type, as a part of them */

G_END_DECLS
