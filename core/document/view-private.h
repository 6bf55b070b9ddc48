/* view-private.h: what the files of the view state share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"
#include "core/document/view-state.h"

G_BEGIN_DECLS

/* arrangement-part.c: fills @keep by the rest. FALSE: there is no such part here. */
gboolean ph_arrangement_find_part (PhArrangement *arrangement, PhDocument *document, GError **error);
/* What a node feeds. (transfer full) (element-type PhId) */
GArray *ph_view_users (PhModel *model, PhId id);

/* view-measure.c: what the last profile, or the last comparison of the two positions that changes are shown between, tells of the nodes
 * here. (nullable) (transfer full) */
PhMeasure *ph_view_measure_of_profile (PhDocument *document, PhColorMode mode);
PhMeasure *ph_view_measure_of_along (PhDocument *document);

/* arrangement-words.c: @words to the arrangement: of OPEN, of PART. */
gboolean ph_arrangement_set_open (PhArrangement *arrangement, const char *const *words, GError **error);
gboolean ph_arrangement_set_part (PhArrangement *arrangement, PhDocument *document, const char *const *words, GError **error);
char *ph_arrangement_open_text (const PhArrangement *arrangement);
char *ph_arrangement_part_text (const PhArrangement *arrangement);

G_END_DECLS
