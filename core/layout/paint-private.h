/* paint-private.h: the inside of measures and paints, private to core/layout.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/layout/paint.h"

G_BEGIN_DECLS

struct _PhMeasure
{
  gatomicrefcount ref_count;
  PhColorMode mode;
  char       *title, *unit;
  GHashTable *numbers;          /* (nullable) node id -> double */
  GHashTable *names;            /* (nullable) node id -> char*  */
};

typedef struct { char *name; guint count, color; } PhPaintEntry;

struct _PhPaint
{
  gatomicrefcount ref_count;
  PhColorMode mode;
  char       *title, *unit;
  GArray     *entries;          /* (element-type PhPaintEntry) most frequent first              */
  guint       n_boxes;
  float      *shade;            /* of a box: heat from 0 to 1, or the index of its entry; < 0: none */
  gboolean    scale;
  double      low, high;        /* of the scale; a logarithmic one begins above 0                */
  gboolean    logarithmic;
  guint       n_unknown;
};

G_END_DECLS
