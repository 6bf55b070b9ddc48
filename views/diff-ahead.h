/* diff-ahead.h: keeps a document's diff up to date, in the background where it is long.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

/* For as long as the document lives; once is enough. */
void ph_diff_ahead_watch (PhDocument *document);

G_END_DECLS
