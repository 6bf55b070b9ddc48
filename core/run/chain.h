/* chain.h: elementwise operators, one after the other, over blocks that stay in the cache.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/kernels.h"

G_BEGIN_DECLS

typedef struct _PhChain PhChain;

/* Whether a chain has a loop for @node; its inputs have to be floats as well. */
gboolean ph_chain_takes (const PhNode *node);

/* @nodes compute one value, the output of the last, of each other's and of what is outside; @outside: (element-type PhValue)
 * what the inputs of the kernel are to them. @head: (nullable) one more value from outside: a tensor that is given to
 * ph_chain_run() and written over. NULL: there is no chain for these nodes. */
PhChain *ph_chain_new (PhKernel *kernel, PhNode *const *nodes, guint n, GPtrArray *outside, const PhValue *head);
void ph_chain_free (PhChain *chain);
/* The value. @head: (transfer full) (nullable). NULL: it cannot be computed so (@head is gone). (transfer full) */
PhTensor *ph_chain_run (PhChain *chain, PhKernel *kernel, PhTensor *head);

/* The same where the head is of @dims, row-major, and @elements are the @n ones from its @first on, which are written over: the same chain
 * in every call, and no ph_chain_run() with it. FALSE: it cannot be computed so. */
gboolean ph_chain_run_part (PhChain *chain, PhKernel *kernel, guint rank, const gint64 *dims, gsize first, gsize n,
                            float *elements);

G_END_DECLS
