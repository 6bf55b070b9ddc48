/* layout.h: asks the helper process peephole-layout where boxes and edges go.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/error.h"

G_BEGIN_DECLS

/* All lengths in points (1/72 inch); y grows downwards; (0, 0) is the picture's top left corner. */
typedef struct { float x, y; } PhPoint;
typedef struct { float width, height; /* in */  float x, y; /* out: centre */ } PhLayoutBox;
typedef struct
{
  guint   from, to;             /* in: indices of boxes                                          */
  float   weight;               /* in: 1 is normal; heavier edges are straighter and shorter     */
  guint   first_point, n_points; /* out: a chain of cubic Beziers (1 + 3k points) in layout->points, tip last */
} PhLayoutEdge;

typedef struct
{
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

G_END_DECLS
