/* usage.h: how the readers of an input use it: as an index, as a shape (PH_ARG_INDEX, PH_ARG_SHAPE).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/pair.h"

G_BEGIN_DECLS

typedef enum
{
  PH_READ_AS_DATA,
  PH_READ_AS_INDEX,
  PH_READ_AS_SHAPE
} PhReading;

/* @is_place: of a shape that says where along an axis something begins or ends. @range: of an index, the smallest table's size, 0: not known. @is_free: a shape may be any. @places: (nullable) (element-type
 * gint64) of an index, where tables of both sides hold something else, or that a loss ignores; @tables_differ: there are such, or a table that only one side has
 * and nothing says how it was computed, so that what holds at some places shows nothing of the others. */
typedef struct
{
  PhReading reading;
  gint64 range;
  gboolean is_free, is_place, tables_differ;
  GArray *places;
} PhUsage;

/* One for each input. (transfer full) */
PhUsage *ph_usage_find (const PhPair *pair);
void ph_usage_free (const PhPair *pair, PhUsage *usage);
/* Whether an input holds numbers of which a few samples are no proof: integers that are neither a shape nor a plain index, or any shape. */
gboolean ph_usage_has_integers (const PhPair *pair, const PhUsage *usage);

/* Nothing but its shape is read. */
gboolean ph_usage_is_shape_alone (const PhPair *pair, guint input);
gboolean ph_value_is_shape_alone (const PhValue *value);
gboolean ph_value_says_shape (const PhValue *value); /* of a float: a factor of axes, or a count */

G_END_DECLS
