/* torch.h: PyTorch's programs as drafts: the code of TorchScript, FX and Dynamo. Private to core/io/torch and the readers of its formats.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/io/sketch.h"
#include "core/io/torch/archive.h"
#include "core/io/torch/schema.h"

G_BEGIN_DECLS

#define PH_TORCH_ATEN  "aten"
#define PH_TORCH_PRIM  "prim"
#define PH_TORCH_OTHER "torch"

/* "f32[8, 16][16, 1]cuda:0", "Sym(s0)", "i64[]". (nullable) */
const PhType *ph_torch_fx_type (const char *text);
/* "Float(2, 5, 16, strides=[80, 16, 1], requires_grad=0, device=cpu)", "Long()", "int". (nullable) */
const PhType *ph_torch_script_type (const char *text);

/* What an expression stands for: a value of the graph, or what is known of it without one. */
typedef enum
{
  PH_TORCH_VALUE,
  PH_TORCH_LITERAL,
  PH_TORCH_LIST,
  PH_TORCH_TUPLE,
  PH_TORCH_MODULE,
  PH_TORCH_UNKNOWN
} PhTorchKind;
typedef struct _PhTorchVal PhTorchVal;
/* An object of Python's: who writes into it writes into what all its names stand for. */
struct _PhTorchVal
{
  PhTorchKind kind;
  PhSketchGraph *graph;   /* (nullable) where it was made: only statements of the same body may write into it */
  const char *name;       /* VALUE                                                       */
  const PhPy *py;         /* LITERAL, UNKNOWN: as it is written                          */
  GPtrArray *items;       /* LIST, TUPLE (element-type PhTorchVal)                       */
  const PhPickle *object; /* MODULE (nullable): of an archive                            */
  const char *path;       /* MODULE: "fc1.weight"                                        */
  PhSketchNode *node;     /* (nullable) VALUE: its node, of which it is an output         */
  /* Of a view: what it shows, and how often that had been written into when it was made or made anew. */
  PhTorchVal *base; /* (nullable)                                                  */
  guint seen, version;
  gboolean has_views;
};

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
PhTorchVal *ph_torch_new (PhTorch *torch, PhTorchKind kind);
PhTorchVal *ph_torch_value (PhTorch *torch, const char *name);
PhTorchVal *ph_torch_unknown (PhTorch *torch, const PhPy *py);
PhTorchVal *ph_torch_int (PhTorch *torch, gint64 value);
PhTorchVal *ph_torch_bool (PhTorch *torch, gboolean value);
/* FALSE; the first error stays. */
gboolean ph_torch_fail (PhTorchScope *scope, const PhPy *at, const char *format, ...) G_GNUC_PRINTF (3, 4);
PhTorchVal *ph_torch_module (PhTorch *torch, const PhPickle *object, const char *path);
PhTorchVal *ph_torch_literal (PhTorch *torch, const PhPy *py);
PhTorchVal *ph_torch_list (PhTorch *torch, gboolean tuple);
PhPy *ph_torch_new_literal (PhTorch *torch, PhPyKind kind, const char *text);
PhTorchVal *ph_torch_results (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n); /* of an assignment */
/* FALSE: the error is set. */
gboolean ph_torch_block (PhTorchScope *scope, PhPy *const *body, guint n);
/* Branches and loops, see branch.c and loop.c. @rest: what follows in the block, where a branch returns. */
gboolean ph_torch_if (PhTorchScope *scope, const PhPy *py, PhPy *const *rest, guint n_rest);
gboolean ph_torch_loop (PhTorchScope *scope, const PhPy *py);
gboolean ph_torch_returns (PhPy *const *body, guint n);
PhTorchScope ph_torch_inner_scope (PhTorchScope *outer, PhSketchGraph *graph);
/* The objects that a body may write into and no list or view holds: inside, it has its own. (transfer container) */
GPtrArray *ph_torch_objects_written (PhTorchScope *scope, GHashTable *written);
PhTorchVal *ph_torch_own_object (PhTorchScope *inner, PhTorchVal *val, const char *name);
gint ph_torch_by_name (gconstpointer a, gconstpointer b);
gint ph_torch_by_value (gconstpointer a, gconstpointer b);
PhTorchVal *ph_torch_expr (PhTorchScope *scope, const PhPy *py, const char *name,
                           const PhType *type); /* NULL: the error is set */
