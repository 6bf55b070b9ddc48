/* alias.h: views, and writing in place.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/torch/torch.h"

G_BEGIN_DECLS

PhTorchVal *ph_torch_root (PhTorchVal *val); /* the object that @val is a view of, or @val */

/* Views and writing in place, see alias.c. */
gboolean ph_torch_is_in_place (const char *op);
void ph_torch_note_view (PhTorchVal *result, const char *op, PhTorchVal *of);
/* Notes that @made, which branches or loops give, may be what @val is, or a view of it. */
void ph_torch_share (PhTorch *torch, PhTorchVal *made, PhTorchVal *val);
/* The name of @val as it is now: a view of what was written into is made anew. */
const char *ph_torch_current (PhTorchScope *scope, const PhPy *at, PhTorchVal *val);
/* @val holds @name from now on, and so does what it is a view of. FALSE: the error is set. */
gboolean ph_torch_write (PhTorchScope *scope, const PhPy *at, PhTorchVal *val, const char *name);
/* append, _set_item, ...: of lists that are known. NULL without error: not that. */
PhTorchVal *ph_torch_write_list (PhTorchScope *scope, const PhPy *at, const char *op, GPtrArray *args);
/* The variables that statements of @body write into, into @into. */
void ph_torch_written (PhPy *const *body, guint n, GHashTable *into);

G_END_DECLS
