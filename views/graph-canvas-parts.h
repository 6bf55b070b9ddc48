/* graph-canvas-parts.h: what a canvas has one or two of: laid out pictures, the pointer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/view-state.h"
#include "views/graph-canvas.h"

G_BEGIN_DECLS

/* A scene, and what it was laid out for. */
typedef struct
{
  PhScene *scene; /* (nullable)                                                              */
  PhArrangement of;
  PhPosition at;
  guint generation;
  gboolean whole; /* of the whole history and graph, laid out with care                      */
  gboolean quick; /* a better one is on its way                                              */
} PhLaidOut;

/* What the pointer is over; -1: nothing of that kind. */
typedef struct
{
  int box, pill, edge;
  PhId beyond; /* the mark of this node that says that it feeds more */
} PhHover;
#define PH_HOVER_NOTHING ((PhHover) { -1, -1, -1, PH_NO_ID })

typedef struct
{
  double x, y;           /* pixels, where it is                                                    */
  double drag_x, drag_y; /* where the view was when a drag began                                   */
  double pinch_zoom;     /* its scale when a pinch began                                           */
  PhPoint pinched;       /* the picture's point between the fingers then                           */
  gboolean press_clears; /* the button went down beside everything: nothing is selected if it was no drag */
  GtkGesture *drag;      /* unowned                                                                */
} PhPointer;

G_END_DECLS
