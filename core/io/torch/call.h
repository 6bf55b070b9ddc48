/* call.h: calls of functions and operators, and what is asked of numbers and lists that are known.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/torch/torch.h"

G_BEGIN_DECLS

typedef struct
{
  char *domain, *op, *overload;
} PhTorchTarget;
/* What a call is given, and what its results are called. */
typedef struct
{
  GPtrArray *args, *keywords; /* (element-type PhTorchVal); (nullable) name, value, ... */
  const char *const *names;   /* (nullable elements) */
  guint n_names;
  const PhType *type; /* (nullable) of a single result */
} PhTorchCall;
PhTorchVal *ph_torch_add_call (PhTorchScope *scope, const PhPy *at, const PhTorchTarget *target, const PhTorchCall *call);
PhTorchVal *ph_torch_simple_call (PhTorchScope *scope, const PhPy *at, const char *domain, const char *op, PhTorchVal *a,
                                  PhTorchVal *b, const char *name, const PhType *type);
PhTorchVal *ph_torch_call (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n_names, const PhType *type);
/* "torch.ops.aten.add.Tensor", "torch.relu", "operator.getitem", ...; a call of it as a statement of the graph does. */
PhTorchVal *ph_torch_call_target (PhTorchScope *scope, const PhPy *at, const char *dotted, const PhTorchCall *call);
/* A function of torch.nn.functional as ATen has it. */
void ph_torch_from_functional (PhTorch *torch, PhTorchTarget *target, GPtrArray *args, GPtrArray *keywords);
/* Tensors that Python takes one by one and ATen as a list. */
void ph_torch_gather_tensors (PhTorch *torch, const char *op, GPtrArray *args);
/* What is asked of numbers and lists that are known. (nullable) */
PhTorchVal *ph_torch_fold (PhTorch *torch, const char *op, PhTorchVal *a, PhTorchVal *b);
PhTorchVal *ph_torch_fold_range (PhTorch *torch, const char *op, GPtrArray *args); /* __range_length, __derive_index */
PhTorchVal *ph_torch_of_dict (PhTorch *torch, const char *op, GPtrArray *args);
/* Parts, repetitions and concatenations of lists. (nullable) */
PhTorchVal *ph_torch_of_lists (PhTorchScope *scope, const PhPy *at, const char *op, GPtrArray *args);
PhTorchVal *ph_torch_sorted (PhTorch *torch, const GPtrArray *items); /* (nullable) they are not known */
gboolean ph_torch_gives_list (const PhSketchNode *node);
/* An element of what gives a list of tensors: split (), chunk (), ... (nullable) */
PhTorchVal *ph_torch_list_item (PhTorchScope *scope, const PhPy *at, PhTorchVal *of, gint64 index);
PhTorchVal *ph_torch_index (PhTorchScope *scope, const PhPy *at, PhTorchVal *of, const PhPy *index, const char *name,
                            const PhType *type);

G_END_DECLS
