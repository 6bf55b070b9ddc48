/* pool.h: collects the numbers that decide something in a pair of models: constants of comparisons and their neighbours.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/pair.h"

G_BEGIN_DECLS

typedef struct
{
  GArray *numbers, *extreme; /* (element-type double) up to 1e6, and beyond or subnormal                  */
  GArray *points;            /* (element-type double) at which something may jump: constants, and ties of their multiples */
  GArray *plain;             /* (element-type double) constants as they are: several of them may have to meet */
  GArray *integers;          /* (element-type gint64) small constants of either side and their neighbours */
  gboolean counts_places;    /* numbers are made of sizes                                                 */
  gboolean counts_in_floats; /* integers are made of floats with few digits                               */
  GPtrArray *strings;        /* (element-type utf8) of either side                                        */
  gint64 size;               /* a dimension larger than the small ones of them                            */
  GArray *dims;              /* (element-type gint64) known dimensions of inputs and constants */
  GArray *lengths; /* (element-type gint64) a dimension may be compared with, or be a multiple of; none: no one does that */
  GArray *far;     /* (element-type gint64) the others, that may be where something along an open axis ends */
} PhPool;

PhPool *ph_pool_new (const PhPair *pair);
void ph_pool_free (PhPool *pool);

G_END_DECLS
