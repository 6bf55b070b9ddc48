/* growth.h: the budget of nodes that a model may grow by.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A few hundred bytes of functions that call functions, or of loops to unroll, can stand for more nodes than a machine
 * holds. A pass, and a computation that makes graphs of functions, may add this many nodes and no more. */
void ph_growth_set_budget (guint nodes); /* 0: the default */
guint ph_growth_get_budget (void);
/* @added: nodes more than there were. FALSE with @error beyond the budget. */
gboolean ph_growth_check (gint64 added, GError **error);

G_END_DECLS
