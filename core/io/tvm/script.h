/* script.h: what TVMScript says, as a sketch. Private to core/io/tvm and the readers of TVM's text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/io/sketch.h"

G_BEGIN_DECLS

#define PH_TVM_RELAX    "relax"
#define PH_TVM_TIR      "tir"
#define PH_TVM_FUNCTION "relax.func" /* calls of the module's own functions */
#define PH_TVM_KERNEL   "tir.func"

typedef struct
{
  PhSketch *sketch;
  PhPyModule *module;
  GHashTable *defs;
} PhTvm; /* @defs: name -> PhPy */

/* Where statements are: what names stand for there. */
typedef struct
{
  PhTvm *tvm;
  PhSketchGraph *graph;
  GHashTable *names;  /* name in the text -> name of a value                         */
  GPtrArray *effects; /* (element-type char*) values whose nodes the next effect must follow */
  const char *prefix; /* of the names of nodes: "dataflow/"                          */
  gboolean returned;
} PhTvmScope;

/* A function's own scope, or that of a body inside @outer. */
void ph_tvm_scope_init (PhTvmScope *scope, PhTvm *tvm, PhTvmScope *outer, PhSketchGraph *graph);
const char *ph_tvm_find (PhTvmScope *scope, const char *name); /* (nullable) */
void ph_tvm_bind (PhTvmScope *scope, const char *name, const char *value);
void ph_tvm_effect (PhTvmScope *scope, PhSketchNode *node); /* it follows those before */

/* "T" of "T.Buffer", "T.exp" is "exp" there; of others the whole text. (transfer full) */
char *ph_tvm_op_name (const PhPy *callee);
/* The type that @py says: R.Tensor(...), T.Buffer(...), T.int64, ... NULL: none that there is here. */
const PhType *ph_tvm_type (const PhPy *py);
PhDType ph_tvm_dtype (const char *name);
/* The type of element @index of a tuple of type @tuple (nullable). NULL: it is not said there. */
const PhType *ph_tvm_item_type (PhTvm *tvm, const PhType *tuple, gint64 index);
/* The numbers of R.const (1, "float32"), R.const ([1, 2]) or R.const of an array of numpy. NULL: the text does not say them. */
PhTensor *ph_tvm_constant (const PhPy *py);
/* "{"x": 3}": its keys become attributes. */
void ph_tvm_dict_attrs (PhSketchNode *node, const PhPy *dict);
/* The dictionary of a statement "R.func_attr(...)" or "T.func_attr(...)". (nullable) */
const PhPy *ph_tvm_function_attrs (const PhPy *statement);
/* The attributes of the function @def belong to what calls it, or is it: they compute nothing. */
void ph_tvm_add_function_attrs (PhSketchNode *node, const PhPy *def);
/* A list of integers, or one, becomes such an attribute; anything else text. */
void ph_tvm_attr (PhSketchNode *node, const char *name, const PhPy *py);

const char *ph_tvm_relax_signature (const char *op); /* (nullable) what its parameters are called, with spaces between */
/* Adds the attributes that @op, a call of which is @node, has by default. */
void ph_tvm_relax_complete (PhSketchNode *node, const char *op);
gboolean ph_tvm_relax_has_effect (const char *op);
gboolean ph_tvm_is_prim_func (const PhPy *def);
void ph_tvm_add_relax (PhTvm *tvm, PhSketchGraph *graph, const PhPy *def, PhTvmScope *outer);
void ph_tvm_add_tir (PhTvm *tvm, PhSketchGraph *graph, const PhPy *def);

G_END_DECLS
