/* layout.h: where boxes and edges go: by our own layered engine, or by Graphviz in the helper process peephole-layout.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/error.h"
#include "core/layered/engine.h"

G_BEGIN_DECLS

/* All lengths in points (1/72 inch); y grows downwards; (0, 0) is the picture's top left corner. */
typedef struct
{
  float x, y;
} PhPoint;

/* The point at @t, from 0 to 1, of the cubic Bezier curve with the four points @p. */
static inline PhPoint
ph_curve_at (const PhPoint *p, double t)
{
  const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;

  return (PhPoint) { (float) (a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x),
                     (float) (a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y) };
}

#define PH_PRESENCE 8

typedef struct
{
  float width, height; /* in                                                            */
  float x, y;          /* out: centre                                                   */
  float anchor;        /* in: what is lined up, right of the middle                     */
  float inset;         /* in: edges end so far inside of its top and bottom             */
  guint column;        /* in: 1 stands right of 0, in the same layers, where both occur; of dot the backward half at the right */
  int border;          /* in: of our own engine: -1 is in the first layer, 1 in the last one; only where no edge leads beyond */
} PhLayoutBox;
typedef struct
{
  guint from, to;       /* in: indices of boxes                                          */
  float weight;         /* in: 1 is normal; heavier edges are straighter and shorter     */
  float from_dx, to_dx; /* in: where it leaves and enters, from the boxes' middles       */
  guint8 min_length;    /* in: ranks that it spans at least; 0 lets both stand side by side */
  guint8
      presence; /* in: in how much of the history it is there, 1 to PH_PRESENCE; its crossings count so much; 0: a tie, it is not drawn */
  guint8 operand;              /* in: which input of @to it is, the first is 0                    */
  guint8 ordered;              /* in: that one enters left of the next means something            */
  guint8 turned;               /* in: drawn from @to to @from, so its arrow is at @from           */
  guint8 pinned;               /* in: where its arrow is it goes on in another line: it stays     */
  guint8 goes_on[2];           /* in: at its from and to it goes on: it ends at exactly from_dx, to_dx */
  guint first_point, n_points; /* out: a chain of cubic Beziers (1 + 3k points) in layout->points, tip last */
} PhLayoutEdge;

typedef struct
{
  PhLayoutEngine engine; /* in: who is asked; out: who drew it, never BEST                */
  float fold;            /* in: a long chain becomes columns, about so many times as wide as high; 0: it does not */
  guint8 turn;           /* in: 0; another one begins the search for a good order elsewhere */
  double room;           /* in: (0: unknown) the area that its largest position would need alone */
  gboolean spread;       /* in: layers far wider than the others give to their neighbours; out: they could */
  PhLayoutBox *boxes;
  guint n_boxes;
  PhLayoutEdge *edges;
  guint n_edges;
  GArray *points;             /* (element-type PhPoint) out                                    */
  float width, height;        /* out                                                           */
  gboolean folded;            /* out: it became columns                                         */
  gboolean coarse;            /* out: time ran out, or its order took too much work             */
  PhLayoutJudgement own, dot; /* out: of BEST: of both, as far as they were tried              */
  const char *reason;         /* out: of BEST: (nullable) why dot's picture was not taken      */
} PhLayout;

PhLayout *ph_layout_new (guint n_boxes, guint n_edges);
void ph_layout_free (PhLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhLayout, ph_layout_free)

/* Waits for the helper where it is needed, at most @seconds (0: as long as it takes); cancelling kills it. Where Graphviz ran out of
 * time our own layout is there instead, and @coarse is set. Errors: PH_ERROR_LAYOUT (crashed: with the signal), PH_ERROR_CANCELLED.
 * BEST fails only when it is cancelled. */
gboolean ph_layout_sync (PhLayout *layout, double seconds, GCancellable *cancellable, GError **error);
/* Leads lines that run over boxes around them, whoever drew: through libpathplan in the helper, where there are any: without a
 * helper they stay. Keeps curves from reaching far out. */
void ph_layout_lead_around (PhLayout *layout, GCancellable *cancellable);

/* Layered (Sugiyama), in this thread and process, in time that grows with boxes and edges as n log n. FALSE: cancelled. */
gboolean ph_layout_layered (PhLayout *layout, GCancellable *cancellable, GError **error);
/* Places the boxes that are not @fixed near what they are linked to, where there is room; those that are, and edges that have
 * points, stay. In this thread and process. */
gboolean ph_layout_extend (PhLayout *layout, const guint8 *fixed, GCancellable *cancellable, GError **error);
/* How many pairs of edges without a box in common cross. */
PhCrossings ph_layout_crossings (PhLayout *layout);
#define PH_CROSSINGS_LOOK 200000000 /* pairs of lines that are near each other, beyond which it is an estimate */
/* How many pairs there are of a line and a box that it runs over, more than 3 points inside of its border, without ending there.
 * @edges: (nullable) (element-type guint) the indices of these lines are appended. */
guint ph_layout_overruns (PhLayout *layout, GArray *edges);
guint ph_layout_off_row (const PhLayout *layout);

G_END_DECLS
