/* kernels.h: kernels beside the reference kernel of an operator: one row each, by operator, device and priority.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/kernel.h"
#include "core/run/kernel-list.h"

G_BEGIN_DECLS

/* Where a kernel computes: a device is one row, its name for people the second column. */
#define PH_DEVICES DEVICE (CPU, "cpu")

#define DEVICE(id, name) PH_DEVICE_##id,
typedef enum
{
  PH_DEVICES PH_N_DEVICES
} PhDevice;
#undef DEVICE

const char *ph_device_name (PhDevice device);

/* A kernel is prepared once for the types of its inputs (element types, shapes, layouts) and then runs as often as those
 * come again: what does not depend on the elements belongs there, and so do weights in the order that it likes. */
typedef struct _PhNodeState PhNodeState;
typedef struct _PhKernelRow
{
  const PhOp *op; /* (nullable) NULL: of fused nodes                                     */
  PhDevice device;
  const char *name;                                      /* "dnnl": of the library                                              */
  int priority;                                          /* the highest is asked first; the reference kernel comes after all    */
  gpointer (*prepare) (PhKernel *kernel);                /* NULL: it does not take such inputs                                  */
  gboolean (*run) (PhKernel *kernel, gpointer prepared); /* FALSE: not these elements; it has made no output      */
  void (*free) (gpointer prepared);                      /* (nullable) nothing to free                                          */
  gsize (*packed) (gpointer prepared);            /* (nullable) bytes of the weights that it keeps in an order of its own */
  const PhNodeState *(*head) (gpointer prepared); /* (nullable) of a fused node: the operator that runs first; NULL: none */
  gboolean packs; /* weights need not be in memory: it makes its own of them, by ph_tensor_copy_data() */
} PhKernelRow;

/* Tables of kernels, each of which ends with a row without a name. A name is core/run/NAME.c with `const PhKernelRow ph_kernels_NAME[]`;
 * the list is in core/run/meson.build. */
#define TABLE(name) extern const PhKernelRow ph_kernels_##name[];
PH_KERNEL_TABLES
#undef TABLE

/* Their names, each once, the reference kernel's among them; NULL-ended. */
const char *const *ph_kernel_names (void);

/* What @prepare returns when there is nothing to prepare. */
#define PH_PREPARED GINT_TO_POINTER (1)

/* The name by which the reference kernel is chosen; of a fused node and of what is spelt out: node by node. */
#define PH_KERNEL_REFERENCE "reference"

/* What a node's step keeps between runs. */
struct _PhNodeState
{
  gint64 *signature; /* (nullable) the types of the inputs, the number of threads           */
  guint n_signature;
  gboolean checked;       /* inputs of these types fit the schema, and so do the outputs         */
  const PhKernelRow *row; /* (nullable) NULL: the reference kernel                               */
  gpointer prepared;
  guint64 constants;      /* bit i: input i is the same tensor in every run                      */
  const char *wish;       /* (nullable) the kernel of that name is to run it, where it takes it  */
  const char *refusal;    /* (nullable) why @prepare of the row that was asked last took it not  */
  const char *remark;     /* (nullable) of @prepare: what is to be known of the results          */
  const PhKernelRow *ran; /* (nullable) which made the outputs last; NULL: the reference kernel  */
};

void ph_node_state_clear (PhNodeState *state);
/* The inputs are of the types that it was made for. If not, it is for these from now on, and nothing is prepared. */
gboolean ph_node_state_fits (PhNodeState *state, PhKernel *kernel);

/* For @prepare: says why, and returns NULL. @reason: static. */
gpointer ph_kernel_refuse (PhKernel *kernel, const char *reason);
/* For a @prepare that is done: results are not the same for every number of threads. */
void ph_kernel_remark_threads (PhKernel *kernel);
const char *ph_node_state_remark (const PhNodeState *state); /* (nullable) of the kernel that made the outputs last */
/* What the outputs were made by last: "dnnl", "panels + chain" of a fused node, "reference". Interned. */
const char *ph_node_state_name (const PhNodeState *state);
gsize ph_node_state_packed (const PhNodeState *state);
/* The kernel that PhModel.kernels names for @node. (nullable) */
const char *ph_kernel_wish (const PhNode *node);

/* Input @i is a weight: what is made of it may be kept. */
static inline gboolean
ph_kernel_is_constant (const PhKernel *kernel, guint i)
{
  return i < 64 && (kernel->state->constants >> i & 1) != 0;
}

/* All users of output 0 read it in row-major order, so another order would be made for nobody. */
gboolean ph_kernel_is_read_in_rows (const PhKernel *kernel);

/* TRUE: a kernel of the node's device (PhNode.device), or of the first, ran. FALSE: the reference kernel has to. */
gboolean ph_kernel_try (PhKernel *kernel);
/* Those of @op (NULL: of fused nodes), the one that is asked first first; NULL-ended. (nullable) */
const PhKernelRow *const *ph_kernel_rows (const PhOp *op);

G_END_DECLS
