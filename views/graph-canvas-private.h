/* graph-canvas-private.h: what the parts of the canvas share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/viewport.h"
#include "views/canvas-tiles.h"
#include "views/graph-canvas.h"

G_BEGIN_DECLS

typedef struct _PhMorph PhMorph;

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

void ph_laid_out_clear (PhLaidOut *picture);

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
  guint tick;       /* moves it by itself */
  gboolean fitted;  /* nobody moved the picture since it was fitted                            */
  gint64 zoomed_at; /* µs: while the zoom changes, tiles are not started over                  */
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
enum { PH_CANVAS_PROP_0, PH_CANVAS_PROP_DOCUMENT, PH_CANVAS_N_PROPS };
/* clang-format on */
extern guint ph_canvas_signals[PH_CANVAS_N_SIGNALS];
extern GParamSpec *ph_canvas_props[PH_CANVAS_N_PROPS];

#define PH_CANVAS_STEP_ZOOM 1.25

/* graph-canvas-view.c */
PhViewport *ph_canvas_viewport (PhGraphCanvas *self); /* with the sizes of the widget and the scene as they are now */
double ph_canvas_width (PhGraphCanvas *self);         /* pixels */
double ph_canvas_height (PhGraphCanvas *self);
void ph_canvas_set_view (PhGraphCanvas *self, PhView view); /* as it is, while what moves goes on moving */
void ph_canvas_go_to (PhGraphCanvas *self, PhView view, gboolean animate);
void ph_canvas_move (PhGraphCanvas *self, PhView view, gboolean animate); /* the same by hand: it is not fitted any more */
void ph_canvas_stop_animation (PhGraphCanvas *self);
/* Goes on with that speed, in pixels a second, until friction stops it. */
void ph_canvas_glide (PhGraphCanvas *self, double x, double y);
void ph_canvas_zoom_at (PhGraphCanvas *self, double px, double py, double factor, gboolean animate);
void ph_canvas_first_view (PhGraphCanvas *self);
void ph_canvas_show_rect (PhGraphCanvas *self, const PhRect *rect);
gboolean ph_canvas_selection_rect (PhGraphCanvas *self, PhRect *rect);
void ph_canvas_on_zoom_asked (PhGraphCanvas *self, const char *words); /* "fit", "3.5 20 1.5" */
void ph_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline);

/* graph-canvas.c: the view of the document says how it is seen; what is done here is said to it as a line, "view diff off". */
PhViewState *ph_canvas_view (PhGraphCanvas *self);           /* (nullable) without a document */
const PhArrangement *ph_canvas_wanted (PhGraphCanvas *self); /* never NULL */
gboolean ph_canvas_is_on (PhGraphCanvas *self, PhViewField field);
void ph_canvas_say (PhGraphCanvas *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* graph-canvas-scene.c */
void ph_canvas_start_layout (PhGraphCanvas *self, gboolean quick);
void ph_canvas_ask_layout (PhGraphCanvas *self);                 /* the same for somebody who waits for it */
void ph_canvas_extend_layout (PhGraphCanvas *self);              /* steps were added */
void ph_canvas_stop_layout (PhGraphCanvas *self);                /* whatever it finds out is dropped */
void ph_canvas_take_scene (PhGraphCanvas *self, PhScene *scene); /* in the place of the old one (transfer full) */
void ph_canvas_on_scene (PhGraphCanvas *self);                   /* the picture that was waited for is there */

/* graph-canvas-pictures.c: the view wants another arrangement; the whole is laid aside before a part is shown. */
void ph_canvas_follow_arrangement (PhGraphCanvas *self);
void ph_canvas_lay_aside (PhGraphCanvas *self);
/* A picture that was laid out before takes the place of what is shown. Takes what @picture holds. */
void ph_canvas_put_picture (PhGraphCanvas *self, PhLaidOut *picture);
gboolean ph_canvas_is_current (PhGraphCanvas *self,
                               const PhLaidOut *picture); /* it is what would be laid out, but for its arrangement */

/* graph-canvas-groups.c */
gboolean ph_canvas_uncover (PhGraphCanvas *self); /* opens what hides the selected node */

/* graph-canvas-parts.c */
void ph_canvas_update_part (PhGraphCanvas *self); /* which part is shown is said anew */

/* graph-canvas-pictures.c: shows what the document says that is shown; asks to go in, or out. FALSE: there is no such thing. */
void ph_canvas_go_inside (PhGraphCanvas *self);
gboolean ph_canvas_ask_inside (PhGraphCanvas *self, int box);
gboolean ph_canvas_ask_outside (PhGraphCanvas *self);
void ph_canvas_forget_left (PhGraphCanvas *self);

/* graph-canvas-values.c: the model, its position or its inputs are others; other values are known; the canvas goes. */
void ph_canvas_values_follow (PhGraphCanvas *self);
void ph_canvas_values_label (PhGraphCanvas *self);
void ph_canvas_values_clear (PhGraphCanvas *self);

/* graph-canvas-pair.c: who has the scene of both; the scene changed; the view changed. */
PhGraphCanvas *ph_canvas_leader (PhGraphCanvas *self);
void ph_canvas_part (PhGraphCanvas *self); /* as it goes: the other is alone */
void ph_canvas_share_scene (PhGraphCanvas *self);
void ph_canvas_share_view (PhGraphCanvas *self);

/* graph-canvas-morph.c: @view: of the scene before, @from; the new one is there already. */
void ph_canvas_morph_start (PhGraphCanvas *self, PhScene *from, int time, int since, const PhView *view);
void ph_canvas_morph_stop (PhGraphCanvas *self);
void ph_canvas_morph_draw (PhGraphCanvas *self, cairo_t *cr);

/* graph-canvas-nodes.c: children that stand for nodes, for screen readers. */
void ph_canvas_update_nodes (PhGraphCanvas *self);
void ph_canvas_focus_selection (PhGraphCanvas *self); /* when the picture has the keyboard */
void ph_canvas_allocate_nodes (PhGraphCanvas *self);
void ph_canvas_nodes_moved (PhGraphCanvas *self);
void ph_canvas_remove_nodes (PhGraphCanvas *self);

/* graph-canvas-marks.c */
gboolean ph_canvas_has_marks (PhGraphCanvas *self);
void ph_canvas_draw_marks (PhGraphCanvas *self, cairo_t *cr);
void ph_canvas_forget_marks (PhGraphCanvas *self); /* another position, or scene */
/* The node whose mark is at that point of the widget, and says that it feeds @n more. PH_NO_ID: none. */
PhId ph_canvas_pick_beyond (PhGraphCanvas *self, double x, double y, guint *n);
int ph_canvas_stop_box (PhGraphCanvas *self, const char *stop);

/* graph-canvas-draw.c */
PhDrawOptions ph_canvas_draw_options (PhGraphCanvas *self);
void ph_canvas_init_look (PhGraphCanvas *self);
void ph_canvas_update_times (PhGraphCanvas *self);
void ph_canvas_update_look (PhGraphCanvas *self);
void ph_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot);

/* graph-canvas-pointer.c, graph-canvas-keys.c */
void ph_canvas_init_pointer (PhGraphCanvas *self);
void ph_canvas_init_keys (PhGraphCanvas *self);
/* The node or value that @box (or @pill) shows; PH_NO_ID: none. */
PhId ph_canvas_id_of (PhGraphCanvas *self, int box, int pill);

G_END_DECLS
