/* kernels.h: kernels beside the reference kernel of an operator: one row each, by operator, device and priority.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/kernel.h"

G_BEGIN_DECLS

/* Where a kernel computes. */
typedef enum { PH_DEVICE_CPU, PH_N_DEVICES } PhDevice;

const char *ph_device_name (PhDevice device);

typedef struct
{
  const PhOp *op;
  PhDevice    device;
  const char *name;                          /* "dnnl": of the library                                              */
  int         priority;                      /* the highest is asked first; the reference kernel comes after all    */
  gboolean  (*run) (PhKernel *kernel);       /* FALSE: it does not take this one, and has made no output            */
} PhKernelRow;

/* A table, which ends with a row without operator, is one name in the list of core/run/kernels.c. */
extern const PhKernelRow ph_kernels_dnnl[];

/* TRUE: a kernel of @device ran. FALSE: the reference kernel has to. */
gboolean                  ph_kernel_try  (PhKernel *kernel, PhDevice device);
/* Those of @op, the one that is asked first first; NULL-ended. (nullable) */
const PhKernelRow *const *ph_kernel_rows (const PhOp *op);

G_END_DECLS
