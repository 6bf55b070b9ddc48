/* graph.h: the IR. A DAG of nodes joined by values; nodes may own subgraphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/error.h"
#include "core/intern.h"
#include "core/graph/attr.h"
#include "core/graph/where.h"

G_BEGIN_DECLS

/* The structs are open for reading. Only the functions of edit.h may write them: that is what makes every change an
 * edit of the journal. Not thread-safe: a worker works on its own clone (ph_model_clone). */
typedef struct _PhModel   PhModel;
typedef struct _PhGraph   PhGraph;
typedef struct _PhNode    PhNode;
typedef struct _PhValue   PhValue;
typedef struct _PhOp      PhOp;         /* core/ops/op.h       */
typedef struct _PhHistory PhHistory;    /* core/graph/history.h */
typedef guint32           PhId;         /* nodes, values and graphs count from 1 in one sequence; never reused */

#define PH_NO_ID ((PhId) 0)

typedef enum { PH_ROLE_FORWARD, PH_ROLE_BACKWARD, PH_ROLE_COMMUNICATION } PhRole;

typedef struct { PhNode *node; guint index; } PhUse;      /* input @index of @node */

struct _PhValue
{
  PhId          id;
  const char   *name;          /* interned; unique among the values of the model; "" never          */
  const PhType *type;          /* (nullable) NULL while unknown                                      */
  PhGraph      *graph;         /* the scope that it belongs to                                       */
  PhNode       *producer;      /* (nullable) NULL for graph inputs and constants                     */
  guint         output;        /* index among the producer's outputs                                 */
  PhTensor     *tensor;        /* (nullable) initializer; with is_input an overridable default       */
  gboolean      is_input;      /* one of graph->inputs                                               */
  GArray       *uses;          /* (element-type PhUse) by nodes here and in subgraphs; in no order   */
  guint         n_output_uses; /* how many times it is a graph output                                */
  guint         place;         /* of a constant: its index in graph->constants                       */
  GBytes       *extra;         /* (nullable) what the file says of it that Peephole does not read    */
  gpointer      scratch;       /* for whoever walks the graph now; no promise past that              */
};

struct _PhNode
{
  PhId          id;
  const char   *op_type, *domain;  /* interned; domain "" is ONNX's own                              */
  const PhOp   *op;            /* (nullable) NULL: unknown operator, or a fused node                 */
  const char   *name;          /* interned, "" when the file gives none                              */
  PhGraph      *graph;
  PhNode       *prev, *next;   /* the graph's list, always a topological order                       */
  guint64       order;         /* grows along that list; compare within one graph only               */
  GPtrArray    *inputs;        /* (element-type PhValue) (nullable elements): "" inputs are NULL     */
  GArray       *use_at;        /* (element-type guint) parallel to inputs: index in the value's uses */
  GPtrArray    *outputs;       /* (element-type PhValue) owned; "" outputs are values without a use  */
  GPtrArray    *attrs;         /* (element-type PhAttr) in the file's order                          */
  GPtrArray    *graphs;        /* (element-type PhGraph) (nullable) bodies: If, Loop, Scan, fused    */
  GPtrArray    *control;       /* (element-type PhNode) (nullable) of this graph, must run before this one */
  GPtrArray    *followers;     /* (element-type PhNode) (nullable) whose control this one is          */
  PhRole        role;
  PhId          partner;       /* of a backward node: the forward node that it differentiates        */
  const char   *device;        /* (nullable) interned                                                */
  const PhWhere *where;        /* (nullable) from where in a program it came                         */
  GBytes       *extra;         /* (nullable) as for values                                           */
  gpointer      scratch;
};

struct _PhGraph
{
  PhId          id;
  const char   *name;          /* interned                                                           */
  PhModel      *model;
  PhNode       *owner;         /* (nullable) NULL for the main graph and for functions               */
  const char   *attr;          /* (nullable) the owner's attribute that it is: "then_branch"         */
  PhNode       *first, *last;
  guint         n_nodes;       /* of this graph, without those of bodies                             */
  GPtrArray    *inputs;        /* (element-type PhValue) owned                                       */
  GPtrArray    *outputs;       /* (element-type PhValue) not owned; may be captured from outside     */
  GPtrArray    *constants;     /* (element-type PhValue) owned; without those that are also inputs   */
  GBytes       *extra;
};

struct _PhModel
{
  PhGraph      *graph;         /* the main graph                                                     */
  GPtrArray    *nodes, *values, *graphs;   /* by id: NULL where an id is of another kind or was removed */
  PhId          next_id;
  GHashTable   *names;         /* interned name -> PhValue                                           */
  GHashTable   *suffixes;      /* interned base -> the last number that made it unique               */
  GHashTable   *opsets;        /* interned domain -> version (GINT_TO_POINTER)                       */
  gint64        ir_version;
  GHashTable   *census;        /* PhOp -> how many nodes of it there are, bodies included            */
  GPtrArray    *functions;     /* (element-type PhFunction) owned                                    */
  GBytes       *extra;         /* (nullable) the ModelProto without graph, functions, opset imports  */
  GPtrArray    *files;         /* (nullable) (element-type PhFile) what it was read from; a clone has none */
  PhHistory    *journal;       /* (nullable) (unowned) where edits are recorded                      */
};

