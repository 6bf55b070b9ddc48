/* graph-canvas-private.h: the canvas itself, its signals, and how its view is asked.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/viewport.h"
#include "views/canvas-tiles.h"
#include "views/graph-canvas-parts.h"

G_BEGIN_DECLS

typedef struct _PhMorph PhMorph;

struct _PhGraphCanvas
{
  GtkWidget parent_instance;

  PhDocument *document; /* (nullable)                                                              */
  PhLaidOut shown;
  PhLaidOut aside;     /* the whole graph, while a part is shown                                  */
  GHashTable *left;    /* (nullable) inside -> the picture of it, while another is shown          */
  PhArrangement asked; /* of the layout that was asked for last                                   */
  PhLayoutEngine engine;
  gboolean across;
  PhTiles *tiles;
  PhInk *ink;
  GCancellable *layout; /* (nullable) of the layout that runs                                      */
  gboolean awaited;     /* somebody asked for it and sees nothing, or the old picture, until it ends */
  guint layout_number;  /* of the newest request; older answers are dropped                        */
  gboolean first;       /* nothing of this document was shown yet                                  */

  PhViewport viewport;
  GtkWidget *overview; /* (nullable) unowned, cleared when it goes: what is shown lands clear of it      */
  guint tick;          /* moves it by itself */
  gboolean fitted;     /* nobody moved the picture since it was fitted                            */
  gint64 zoomed_at;    /* µs: while the zoom changes, tiles are not started over                  */
  guint settle_id;
  int width;           /* that the view was made for                                              */
  gboolean allocating; /* others must not be resized now: they hear of the view later             */
  guint tell_id;
  PhMorph *morph;        /* (nullable) on the way from the layout before                            */
  gboolean look_changed; /* the next frame may wait longer                                          */
  gboolean complete;     /* the last frame lacked nothing                                           */

  gboolean stepped;         /* to another position, and the view has not been moved since              */
  PhId uncovered;           /* groups open until this node shows; PH_NO_ID: none                       */
  char *part_title;         /* (nullable) what part is shown, for people                               */
  PhGraphCanvas *other;     /* (nullable) unowned, cleared when it goes: the other side of a pair      */
  PhSide side;              /* BEFORE: shows the other one's scene, and where changes are counted from */
  gboolean following;       /* the other one moves it                                                  */
  PhPaint *paint;           /* (nullable) of what is shown now                                         */
  GHashTable *value_labels; /* (nullable) value id -> what it is, while they are shown                 */
  GCancellable *labelling;  /* (nullable) while they are found                                         */
  PhTheme theme;
  gulong style_ids[2];
  GArray *marked; /* (nullable) (element-type Marked) boxes that changed                     */

  GArray *beyond; /* (nullable) where the neighbourhood that is shown was cut; graph-canvas-marks.c */
  PhHover hover;
  PhPointer pointer;
  guint nodes_later; /* after the frame: what the children say                                  */
  guint moved_id;    /* a timer: the children have other places                                 */
  int time, since;   /* what is shown                                                           */
};

/* clang-format off */
enum
{
  PH_CANVAS_SAY, PH_CANVAS_LAYOUT_STARTED, PH_CANVAS_LAYOUT_FINISHED, PH_CANVAS_NODE_ACTIVATED, PH_CANVAS_ENTER, PH_CANVAS_LEAVE, PH_CANVAS_VIEW_CHANGED, PH_CANVAS_LOOK_CHANGED,
  PH_CANVAS_OVERVIEW_CHANGED, PH_CANVAS_N_SIGNALS
};
/* clang-format on */
extern guint ph_canvas_signals[PH_CANVAS_N_SIGNALS];

/* graph-canvas.c: the view of the document says how it is seen; what is done here is said to it as a line, "view diff off". */
PhViewState *ph_canvas_view (PhGraphCanvas *self);           /* (nullable) without a document */
const PhArrangement *ph_canvas_wanted (PhGraphCanvas *self); /* never NULL */
gboolean ph_canvas_is_on (PhGraphCanvas *self, PhViewField field);
void ph_canvas_say (PhGraphCanvas *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
