/* sizes.h: chooses sizes for open dimensions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/samples/pool.h"

G_BEGIN_DECLS

/* One choice: the same symbol has the same size everywhere. */
typedef struct
{
  GHashTable *symbols; /* (owned) interned symbol -> its size plus 1                                     */
  gint64 size, next;   /* of all of them, 0: each has the next one                                        */
  const GArray *dims;  /* (nullable) (element-type gint64) those of a mixture too, if they are small                       */
  guint mixed;         /* which mixture of small sizes, from 1; 0: none                                   */
  guint far;           /* which open dimension is far larger than the others, from 1; beyond @n_open of them: all; 0: none */
  gint64 far_size;
  guint met_at[2]; /* which two open dimensions have sizes of @met, from 1                            */
  gint64 met[2];   /* 0: none                                                                          */
  guint n_open;    /* that were met so far                                                            */
} PhSizes;

/* How many are offered: the first gives each symbol a size of its own, larger than the small constants. */
#define PH_SIZES_N_COMMON 14
/* And from this one on: each has one of a few small sizes, by chance, so that some of them are equal and others are not. */
#define PH_SIZES_FIRST_MIXED 100

gboolean ph_sizes_are_open (const PhPair *pair);
/* As many choices of @far there are, from 1. The first of them go beyond large constants, @n_beyond, the others are lengths that
 * something is compared with, and then two of which these are made. */
guint ph_sizes_n_far (const PhPair *pair, const PhPool *pool, guint *n_beyond);
/* FALSE: no tensor of reasonable size goes beyond a large constant of @pool. */
gboolean ph_sizes_choose (PhSizes *sizes, const PhPair *pair, const PhPool *pool, guint common, guint far);
/* In so many ways open dimensions may be 0: one after the other, and then all at once. @which: from 1. */
guint ph_sizes_n_none (const PhPair *pair);
void ph_sizes_set_none (PhSizes *sizes, const PhPair *pair, guint which);
void ph_sizes_clear (PhSizes *sizes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhSizes, ph_sizes_clear)
/* That of @dim, which is axis @axis of @rank ones. */
gint64 ph_sizes_of (PhSizes *sizes, PhDim dim, guint axis, guint rank);

G_END_DECLS
