/* route.h: where the lines of a layout go, once its boxes have places.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/layered/layered.h"

G_BEGIN_DECLS

/* route.c: the edges of a layout whose boxes are placed. @top, @bottom: y of the layers. */
void ph_route_layers (PhLayered *layered, const float *top, const float *bottom);
/* The ends of edge @e as ranked: turned around where it is reversed. Offsets are from the anchors. */
void ph_layered_ends (PhLayered *layered, int e, int *from, int *to, float *from_dx, float *to_dx);
/* From the side of a box of the left column up into one of the right, whose edges run upwards; else from side to side. */
void ph_route_across (PhLayout *layout, PhLayoutEdge *edge);
void ph_route_add (PhLayout *layout, PhLayoutEdge *edge, float x, float y);
/* Straight down, or an S where x differs. */
void ph_route_curve (PhLayout *layout, PhLayoutEdge *edge, float x, float y);
/* A straight line from border to border. */
void ph_route_straight (PhLayout *layout, PhLayoutEdge *edge);

/* fold.c: folds what is laid out and routed into columns, where it is long and narrow. */
void ph_layered_fold (PhLayered *layered, const float *top, const float *bottom);

G_END_DECLS
