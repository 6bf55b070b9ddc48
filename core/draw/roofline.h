/* roofline.h: how far each node is below what the machine can do: operations a second over operations a byte.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/run/peaks.h"

G_BEGIN_DECLS

/* A picture (SVG): both axes logarithmic, the roof as a line, one circle a node of @profile whose operations are known, as large as its
 * share of the time, in the colour of the kernel that ran it. @model: whose nodes they are. (transfer full) */
char *ph_roofline_svg (const PhProfile *profile, PhModel *model, const PhPeaks *peaks);

G_END_DECLS
