/* layout.h: asks the helper process peephole-layout where boxes and edges go.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/error.h"

G_BEGIN_DECLS

/* All lengths in points (1/72 inch); y grows downwards; (0, 0) is the picture's top left corner. */
typedef struct { float x, y; } PhPoint;
#define PH_PRESENCE 8

typedef struct
{
  float width, height;          /* in                                                            */
  float x, y;                   /* out: centre                                                   */
  float anchor;                 /* in: what is lined up, right of the middle                     */
  float inset;                  /* in: edges end so far inside of its top and bottom             */
  guint column;                 /* in: 1 stands right of 0, in the same layers, where both occur; not for dot */
} PhLayoutBox;
typedef struct
{
  guint   from, to;             /* in: indices of boxes                                          */
  float   weight;               /* in: 1 is normal; heavier edges are straighter and shorter     */
  float   from_dx, to_dx;       /* in: where it leaves and enters, from the boxes' middles       */
  guint8  min_length;           /* in: ranks that it spans at least; 0 lets both stand side by side */
  guint8  presence;             /* in: in how much of the history it is there, 1 to PH_PRESENCE; its crossings count so much; 0: a tie, it is not drawn */
  guint   first_point, n_points; /* out: a chain of cubic Beziers (1 + 3k points) in layout->points, tip last */
} PhLayoutEdge;

/* AUTO: dot while it is quick, our own layered layout beyond that and where dot ran out of time twice. BEST: both while
 * dot is quick, and dot's where it has clearly fewer crossings. */
typedef enum { PH_LAYOUT_AUTO, PH_LAYOUT_DOT, PH_LAYOUT_LAYERED, PH_LAYOUT_BEST } PhLayoutEngine;

#define PH_LAYOUT_DOT_MAX 900   /* boxes that AUTO gives to dot */

typedef struct
{
  PhLayoutEngine engine;        /* in                                                            */
  float         fold;           /* in: a long chain becomes columns, about so many times as wide as high; 0: it does not */
  guint8        turn;           /* in: 0; another one begins the search for a good order elsewhere */
  double        room;           /* in: (0: unknown) the area that its largest position would need alone */
  gboolean      spread;         /* in: layers far wider than the others give to their neighbours; out: they could */
  PhLayoutBox  *boxes;   guint n_boxes;
  PhLayoutEdge *edges;   guint n_edges;
  GArray       *points;         /* (element-type PhPoint) out                                    */
  float         width, height;  /* out                                                           */
  gboolean      coarse;         /* out: time ran out, laid out with less care                    */
} PhLayout;

PhLayout *ph_layout_new   (guint n_boxes, guint n_edges);
void      ph_layout_free  (PhLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhLayout, ph_layout_free)

/* Spawns the helper, waits for it without blocking the caller's main context, retries coarser when @seconds have gone by;
 * cancelling kills it. Errors: PH_ERROR_LAYOUT (crashed: with the signal), PH_ERROR_CANCELLED. Takes @layout. */
void      ph_layout_async  (PhLayout *layout, double seconds, GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer data);
PhLayout *ph_layout_finish (GAsyncResult *result, GError **error);
gboolean  ph_layout_sync   (PhLayout *layout, double seconds, GCancellable *cancellable, GError **error);

/* Layered (Sugiyama), in this thread and process, in time that grows with boxes and edges as n log n. FALSE: cancelled. */
gboolean  ph_layout_layered (PhLayout *layout, GCancellable *cancellable, GError **error);
/* Places the boxes that are not @fixed near what they are linked to, where there is room; those that are, and edges that have
 * points, stay. In this thread and process. */
gboolean  ph_layout_extend  (PhLayout *layout, const guint8 *fixed, GCancellable *cancellable, GError **error);
/* How many pairs of edges without a box in common cross. */
guint64   ph_layout_crossings (PhLayout *layout);

G_END_DECLS