/* A model-local function, kept as the file has it; inlined by a pass or run as a call. */
typedef struct
{
  const char *name, *domain;
  GBytes     *proto;
  double      n_nodes;         /* with those of all that it calls; infinite: it calls itself. 0: not yet counted */
} PhFunction;

PhModel    *ph_model_new          (void);                      /* an empty main graph */
PhModel    *ph_model_clone        (PhModel *model);            /* same ids; tensors shared; no journal */
void        ph_model_free         (PhModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhModel, ph_model_free)

PhNode     *ph_model_find_node    (PhModel *model, PhId id);   /* (nullable) */
PhValue    *ph_model_find_value   (PhModel *model, PhId id);
PhGraph    *ph_model_find_graph   (PhModel *model, PhId id);
PhValue    *ph_model_find_value_named (PhModel *model, const char *name);
/* "n42", "42", a node's name, or the name of a value that it makes. (nullable) */
PhNode     *ph_model_find_node_named  (PhModel *model, const char *name);
const char *ph_model_unique_name  (PhModel *model, const char *base);   /* @base, or base_1, base_2, ... ; interned */
int         ph_model_opset        (PhModel *model, const char *domain); /* 0 when not imported */
/* The opset at which the model leaves as a file: that which it came with. ph_model_opset (model, "") is the one whose form
 * its nodes have; where upgrade-opset brought only the form up, the file's own stands under ONNX's other name. */
#define PH_FILE_OPSET "ai.onnx"
int         ph_model_file_opset   (PhModel *model);
guint       ph_model_n_nodes      (PhModel *model, gboolean with_bodies); /* fused bodies never count */
gboolean    ph_model_has_op       (PhModel *model, const PhOp *op);     /* somewhere, fused bodies included; at no cost */

PhValue    *ph_node_input         (const PhNode *node, guint i);        /* (nullable) NULL past the end too */
PhValue    *ph_node_output        (const PhNode *node, guint i);
PhGraph    *ph_node_graph         (const PhNode *node, const char *attr);  /* (nullable) */
gboolean    ph_node_is            (const PhNode *node, const PhOp *op);
/* The operator of that name (nullable). Nodes are resolved as they are made; the list of operators is in core/ops. */
const PhOp *ph_op_find            (const char *domain, const char *name);
void        ph_op_get_name        (const PhOp *op, const char **domain, const char **name);
/* It must run before or after a node that it has no value in common with: no rewrite may take it away. */
gboolean    ph_node_is_tied       (const PhNode *node);
gboolean    ph_node_is_fused      (const PhNode *node);                 /* owns the body that it replaced */
char       *ph_node_label         (const PhNode *node);                 /* "n42 Conv 'conv1'" for messages */
/* Sets @error to the label and the message; FALSE, so that one can return it. */
gboolean    ph_node_fail          (const PhNode *node, GError **error, PhError code, const char *format, ...) G_GNUC_PRINTF (4, 5);
void        ph_node_fail_valist   (const PhNode *node, GError **error, PhError code, const char *format, va_list args) G_GNUC_PRINTF (4, 0);
char       *ph_node_scope         (const PhNode *node);                 /* "layers.0/attn" out of its name, or "" */

PhAttr     *ph_node_attr          (const PhNode *node, const char *name);     /* (nullable) */
gint64      ph_node_attr_int      (const PhNode *node, const char *name, gint64 fallback);
float       ph_node_attr_float    (const PhNode *node, const char *name, float fallback);
const char *ph_node_attr_string   (const PhNode *node, const char *name, const char *fallback);  /* interned */
const gint64 *ph_node_attr_ints   (const PhNode *node, const char *name, gsize *n);              /* (nullable) */

/* The constant behind @value: an initializer that no caller may override (an input's default is constant up to IR 3
 * only, as in ONNX Runtime), or the output of a Constant node. (transfer none) (nullable) */
PhTensor   *ph_value_constant     (const PhValue *value);
gboolean    ph_value_is_output    (const PhValue *value);
guint       ph_value_n_uses       (const PhValue *value);               /* by nodes and as graph outputs */
/* The node in @graph itself through which @node (in @graph or a body below it) is reached. (nullable) */
PhNode     *ph_node_ancestor_in   (PhNode *node, PhGraph *graph);
gboolean    ph_graph_is_inside    (const PhGraph *graph, const PhGraph *outer);   /* or the same */

#define PH_FOREACH_NODE(node_, graph_) \
  for (PhNode *node_ = (graph_)->first; node_ != NULL; node_ = node_->next)

/* All nodes, bodies included but those of fused nodes not, in topological order, bodies before their owners.
 * (transfer container) */
GPtrArray *ph_model_nodes     (PhModel *model);

G_END_DECLS
