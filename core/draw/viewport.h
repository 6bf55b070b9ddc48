/* viewport.h: the part of a picture that a window shows, and how it moves: scale, offset, animation, gliding.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/layered/layout.h"
#include "core/scene/scene-parts.h"

G_BEGIN_DECLS

/* The picture's point at the window's left top corner, and the pixels that a point is wide. */
typedef struct
{
  double x, y, zoom;
} PhView;

/* A plain value: the owner says the sizes, the time, and draws. Pixels are the window's, points the picture's; y grows downwards. */
typedef struct
{
  PhView at;                            /* what is shown                                             */
  double width, height;                 /* of the window, pixels, at least 1                         */
  double picture_width, picture_height; /* points                                             */
  gboolean has_picture;                 /* else every place is allowed                               */
  PhView from, to;                      /* of the animation                                          */
  gint64 start;                         /* µs, when it began; 0: none runs                           */
  double speed_x, speed_y;              /* pixels a second: it goes on by itself; 0, 0: it does not  */
  gint64 moved;                         /* µs, when it last did                                      */
} PhViewport;

#define PH_VIEW_LARGEST_ZOOM 6.0
#define PH_VIEW_ANIMATION    (220 * 1000) /* µs */

void ph_viewport_init (PhViewport *viewport);
void ph_viewport_set_window (PhViewport *viewport, double width, double height);
void ph_viewport_set_picture (PhViewport *viewport, double width, double height);
void ph_viewport_clear_picture (PhViewport *viewport);

/* From the window to the picture, and back. */
PhPoint ph_viewport_to_picture (const PhViewport *viewport, double x, double y);
PhRect ph_viewport_to_window (const PhViewport *viewport, const PhRect *rect);
PhRect ph_viewport_seen (const PhViewport *viewport); /* the picture's part, without its borders */

/* The zoom is neither so small that the picture gets lost nor so large that a letter fills the window. */
double ph_viewport_clamp_zoom (const PhViewport *viewport, double zoom);

/* Views, not yet gone to. */
PhView ph_viewport_aim (const PhViewport *viewport); /* where the animation that runs ends, else what is shown */
PhView ph_viewport_zoom_at (const PhViewport *viewport, double x, double y, double factor); /* the pixel keeps its point */
PhView ph_viewport_fit (const PhViewport *viewport, const PhRect *rect, double largest);    /* all of it, with a margin */
PhView ph_viewport_center (const PhViewport *viewport, const PhRect *rect, double zoom);
/* So far as is needed to see @rect, which lands in the middle third; comes closer where it is too small to be recognised. FALSE: it is
 * seen already. @cover: (nullable) the pixels that something lies over. */
gboolean ph_viewport_show (const PhViewport *viewport, const PhRect *rect, const PhRect *cover, PhView *view);
/* What a picture opens with where it is larger than the window: its first row, or column (@across), around @middle, readable. */
gboolean ph_viewport_opens_whole (const PhViewport *viewport, gboolean grouped);
double ph_viewport_reading_zoom (const PhViewport *viewport, gboolean across);
PhView ph_viewport_beginning (const PhViewport *viewport, gboolean across, double middle);

/* Going there: at once; by an animation that begins at @now; by itself, in pixels a second, until friction ends it. Each ends what
 * moved before. */
void ph_viewport_jump (PhViewport *viewport, PhView view);
void ph_viewport_go (PhViewport *viewport, PhView view, gint64 now);
gboolean ph_viewport_glide (PhViewport *viewport, double x, double y, gint64 now); /* FALSE: too slow to be seen */
void ph_viewport_stop (PhViewport *viewport);
gboolean ph_viewport_is_moving (const PhViewport *viewport);
gboolean ph_viewport_is_animated (const PhViewport *viewport); /* the first kind of moving, not gliding */
/* Moves to where it is at @now. FALSE: it has arrived, and stands. */
gboolean ph_viewport_advance (PhViewport *viewport, gint64 now);
/* The picture was laid out anew, or got narrower by @pixels at the right: what was seen stays where it was. */
void ph_viewport_shift (PhViewport *viewport, double dx, double dy);
void ph_viewport_keep_middle (PhViewport *viewport, double pixels);

G_END_DECLS
