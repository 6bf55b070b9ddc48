/* kernels.h: kernels beside the reference kernel of an operator: one row each, by operator, device and priority.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/kernel.h"
#include "core/run/kernel-list.h"

G_BEGIN_DECLS

/* Where a kernel computes: a device is one row, its name for people the second column. */
#define PH_DEVICES \
  DEVICE (CPU, "cpu")

#define DEVICE(id, name) PH_DEVICE_##id,
typedef enum { PH_DEVICES PH_N_DEVICES } PhDevice;
#undef DEVICE

const char *ph_device_name (PhDevice device);

typedef struct
{
  const PhOp *op;
  PhDevice    device;
  const char *name;                          /* "dnnl": of the library                                              */
  int         priority;                      /* the highest is asked first; the reference kernel comes after all    */
  gboolean  (*run) (PhKernel *kernel);       /* FALSE: it does not take this one, and has made no output            */
} PhKernelRow;

/* Tables of kernels, each of which ends with a row without operator. A name is core/run/NAME.c with `const PhKernelRow ph_kernels_NAME[]`;
 * the list is in core/run/meson.build. */
#define TABLE(name) extern const PhKernelRow ph_kernels_##name[];
PH_KERNEL_TABLES
#undef TABLE

/* TRUE: a kernel of @device ran. FALSE: the reference kernel has to. */
gboolean                  ph_kernel_try  (PhKernel *kernel, PhDevice device);
/* Those of @op, the one that is asked first first; NULL-ended. (nullable) */
const PhKernelRow *const *ph_kernel_rows (const PhOp *op);

G_END_DECLS
