/* torch.h: PyTorch's programs as drafts: the code of TorchScript, FX and Dynamo. Private to core/io/torch and the readers of its formats.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/io/sketch.h"
#include "core/io/statements.h"
#include "core/io/torch/archive.h"
#include "core/io/torch/schema.h"
#include "core/io/torch/value.h"

G_BEGIN_DECLS

#define PH_TORCH_ATEN  "aten"
#define PH_TORCH_PRIM  "prim"
#define PH_TORCH_OTHER "torch"

/* "f32[8, 16][16, 1]cuda:0", "Sym(s0)", "i64[]". (nullable) */
const PhType *ph_torch_fx_type (const char *text);
/* "Float(2, 5, 16, strides=[80, 16, 1], requires_grad=0, device=cpu)", "Long()", "int". (nullable) */
const PhType *ph_torch_script_type (const char *text);

typedef struct _PhTorch PhTorch;
typedef struct _PhTorchScope PhTorchScope;
struct _PhTorch
{
  PhSketch *sketch;
  PhSource *source;
  PhZip *zip;                                  /* (nullable)                                                  */
  const char *prefix;                          /* of the archive's members                                    */
  GPtrArray *values, *lists, *modules, *texts; /* owned                                     */
  GHashTable *files;                           /* name of a member -> PhPyModule                              */
  GHashTable *weights;                         /* PhPickle -> PhTorchVal; FX: path -> name of an input         */
  GHashTable *set;                             /* "module.name" -> PhTorchVal: attributes that were set       */
  PhSketchGraph *graph;                        /* (nullable) that of the statement that is read               */
  const PhPickle *constants;                   /* (nullable) the tuple of constants.pkl                       */
  PhPyModule *own;                             /* where literals are made                                     */
  guint depth;
  guint64 work; /* statements that were lowered: calls in calls may multiply   */
  GError **error;
};

struct _PhTorchScope
{
  PhTorch *torch;
  PhSketchGraph *graph;
  GHashTable *names; /* variable -> PhTorchVal                                      */
  const char *scope; /* "" or "encoder/layer/"                                      */
  const char *file;  /* of the code                                                 */
  const char *place; /* (nullable) "File: x.py:3 in f, code: ..." that stands above */
  gboolean returned;
  PhTorchVal *result;
};

void ph_torch_init (PhTorch *torch, PhSource *source, PhSketch *sketch, GError **error);
void ph_torch_clear (PhTorch *torch);
PhTorchVal *ph_torch_value (PhTorch *torch, const char *name);
PhTorchVal *ph_torch_unknown (PhTorch *torch, const PhPy *py);
PhTorchVal *ph_torch_int (PhTorch *torch, gint64 value);
PhTorchVal *ph_torch_bool (PhTorch *torch, gboolean value);
/* FALSE; the first error stays. */
gboolean ph_torch_fail (PhTorchScope *scope, const PhPy *at, const char *format, ...) G_GNUC_PRINTF (3, 4);
PhTorchVal *ph_torch_module (PhTorch *torch, const PhPickle *object, const char *path);
/* uninitialized (@type): nothing reads it before it is set. Of a tuple, each item is. @depth: 0 */
PhTorchVal *ph_torch_unset (PhTorch *torch, const PhPy *type, guint depth);
gboolean ph_torch_is_unset (const PhTorchVal *val);
PhTorchVal *ph_torch_literal (PhTorch *torch, const PhPy *py);
PhTorchVal *ph_torch_list (PhTorch *torch, gboolean tuple);
PhPy *ph_torch_new_literal (PhTorch *torch, PhPyKind kind, const char *text);
PhTorchVal *ph_torch_results (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n); /* of an assignment */
/* FALSE: the error is set. */
gboolean ph_torch_block (PhTorchScope *scope, PhPy *const *body, guint n);
PhTorchVal *ph_torch_expr (PhTorchScope *scope, const PhPy *py, const char *name,
                           const PhType *type); /* NULL: the error is set */
/* Adds what @val stands for to @graph's outputs; members of a tuple one by one. */
void ph_torch_output (PhTorchScope *scope, PhTorchVal *val);
/* The value of the graph, made if it must be. */
const char *ph_torch_as_value (PhTorchScope *scope, const PhPy *at, PhTorchVal *val);
/* The node whose outputs are the items of @list, which is one as a whole. */
PhSketchNode *ph_torch_parts (PhTorchScope *scope, const PhPy *at, PhTorchVal *list);
void ph_torch_add_operand (PhTorchScope *scope, PhSketchNode *node, const PhPy *at, const char *attr, gboolean tensor,
                           PhTorchVal *val);
void ph_torch_add_attr (PhSketchNode *node, const char *name, const PhTorchVal *val);
gboolean ph_torch_has_value (const PhTorchVal *val); /* some of it is computed */
gboolean ph_torch_is_int (const PhTorchVal *val, gint64 *value);
PhSketchNode *ph_torch_add_node (PhTorchScope *scope, const PhPy *at, const char *op, const char *domain);
void ph_torch_name_node (PhTorchScope *scope, PhSketchNode *node);

/* A program of torch.export, which is JSON in an archive; export.c. (nullable) */
PhModel *ph_torch_read_export (PhSource *source, PhZip *zip, GError **error);
/* The code that FX and Dynamo print, which begins at @line of the source; formats/fx.c. (nullable) */
PhModel *ph_torch_read_fx (PhSource *source, const char *text, gsize size, guint line, GError **error);
extern const PhStatementSyntax ph_torch_fx_statements;

G_END_DECLS
