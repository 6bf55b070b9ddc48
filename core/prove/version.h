/* version.h: recognises a rewrite that only says an operator in the form of its newer version.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/pair.h"

G_BEGIN_DECLS

/* TRUE: the region is one node before and after, and all that became of it is what ONNX's list of changes says of its operator,
 * such as an attribute that became an input and holds the same numbers. Nothing is computed. */
gboolean ph_region_is_reworded (const PhRegion *region, PhModel *before, PhModel *after);

G_END_DECLS
