/* roofline.h: how far each node is below what the machine can do: operations a second over operations a byte.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/draw.h"
#include "core/graph/graph.h"
#include "core/run/profile.h"

G_BEGIN_DECLS

typedef enum
{
  PH_ROOFLINE_LINE,
  PH_ROOFLINE_TEXT,
  PH_ROOFLINE_DOT
} PhRooflineKind;

/* What the picture is made of. */
typedef struct
{
  PhRooflineKind kind;
  double x, y, to_x, to_y; /* a line's ends; a text's middle in height; a dot's centre             */
  double size;             /* a line's width, a dot's radius                                       */
  double at;               /* 0, 0.5 or 1: a text begins, is centred or ends at @x                 */
  PhColor color;
  char *text; /* (nullable) of a node's dot: what it says when it is pointed at                      */
  PhId node;  /* of a dot; PH_NO_ID in the legend                                                    */
} PhRooflineMark;

/* (element-type PhRooflineMark) Both axes logarithmic, the roof as a line, one dot a node of @profile whose operations are known, as large
 * as its share of the time, in the colour of the kernel that ran it; the slowest first, so that smaller ones are on top. @model: (nullable)
 * at the position whose nodes have names. @say: (nullable) translates the texts. */
GArray *ph_roofline_marks (const PhProfile *profile, PhModel *model, const char *(*say) (const char *text), PhTheme theme,
                           double width, double height);
/* The dot of a node at this point. (nullable) */
const PhRooflineMark *ph_roofline_at (const GArray *marks, double x, double y);
/* @selected: the node whose dot has a ring, or PH_NO_ID. */
void ph_roofline_draw (const GArray *marks, cairo_t *cr, PhInk *ink, PhTheme theme, PhId selected);
/* The same as a file. (transfer full) */
char *ph_roofline_svg (const PhProfile *profile, PhModel *model);

G_END_DECLS
