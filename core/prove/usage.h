/* usage.h: how the readers of an integer input use it: as an index, as a shape (PH_ARG_INDEX, PH_ARG_SHAPE).
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

/* @range: of an index, the smallest table's size, 0: not known. @is_free: a shape may be any. @places: (nullable) (element-type
 * gint64) of an index, where tables of both sides hold something else; @tables_differ: there are such, or a table that only one side has
 * and nothing says how it was computed, so that what holds at some places shows nothing of the others. */
typedef struct
{
  PhReading reading;
  gint64 range;
  gboolean is_free, tables_differ;
  GArray *places;
} PhUsage;

/* One for each input. (transfer full) */
PhUsage *ph_usage_find (const PhPair *pair);
void ph_usage_free (const PhPair *pair, PhUsage *usage);
/* Whether an integer input is data, of which a few samples are no proof: neither a shape nor a plain index. */
gboolean ph_usage_has_integers (const PhPair *pair, const PhUsage *usage);

/* Nothing but its shape is read. */
gboolean ph_usage_is_shape_alone (const PhPair *pair, guint input);
gboolean ph_value_is_shape_alone (const PhValue *value);

G_END_DECLS
