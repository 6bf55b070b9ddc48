/* paint.h: what the colour of a node says: its kind, its role, or a number or a name of any other origin; and the legend.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/draw/draw.h"
#include "core/run/profile.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_COLOR_FAMILY, PH_COLOR_ROLE, PH_COLOR_DEVICE, PH_COLOR_COST, PH_COLOR_MEMORY, PH_COLOR_TIME, PH_COLOR_KERNEL,
  PH_COLOR_LAYOUT, PH_COLOR_ROOF, PH_COLOR_ERROR, PH_COLOR_QUERY, PH_N_COLOR_MODES
} PhColorMode;
/* clang-format on */

const char *ph_color_mode_name (PhColorMode mode);  /* "kind", "role", "cost": for a command or a setting */
const char *ph_color_mode_title (PhColorMode mode); /* "Operator kind"                                    */
gboolean ph_color_mode_is_given (PhColorMode mode); /* by a run, a comparison or a query: the model alone does not tell it */
gboolean ph_color_mode_find (const char *name, PhColorMode *mode);
gboolean ph_color_mode_is_measured (PhColorMode mode); /* by a run: ph_measure_new_of_profile() */

/* Numbers (element-type double) or names (element-type char*) by node id. Immutable, so any thread may read it. */
PhMeasure *ph_measure_new_numbers (PhColorMode mode, const char *title, const char *unit, GHashTable *numbers); /* takes it */
PhMeasure *ph_measure_new_names (PhColorMode mode, const char *title, GHashTable *names);                       /* takes it */
/* What a model tells of itself: FAMILY and ROLE are empty, the scene knows them; DEVICE, COST (FLOP), MEMORY (bytes of the
 * outputs). NULL: it is given from elsewhere. */
PhMeasure *ph_measure_new_of_model (PhModel *model, PhColorMode mode);
/* TIME (seconds), KERNEL, LAYOUT, ROOF (the share of what the machine can do that is missed, from 0 to 1) of the nodes that ran. */
PhMeasure *ph_measure_new_of_profile (const PhProfile *profile, PhColorMode mode);
PhMeasure *ph_measure_ref (PhMeasure *measure);
void ph_measure_unref (PhMeasure *measure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhMeasure, ph_measure_unref)

/* The colours of @scene's boxes at @time; a closed group has that of its hottest or, of names, most frequent inside. @measure
 * (nullable): the kind of operator. Immutable; keeps neither. */
PhPaint *ph_paint_new (PhScene *scene, int time, PhMeasure *measure);
PhPaint *ph_paint_ref (PhPaint *paint);
void ph_paint_unref (PhPaint *paint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhPaint, ph_paint_unref)
PhColor ph_paint_color (const PhPaint *paint, int box, PhTheme theme);
gboolean ph_paint_knows (const PhPaint *paint, int box); /* FALSE: nothing is known of what is there */

/* The legend: swatches with names and how many nodes have them, most frequent first, or a scale from the least to the largest. */
PhColorMode ph_paint_mode (const PhPaint *paint);
const char *ph_paint_title (const PhPaint *paint);
const char *ph_paint_drawn_by (const PhPaint *paint); /* who drew the picture, in what time */
guint ph_paint_n_entries (const PhPaint *paint);      /* 0: a scale, or nothing at all */
const char *ph_paint_entry (const PhPaint *paint, guint entry, PhTheme theme, PhColor *color, guint *count);
/* FALSE: no scale. @at: from 0 to 1 along ph_heat_color(); @label (transfer full): "1.2 MFLOP". Up to five ticks. */
gboolean ph_paint_tick (const PhPaint *paint, guint tick, float *at, char **label);
guint ph_paint_n_unknown (const PhPaint *paint); /* nodes of which nothing is known */

/* Draws it with its left top corner at (0, 0), as wide as it needs to be but @room at most (0: any). */
void ph_paint_draw_legend (const PhPaint *paint, cairo_t *cr, PhInk *ink, PhTheme theme, double room);
void ph_paint_legend_size (const PhPaint *paint, PhInk *ink, double room, double *width, double *height);

G_END_DECLS
