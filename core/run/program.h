/* program.h: what a model is compiled to before it is run, and keeps until it is edited.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/expand.h"
#include "core/run/kernels.h"

G_BEGIN_DECLS

/* Each value of a graph has a slot of the frame in which the graph runs. */
typedef struct
{
  GHashTable *by_value; /* PhValue -> its slot, from 1 (GUINT_TO_POINTER)                             */
  GPtrArray *values;    /* (element-type PhValue) by slot, from 0                                     */
} PhSlots;

/* Where a step finds an input. */
typedef struct
{
  PhValue *value;     /* (nullable) NULL: the node leaves it out                                    */
  PhTensor *constant; /* (nullable) (unowned) of the value: no frame is asked                       */
  guint up, slot;     /* in the frame of the @up-th graph around this one                           */
} PhTaskInput;

/* A node, where its inputs come from, and the kernel that was prepared for them. */
typedef struct
{
  PhNode *node;
  guint n_inputs, n_outputs, n_release;
  PhTaskInput *inputs;
  guint *outputs;      /* slots                                                                      */
  guint *release;      /* slots that no later step reads                                             */
  guint64 dying;       /* bit i: input i is among them, and is read by no other input of the node     */
  gboolean is_lasting; /* it makes its output of constants alone                                     */
  PhTensor *made;      /* (nullable) owned: that output, of the first run                            */
  PhNodeState state;
} PhTask;

/* The steps that compute some values of one graph, in order. */
typedef struct
{
  PhGraph *graph;
  PhSlots *slots; /* of the program                                                             */
  guint n_steps;
  PhTask *steps;
  GArray *wanted, *given;         /* (element-type PhId) of the main graph: what it was made for                 */
  struct _PhPlacement *placement; /* (nullable) where its blocks lie, of the main graph                              */
  int is_small;                   /* so little to compute that threads would only wait for each other; -1: not known yet */
} PhCode;

typedef struct
{
  GHashTable *slots;      /* PhGraph -> PhSlots                                                         */
  GHashTable *bodies;     /* PhGraph -> PhCode for all its outputs                                      */
  GHashTable *lasting;    /* a set of PhValue: what steps make of constants alone                       */
  GPtrArray *codes;       /* (element-type PhCode) of the main graph, the latest first                  */
  GHashTable *functions;  /* PhNode, the call -> PhModel, the function's body                           */
  GHashTable *expansions; /* PhNode -> PhExpansion, of an operator that is spelt out                    */
  PhModel *upgraded;      /* (nullable) owned: runs in the model's place, which is of an older opset    */
  GHashTable *origins;    /* (nullable) see ph_run_upgraded_clone()                                     */
  GArray *types;          /* (element-type PhType*) of the model's inputs when it was upgraded          */
} PhProgram;

PhProgram *ph_program_new (void);
void ph_program_free (PhProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProgram, ph_program_free)

/* That of @model, taken off it: no other thread runs it meanwhile, and no edit frees it. Made if there is none.
 * (transfer full): to be given back. */
PhProgram *ph_program_take (PhModel *model);
void ph_program_give (PhModel *model, PhProgram *program);

/* (transfer none), made at the first call. @given: (nullable) a table by PhValue: values of the graph that need no step. */
PhCode *ph_program_code (PhProgram *program, PhGraph *graph, GPtrArray *wanted, GHashTable *given);
PhCode *ph_program_body (PhProgram *program, PhGraph *graph);
/* How many threads a run may take, in the whole process; 0: the default, one for each core. A small model takes one. */
void ph_run_set_threads (guint n);
guint ph_run_get_threads (void);
/* For tests: a small model takes as many as a large one. */
void ph_run_set_eager (gboolean eager);

G_END_DECLS
