/* branch.h: branches and loops, and what their bodies write into.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/torch/torch.h"

G_BEGIN_DECLS

/* Branches and loops, see branch.c and loop.c. @rest: what follows in the block, where a branch returns. */
gboolean ph_torch_if (PhTorchScope *scope, const PhPy *py, PhPy *const *rest, guint n_rest);
gboolean ph_torch_loop (PhTorchScope *scope, const PhPy *py);
gboolean ph_torch_returns (PhPy *const *body, guint n);
PhTorchScope ph_torch_inner_scope (PhTorchScope *outer, PhSketchGraph *graph);
/* The objects that a body may write into and no list or view holds: inside, it has its own. (transfer container) */
GPtrArray *ph_torch_objects_written (PhTorchScope *scope, GHashTable *written, GHashTable *again);
/* Lists that a body changes (@written: their names) become values, since their length is not known any more. */
void ph_torch_lists_to_values (PhTorchScope *scope, const PhPy *at, GHashTable *written);
PhTorchVal *ph_torch_own_object (PhTorchScope *inner, PhTorchVal *val, const char *name);
gint ph_torch_by_name (gconstpointer a, gconstpointer b);
gint ph_torch_by_value (gconstpointer a, gconstpointer b);

G_END_DECLS
