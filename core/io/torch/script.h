/* script.h: an archive's classes, functions and attributes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/torch/torch.h"

G_BEGIN_DECLS

/* An archive's class, function or attribute, see script.c. */
PhTorchVal *ph_torch_get_attr (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *name);
const PhPy *ph_torch_find_method (PhTorch *torch, const PhPickle *module, const char *method); /* (nullable) */
PhTorchVal *ph_torch_call_method (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *method, GPtrArray *args,
                                  gboolean *known);
PhTorchVal *ph_torch_call_function (PhTorchScope *scope, const PhPy *at, const char *dotted, GPtrArray *args, gboolean *known);

G_END_DECLS
