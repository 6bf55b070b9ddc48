/* torch.h: PyTorch's programs as drafts: the code of TorchScript, FX and Dynamo. Private to core/io/torch and the readers of its formats.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/io/sketch.h"
#include "core/io/torch/archive.h"

G_BEGIN_DECLS

#define PH_TORCH_ATEN  "aten"
#define PH_TORCH_PRIM  "prim"
#define PH_TORCH_OTHER "torch"

/* Names of the parameters of ATen's operator, separated by spaces, "*" before those that are tensors. (nullable) */
const char   *ph_torch_signature (const char *op);
/* "f32[8, 16][16, 1]cuda:0", "Sym(s0)", "i64[]". (nullable) */
const PhType *ph_torch_fx_type   (const char *text);
/* "Float(2, 5, 16, strides=[80, 16, 1], requires_grad=0, device=cpu)", "Long()", "int". (nullable) */
const PhType *ph_torch_script_type (const char *text);

/* What an expression stands for: a value of the graph, or what is known of it without one. */
typedef enum { PH_TORCH_VALUE, PH_TORCH_LITERAL, PH_TORCH_LIST, PH_TORCH_TUPLE, PH_TORCH_MODULE, PH_TORCH_UNKNOWN } PhTorchKind;
typedef struct _PhTorchVal PhTorchVal;
struct _PhTorchVal
{
  PhTorchKind     kind;
  const char     *name;        /* VALUE                                                       */
  const PhPy     *py;          /* LITERAL, UNKNOWN: as it is written                          */
  GPtrArray      *items;       /* LIST, TUPLE (element-type PhTorchVal)                       */
  const PhPickle *object;      /* MODULE (nullable): of an archive                            */
  const char     *path;        /* MODULE: "fc1.weight"                                        */
};

typedef struct _PhTorch PhTorch;
struct _PhTorch
{
  PhSketch       *sketch;
  PhSource       *source;
  PhZip          *zip;         /* (nullable)                                                  */
  const char     *prefix;      /* of the archive's members                                    */
  GPtrArray      *values, *lists, *modules, *texts;      /* owned                                     */
  GHashTable     *files;       /* name of a member -> PhPyModule                              */
  GHashTable     *weights;     /* PhPickle -> name of a constant                              */
  const PhPickle *constants;   /* (nullable) the tuple of constants.pkl                       */
  PhPyModule     *own;         /* where literals are made                                     */
  guint           depth;
  guint64         work;        /* statements that were lowered: calls in calls may multiply   */
  GError        **error;
};

typedef struct
{
  PhTorch       *torch;
  PhSketchGraph *graph;
  GHashTable    *names;        /* variable -> PhTorchVal                                      */
  const char    *scope;        /* "" or "encoder/layer/"                                      */
  const char    *file;         /* of the code                                                 */
  const char    *place;        /* (nullable) "File: x.py:3 in f, code: ..." that stands above */
  gboolean       returned;
  PhTorchVal    *result;
} PhTorchScope;

void        ph_torch_init      (PhTorch *torch, PhSource *source, PhSketch *sketch, GError **error);
void        ph_torch_clear     (PhTorch *torch);
PhTorchVal *ph_torch_value     (PhTorch *torch, const char *name);
PhTorchVal *ph_torch_module    (PhTorch *torch, const PhPickle *object, const char *path);
PhTorchVal *ph_torch_literal   (PhTorch *torch, const PhPy *py);
PhTorchVal *ph_torch_list      (PhTorch *torch, gboolean tuple);
PhPy       *ph_torch_new_literal (PhTorch *torch, PhPyKind kind, const char *text);
PhTorchVal *ph_torch_results   (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n);      /* of an assignment */
/* FALSE: the error is set. */
gboolean    ph_torch_block     (PhTorchScope *scope, PhPy *const *body, guint n);
PhTorchVal *ph_torch_expr      (PhTorchScope *scope, const PhPy *py, const char *name, const PhType *type);   /* NULL: the error is set */
/* Adds what @val stands for to @graph's outputs; members of a tuple one by one. */
void        ph_torch_output    (PhTorchScope *scope, PhTorchVal *val);
/* The value of the graph, made if it must be. */
const char *ph_torch_as_value  (PhTorchScope *scope, const PhPy *at, PhTorchVal *val);
void        ph_torch_add_operand (PhTorchScope *scope, PhSketchNode *node, const PhPy *at, const char *attr, gboolean tensor, PhTorchVal *val);
/* An archive's class, function or attribute, see script.c. */
PhTorchVal *ph_torch_get_attr  (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *name);
const PhPy *ph_torch_find_method (PhTorch *torch, const PhPickle *module, const char *method);      /* (nullable) */
PhTorchVal *ph_torch_call_method (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *method, GPtrArray *args, gboolean *known);
PhTorchVal *ph_torch_call_function (PhTorchScope *scope, const PhPy *at, const char *dotted, GPtrArray *args, gboolean *known);
PhTorchVal *ph_torch_run_def   (PhTorchScope *outer, const PhPy *def, const char *file, const char *scope_name, GPtrArray *args, guint first);

G_END_DECLS
