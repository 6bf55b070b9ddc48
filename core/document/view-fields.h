/* view-fields.h: the table of what a picture can be seen as: fields, their words, the actions that these are.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* One row of the table each; `view NAME WORD...` sets it. */
typedef enum
{
  PH_VIEW_FORM,
  PH_VIEW_DIFF,
  PH_VIEW_FOLLOW,
  PH_VIEW_COLOR,
  PH_VIEW_LEGEND,
  PH_VIEW_VALUES,
  PH_VIEW_EDGES,
  PH_VIEW_COMPACT,
  PH_VIEW_GROUP,
  PH_VIEW_OPEN,
  PH_VIEW_PART,
  PH_VIEW_ZOOM,
  PH_VIEW_LAYOUT,
  PH_VIEW_DIRECTION,
  PH_VIEW_PIPELINE,
  PH_VIEW_INSPECTOR,
  PH_VIEW_BOTTOM,
  PH_VIEW_PAGE,
  PH_N_VIEW_FIELDS
} PhViewField;

/* A word that a field can be set to; what has a title is an action of the window. */
typedef struct
{
  const char *word;
  const char *title;    /* (nullable) not yet translated                     */
  const char *summary;  /* (nullable) likewise                               */
  const char *shortcut; /* (nullable) GTK accelerators, separated by |       */
  const char *icon;     /* (nullable)                                        */
} PhViewWord;

typedef struct
{
  const char *name, *summary;
  const char *heading;     /* (nullable) of the menu that its actions stand in, not yet translated */
  const char *more;        /* (nullable) what it can be set to besides, as the arguments of a command are written */
  const PhViewWord *words; /* the first is the default; the last has none */
  gboolean of_model;       /* means nothing while no model is open, and is forgotten with it */
  gboolean of_window;      /* which panels are shown: a window keeps it when another tab comes to the front */
} PhViewRow;

const PhViewRow *ph_view_row (PhViewField field);
gboolean ph_view_find (const char *name, PhViewField *field);

typedef enum
{
  PH_FORM_OVERLAY,
  PH_FORM_SIDE,
  PH_FORM_TEXT,
  PH_N_FORMS
} PhForm;

G_END_DECLS
