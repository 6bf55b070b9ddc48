/* decisions.h: finds what a side decides by an open size, which a few sizes cannot show.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/region.h"

G_BEGIN_DECLS

/* Whether one side compares, selects or takes remainders by an open size, or by an integer that says one, as the other does not. Then equal
 * at some sizes is not equal at all of them: 24 may be one that nobody tried. */
gboolean ph_region_decides_by_size (const PhRegion *region);

G_END_DECLS
