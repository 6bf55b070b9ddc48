/* paint-private.h: the inside of measures and paints, private to core/draw.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>

#include "core/draw/paint.h"

G_BEGIN_DECLS

struct _PhMeasure
{
  gatomicrefcount ref_count;
  PhColorMode mode;
  char *title, *unit;
  GHashTable *numbers; /* (nullable) node id -> double */
  double *by_id;       /* (nullable) or all numbers of a model, NaN where nothing is known */
  guint n_ids;
  GHashTable *names; /* (nullable) node id -> char*  */
};

/* FALSE: nothing is known of the node @id. */
static inline gboolean
ph_measure_number (const PhMeasure *measure, guint id, double *number)
{
  const double *known = measure->numbers != NULL ? g_hash_table_lookup (measure->numbers, GUINT_TO_POINTER (id))
                        : id < measure->n_ids    ? &measure->by_id[id]
                                                 : NULL;

  *number = known != NULL ? *known : NAN;
  return isfinite (*number);
}

typedef struct
{
  char *name;
  guint count, color;
} PhPaintEntry;

struct _PhPaint
{
  gatomicrefcount ref_count;
  PhColorMode mode;
  char *title, *unit;
  char *drawn_by;  /* "drawn by dot in 12 ms"                                       */
  GArray *entries; /* (element-type PhPaintEntry) most frequent first              */
  guint n_boxes;
  float *shade; /* of a box: heat from 0 to 1, or the index of its entry; < 0: none */
  gboolean scale;
  double low, high; /* of the scale; a logarithmic one begins above 0                */
  gboolean logarithmic;
  guint n_unknown;
};

G_END_DECLS
