/* engine.h: the engines that lay pictures out, and the measures that judge their pictures.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* BEST: our own layered engine, and dot where it can do as well or better and soon, of which the better picture is taken. The others as
 * Graphviz has them. */
/* clang-format off */
typedef enum
{
  PH_LAYOUT_BEST, PH_LAYOUT_DOT, PH_LAYOUT_LAYERED, PH_LAYOUT_NEATO, PH_LAYOUT_FDP, PH_LAYOUT_SFDP, PH_LAYOUT_CIRCO, PH_LAYOUT_TWOPI,
  PH_LAYOUT_OSAGE, PH_N_LAYOUT_ENGINES
} PhLayoutEngine;
/* clang-format on */

const char *ph_layout_engine_name (PhLayoutEngine engine); /* "dot" */
gboolean ph_layout_engine_find (const char *name, PhLayoutEngine *engine);

#define PH_LAYOUT_DOT_MAX      600 /* boxes that BEST gives to dot             */
#define PH_LAYOUT_GRADIENT_MAX 450 /* of a picture that has a backward half    */

/* How many pairs of edges cross: counted where @step is 1, else estimated from those among one edge in @step. @work: pairs that were compared, and
 * cells that were entered. */
typedef struct
{
  guint64 n, step, work;
} PhCrossings;

/* What a picture is judged by. */
typedef struct
{
  gboolean there;   /* it was laid out                                               */
  double crossings; /* pairs of edges without a common box; what is seldom there counts for less */
  guint over;       /* a line inside of a box that is not one of its ends            */
  guint off_row;    /* forward nodes whose first backward node is not in their row   */
  float width, height, ms;
} PhLayoutJudgement;

G_END_DECLS
