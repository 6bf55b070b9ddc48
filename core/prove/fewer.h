/* fewer.h: a region with few channels that stands for one with many.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/region-form.h"

G_BEGIN_DECLS

/* An instance of a form: its variables are parts of the region's weights, and constants that a rule computed are computed from
 * them by the same recipes. What holds for any weights of any number of channels is tried on these. */
typedef struct
{
  PhPair *pair;
  PhRegionForm *form;  /* of the pair */
  GPtrArray *captured; /* (nullable) (element-type PhTensor) (nullable elements) one for each input */
} PhFewer;

/* @form: of @region, and with sizes. NULL: it cannot be made. (transfer full) */
PhFewer *ph_fewer_new (const PhRegion *region, PhModel *before, PhModel *after, const PhRegionForm *form,
                       PhTensor *const *captured);
void ph_fewer_free (PhFewer *fewer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFewer, ph_fewer_free)

G_END_DECLS
