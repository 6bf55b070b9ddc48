/* layout-sample.h: boxes and edges to lay out, and what every layout has to keep.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/layered/layered.h"

G_BEGIN_DECLS

PhLayout *layout_sample (void); /* a diamond of four boxes */
PhLayout *layout_random (guint n_boxes, guint n_edges, guint seed, gboolean cycles);

void layout_assert_apart (PhLayout *layout);  /* no box touches another */
void layout_assert_inside (PhLayout *layout); /* boxes are in the picture, edges have their points */

G_END_DECLS