/* Adds what @val stands for to @graph's outputs; members of a tuple one by one. */
void ph_torch_output (PhTorchScope *scope, PhTorchVal *val);
/* The value of the graph, made if it must be. */
const char *ph_torch_as_value (PhTorchScope *scope, const PhPy *at, PhTorchVal *val);
void ph_torch_add_operand (PhTorchScope *scope, PhSketchNode *node, const PhPy *at, const char *attr, gboolean tensor,
                           PhTorchVal *val);
void ph_torch_add_attr (PhSketchNode *node, const char *name, const PhTorchVal *val);
gboolean ph_torch_has_value (const PhTorchVal *val); /* some of it is computed */
gboolean ph_torch_is_int (const PhTorchVal *val, gint64 *value);
PhSketchNode *ph_torch_add_node (PhTorchScope *scope, const PhPy *at, const char *op, const char *domain);
void ph_torch_name_node (PhTorchScope *scope, PhSketchNode *node);

/* Calls, see call.c. @keywords: (nullable) name, value, ...; @names: of @n_names results (nullable). */
typedef struct
{
  char *domain, *op, *overload;
} PhTorchTarget;
PhTorchVal *ph_torch_add_call (PhTorchScope *scope, const PhPy *at, const PhTorchTarget *target, GPtrArray *args,
                               GPtrArray *keywords, const char *const *names, guint n_names, const PhType *type);
PhTorchVal *ph_torch_simple_call (PhTorchScope *scope, const PhPy *at, const char *domain, const char *op, PhTorchVal *a,
                                  PhTorchVal *b, const char *name, const PhType *type);
PhTorchVal *ph_torch_call (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n_names, const PhType *type);
/* "torch.ops.aten.add.Tensor", "torch.relu", "operator.getitem", ...; a call of it as a statement of the graph does. */
PhTorchVal *ph_torch_call_target (PhTorchScope *scope, const PhPy *at, const char *dotted, GPtrArray *args, GPtrArray *keywords,
                                  const char *const *names, guint n_names, const PhType *type);
/* What is asked of numbers and lists that are known. (nullable) */
PhTorchVal *ph_torch_fold (PhTorch *torch, const char *op, PhTorchVal *a, PhTorchVal *b);
PhTorchVal *ph_torch_index (PhTorchScope *scope, const PhPy *at, PhTorchVal *of, const PhPy *index, const char *name,
                            const PhType *type);

/* Views and writing in place, see alias.c. */
gboolean ph_torch_is_in_place (const char *op);
void ph_torch_note_view (PhTorchVal *result, const char *op, PhTorchVal *of);
/* The name of @val as it is now: a view of what was written into is made anew. */
const char *ph_torch_current (PhTorchScope *scope, const PhPy *at, PhTorchVal *val);
/* @val holds @name from now on, and so does what it is a view of. FALSE: the error is set. */
gboolean ph_torch_write (PhTorchScope *scope, const PhPy *at, PhTorchVal *val, const char *name);
/* append, _set_item, ...: of lists that are known. NULL without error: not that. */
PhTorchVal *ph_torch_write_list (PhTorchScope *scope, const PhPy *at, const char *op, GPtrArray *args);
/* The variables that statements of @body write into, into @into. */
void ph_torch_written (PhPy *const *body, guint n, GHashTable *into);

/* An archive's class, function or attribute, see script.c. */
PhTorchVal *ph_torch_get_attr (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *name);
const PhPy *ph_torch_find_method (PhTorch *torch, const PhPickle *module, const char *method); /* (nullable) */
PhTorchVal *ph_torch_call_method (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *method, GPtrArray *args,
                                  gboolean *known);
PhTorchVal *ph_torch_call_function (PhTorchScope *scope, const PhPy *at, const char *dotted, GPtrArray *args, gboolean *known);
PhTorchVal *ph_torch_run_def (PhTorchScope *outer, const PhPy *def, const char *file, const char *scope_name, GPtrArray *args,
                              guint first);

/* A program of torch.export, which is JSON in an archive; export.c. (nullable) */
PhModel *ph_torch_read_export (PhSource *source, PhZip *zip, GError **error);
/* The code that FX and Dynamo print, which begins at @line of the source; formats/fx.c. (nullable) */
PhModel *ph_torch_read_fx (PhSource *source, const char *text, gsize size, guint line, GError **error);

G_END_DECLS
