/* hlo.h: modules of XLA's HLO as their text or their protobuf message tells them, and the model made of them. Private to the
 * readers of both.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/io/hlo/shape.h"
#include "core/io/source.h"

G_BEGIN_DECLS

#define PH_HLO_MAX_DEPTH 200 /* of tuples, of computations in computations, of brackets */

typedef struct _PhHloComputation PhHloComputation;

typedef struct /* a computation that an instruction calls; it becomes its body @attr */
{
  const char *attr, *name;
  PhHloComputation *inside;
  gsize place;
} PhHloCall;

/* Names are interned, without "%". */
typedef struct
{
  const char *name, *opcode;
  const PhHloShape *shape; /* (nullable) not written                             */
  GArray *operands;        /* (element-type char*) names                         */
  GPtrArray *attrs;        /* (element-type PhAttr)                              */
  GArray *calls;           /* (element-type PhHloCall)                           */
  GArray *after;           /* (element-type char*) control-predecessors          */
  GPtrArray *literals;     /* (nullable) of a constant: a PhTensor for each leaf, NULL where it is left out */
  const char *scope;       /* (nullable) of op_name: "jit(f)/dense"              */
  const PhWhere *where;    /* (nullable) of metadata                             */
  gint64 number;           /* of parameter, get-tuple-element; -1                */
  gsize place;             /* in the text                                        */
  guint line, column;
} PhHloInstruction;

struct _PhHloComputation
{
  const char *name;
  GPtrArray *instructions; /* (element-type PhHloInstruction)                    */
  PhHloInstruction *root;  /* (nullable) the last one                            */
  gboolean entry;
  guint line, column;
  /* What build.c makes of it. */
  gpointer built;
  gboolean busy, called;
};

typedef struct
{
  const char *name;
  GPtrArray *computations; /* (element-type PhHloComputation)                    */
  GHashTable *by_name;
  GError *error; /* (nullable) why it cannot be read                             */
} PhHloModule;

/* Owns all that the modules hold. */
typedef struct
{
  PhSource *source;
  GPtrArray *modules; /* (element-type PhHloModule)                         */
  char *room, *end;   /* what is free of the last of @owned                 */
  GPtrArray *owned, *arrays, *ptr_arrays, *attrs, *tensors, *tables, *errors;
} PhHlo;

PhHlo *ph_hlo_new (PhSource *source);
void ph_hlo_free (PhHlo *hlo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhHlo, ph_hlo_free)
gpointer ph_hlo_alloc (PhHlo *hlo, gsize size);
GArray *ph_hlo_array (PhHlo *hlo, gsize size);
GPtrArray *ph_hlo_ptr_array (PhHlo *hlo);
PhHloModule *ph_hlo_add_module (PhHlo *hlo, const char *name);
PhHloComputation *ph_hlo_add_computation (PhHlo *hlo, PhHloModule *module, const char *name); /* @module: (nullable) */
PhHloInstruction *ph_hlo_new_instruction (PhHlo *hlo, const char *name);        /* the caller puts it behind its operands */
void ph_hlo_add_attr (PhHlo *hlo, PhHloInstruction *instruction, PhAttr *attr); /* takes @attr */
void ph_hlo_add_ints (PhHlo *hlo, PhHloInstruction *instruction, const char *name, const GArray *values);
/* The attribute that an instruction's called computation becomes: "calls" of a fusion is the body that it replaced. */
const char *ph_hlo_body_name (const char *opcode, const char *attr, guint index);
PhHloShape *ph_hlo_array_shape (PhHlo *hlo, const char *element, const gint64 *dims, const gboolean *dynamic, guint rank,
                                const char *layout);
/* The shape that XLA knows without being told: a loop gives what it takes, a call what its computation gives. (nullable) */
const PhHloShape *ph_hlo_implied_shape (PhHloModule *module, const PhHloInstruction *instruction, const PhHloShape *operand);
PhHloShape *ph_hlo_tuple_shape (PhHlo *hlo, PhHloShape *const *items, guint n);
PhDType ph_hlo_dtype (const char *element);     /* PH_UNDEFINED: Peephole has none such */
const char *ph_hlo_scope (const char *op_name); /* "a/b/add" without its last part; NULL: there is none */

/* The modules of a text; those that are broken have their error. FALSE: cancelled. */
gboolean ph_hlo_parse (PhHlo *hlo, const char *text, gsize size, GError **error);
void ph_hlo_break_module (PhHlo *hlo, PhHloModule *module, GError *error); /* takes @error */
/* Says which modules were left out. Without @others that is an error. */
gboolean ph_hlo_note_broken (PhHlo *hlo, gboolean others, GError **error);
gsize ph_hlo_count (const PhHlo *hlo);              /* all its instructions */
PhModel *ph_hlo_build (PhHlo *hlo, GError **error); /* of the modules that are not broken */
/* Of HLO's or StableHLO's operators alone. */
gboolean ph_hlo_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error);

G_END_DECLS
