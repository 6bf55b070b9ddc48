/* deadline.h: a cancellable that another one cancels, or the clock.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _PhDeadline PhDeadline;

/* @outer: (nullable). @end: by the monotonic clock; 0: never. */
PhDeadline *ph_deadline_new (GCancellable *outer, gint64 end);
GCancellable *ph_deadline_get_cancellable (PhDeadline *deadline); /* (transfer none) */
void ph_deadline_free (PhDeadline *deadline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhDeadline, ph_deadline_free)

G_END_DECLS
