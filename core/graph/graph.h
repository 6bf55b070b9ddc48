/* graph.h: the IR. A DAG of nodes joined by values; nodes may own subgraphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/error.h"
#include "core/graph/attr.h"
#include "core/graph/where.h"
#include "core/intern.h"

G_BEGIN_DECLS

/* The structs are open for reading. Only the functions of edit.h may write them: that is what makes every change an
 * edit of the journal. Not thread-safe: a worker works on its own clone (ph_model_clone). */
typedef struct _PhModel PhModel;
typedef struct _PhGraph PhGraph;
typedef struct _PhNode PhNode;
typedef struct _PhValue PhValue;
typedef struct _PhOp PhOp;           /* core/ops/op.h       */
typedef struct _PhHistory PhHistory; /* core/graph/history.h */
typedef struct _PhFunction PhFunction;
typedef guint32 PhId; /* nodes, values and graphs count from 1 in one sequence; never reused */

#define PH_NO_ID ((PhId) 0)
/* Of operators that Peephole makes itself. */
#define PH_OWN_DOMAIN "peephole"

typedef enum
{
  PH_ROLE_FORWARD,
  PH_ROLE_BACKWARD,
  PH_ROLE_COMMUNICATION
} PhRole;

typedef struct
{
  PhNode *node;
  guint index;
} PhUse; /* input @index of @node */

/* Arrays of nodes and values: g_array_index() and g_ptr_array_index() read them, ph_values_find() and the like do the rest. Nearly all have one or
 * two elements, which lie in the struct itself: a graph of a million nodes has three millions of them. */
typedef struct
{
  PhUse *data;
  guint len, size; /* @size: elements that there is room for */
  PhUse few[1];
} PhUses;

typedef struct
{
  union
  {
    struct
    {
      gpointer *pdata; /* PhValue */
      guint len;
    };
    GPtrArray array; /* the same, for functions that only read the fields of one */
  };
  guint size;
  gpointer few[2];
} PhValues;

struct _PhValue
{
  PhId id;
  const char *name;    /* interned; unique in its root graph and the bodies below; "" never  */
  const PhType *type;  /* (nullable) NULL while unknown                                      */
  PhGraph *graph;      /* the scope that it belongs to                                       */
  PhNode *producer;    /* (nullable) NULL for graph inputs and constants                     */
  guint output;        /* index among the producer's outputs                                 */
  PhTensor *tensor;    /* (nullable) initializer; with is_input an overridable default       */
  gboolean is_input;   /* one of graph->inputs                                               */
  PhUses uses[1];      /* by nodes here and in subgraphs; in no order                        */
  guint n_output_uses; /* how many times it is a graph output                                */
  guint place;         /* of a constant: its index in graph->constants                       */
  GBytes *extra;       /* (nullable) what the file says of it that Peephole does not read    */
  gpointer scratch;    /* for whoever walks the graph now; no promise past that              */
};

struct _PhNode
{
  PhId id;
  const char *op_type, *domain; /* interned; domain "" is ONNX's own                              */
  const PhOp *op;               /* (nullable) NULL: unknown operator, or a fused node                 */
  const char *name;             /* interned, "" when the file gives none                              */
  PhGraph *graph;
  PhNode *prev, *next;  /* the graph's list, always a topological order                       */
  guint64 order;        /* grows along that list; compare within one graph only               */
  PhValues inputs[1];   /* (nullable elements): "" inputs are NULL                            */
  guint *use_at;        /* parallel to inputs: index in the value's uses                      */
  guint few_use_at[2];  /* what that points to, while it is enough                            */
  PhValues outputs[1];  /* owned; "" outputs are values without a use                         */
  GPtrArray *attrs;     /* (element-type PhAttr) in the file's order; shared, a change makes another */
  GPtrArray *graphs;    /* (element-type PhGraph) (nullable) bodies: If, Loop, Scan, fused    */
  GPtrArray *control;   /* (element-type PhNode) (nullable) of this graph, must run before this one */
  GPtrArray *followers; /* (element-type PhNode) (nullable) whose control this one is          */
  PhRole role;
  PhId partner;         /* of a backward node: the forward node that it differentiates        */
  const char *device;   /* (nullable) interned                                                */
  const PhWhere *where; /* (nullable) from where in a program it came                         */
  GBytes *extra;        /* (nullable) as for values                                           */
  gpointer scratch;
};

struct _PhGraph
{
  PhId id;
  const char *name; /* interned                                                           */
  PhModel *model;
  PhNode *owner;        /* (nullable) NULL for a root: the main graph or that of a function   */
  PhFunction *function; /* (nullable) whose graph it is                                       */
  const char *attr;     /* (nullable) the owner's attribute that it is: "then_branch"         */
  PhNode *first, *last;
  guint n_nodes;        /* of this graph, without those of bodies                             */
  GPtrArray *inputs;    /* (element-type PhValue) owned                                       */
  GPtrArray *outputs;   /* (element-type PhValue) not owned; may be captured from outside     */
  GPtrArray *constants; /* (element-type PhValue) owned; without those that are also inputs   */
  GHashTable *names;    /* (nullable) of a root: interned name -> PhValue, those of bodies too */
  GHashTable *suffixes; /* (nullable) likewise: base -> the last number that made it unique   */
  GBytes *extra;
};

/* A function of the model, or another of its entries: a graph with a name, which nodes call whose operator has that name
 * and domain. The promises: its graph is a root (no owner; it uses values of its own and of its bodies only; its names are
 * its own); its nodes are in topological order, edited, journalled, cloned and verified as those of the main graph; calls
 * may nest. One that comes to call itself is shown, but a run and inlining refuse it (ph_model_check_functions). A call gives
 * its inputs by position and may leave the last ones out.
 * What stands inside as a PH_ATTR_REF is the attribute that the call gives, or the default. Types inside are those that the
 * file declares: they may depend on the call. Passes do not change functions; ph_function_instance() is what a call means. */
struct _PhFunction
{
  const char *name, *domain; /* interned                                                           */
  PhGraph *graph;            /* owned; its inputs are the parameters, its outputs the results      */
  GPtrArray *parameters;     /* (element-type utf8) interned: attributes that a call gives         */
  GPtrArray *defaults;       /* (element-type PhAttr) attributes that it may leave out             */
  GHashTable *opsets;        /* interned domain -> version: those of its nodes, whatever the model's are */
  GBytes *extra;             /* (nullable) as for values                                           */
};

struct _PhModel
{
  PhGraph *graph;                     /* the main graph                                                     */
  GPtrArray *nodes, *values, *graphs; /* by id: NULL where an id is of another kind or was removed */
  PhId next_id;
  guint n_graphs;     /* in @graphs: those there are                                        */
  GHashTable *opsets; /* interned domain -> version (GINT_TO_POINTER)                       */
  gint64 ir_version;
  GHashTable *census;   /* PhOp -> how many nodes of it there are, bodies included            */
  GPtrArray *functions; /* (element-type PhFunction) owned, in the file's order               */
  PhModel *library;     /* (nullable) (unowned) of an instance of a function: where its calls are looked up */
  GBytes *extra;        /* (nullable) the ModelProto without graph, functions, opset imports  */
  GPtrArray *files;     /* (nullable) (element-type PhFile) what it was read from; a clone has none */
  PhHistory *journal;   /* (nullable) (unowned) where edits are recorded                      */
  gpointer program;     /* (nullable) owned: what it was compiled to (core/run/program.h), until it is edited */
  GDestroyNotify free_program;
  GHashTable *kernels; /* (nullable) "n12", or an operator's name -> the kernel that is to run it; shared, never changed */
};

PhModel *ph_model_new (void);             /* an empty main graph */
PhModel *ph_model_clone (PhModel *model); /* same ids; tensors shared; no journal */
void ph_model_free (PhModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhModel, ph_model_free)

PhNode *ph_model_find_node (PhModel *model, PhId id); /* (nullable) */
PhValue *ph_model_find_value (PhModel *model, PhId id);
PhGraph *ph_model_find_graph (PhModel *model, PhId id);
PhValue *ph_model_find_value_named (PhModel *model, const char *name);       /* in the main graph and its bodies */
PhValue *ph_graph_find_value_named (const PhGraph *graph, const char *name); /* in its root and the bodies below */
/* "n42", "42", a node's name, or the name of a value that it makes; the main graph comes before functions. (nullable) */
PhNode *ph_model_find_node_named (PhModel *model, const char *name);
const char *ph_model_unique_name (PhModel *model,
                                  const char *base); /* @base, or base_1, base_2, ... ; interned; for the main graph */
const char *ph_graph_unique_name (const PhGraph *graph, const char *base); /* likewise, for any */
PhGraph *ph_graph_root (const PhGraph *graph);                             /* the main graph or a function's */
gboolean ph_graph_in_function (const PhGraph *graph);                      /* of one, or of a body in one    */
int ph_model_opset (PhModel *model, const char *domain);                   /* 0 when not imported */
/* The opset at which the model leaves as a file: that which it came with. ph_model_opset (model, "") is the one whose form
 * its nodes have; where upgrade-opset brought only the form up, the file's own stands under ONNX's other name. */
#define PH_FILE_OPSET "ai.onnx"
int ph_model_file_opset (PhModel *model);
guint ph_model_n_nodes (PhModel *model, gboolean with_bodies); /* fused bodies never count */
gboolean ph_model_has_op (PhModel *model, const PhOp *op);     /* somewhere, fused bodies included; at no cost */

PhValue *ph_node_input (const PhNode *node, guint i); /* (nullable) NULL past the end too */
PhValue *ph_node_output (const PhNode *node, guint i);
PhGraph *ph_node_graph (const PhNode *node, const char *attr); /* (nullable) */
gboolean ph_node_is (const PhNode *node, const PhOp *op);
PhFunction *ph_model_find_function (PhModel *model, const char *domain, const char *name); /* (nullable) */
PhFunction *ph_node_function (const PhNode *node);                                         /* (nullable) that it calls */
/* What @call (nullable) of @function stands for: a model whose main graph takes the call's inputs, with their types as far as
 * they are known, and makes its outputs; the call's attributes are filled in. The functions that it calls are looked up in
 * @function's model, which must outlive it. Types are not inferred: ph_io_open_function() does. */
PhModel *ph_function_instance (const PhFunction *function, const PhNode *call, GError **error);
/* How many nodes a call of it stands for, with what its calls stand for: infinite when it calls itself. @counted: (nullable)
 * (element-type PhFunction gdouble*) what several questions share. */
double ph_function_n_nodes (const PhFunction *function, GHashTable *counted);
/* FALSE with @error: a call in the model stands for more nodes than ph_growth_check() allows, or for itself. */
gboolean ph_model_check_functions (PhModel *model, GError **error);
/* Called in the same way: attributes, operator sets, number of inputs and outputs. */
gboolean ph_function_same_interface (const PhFunction *a, const PhFunction *b);
/* Same interface, nodes, names, constants. */
gboolean ph_function_equal (const PhFunction *a, const PhFunction *b);
/* The operator of that name (nullable). Nodes are resolved as they are made; the list of operators is in core/ops. */
const PhOp *ph_op_find (const char *domain, const char *name);
void ph_op_get_name (const PhOp *op, const char **domain, const char **name);
/* It must run before or after a node that it has no value in common with: no rewrite may take it away. */
gboolean ph_node_is_tied (const PhNode *node);
gboolean ph_node_is_own (const PhNode *node); /* an operator of Peephole's own */
/* It is its body, run once: what a fusing pass made, in Peephole's own domain, or a fusion of XLA. Such a body sees its inputs alone. */
gboolean ph_node_is_fused (const PhNode *node);
char *ph_node_label (const PhNode *node); /* "n42 Conv 'conv1'" for messages */
/* Sets @error to the label and the message; FALSE, so that one can return it. */
gboolean ph_node_fail (const PhNode *node, GError **error, PhError code, const char *format, ...) G_GNUC_PRINTF (4, 5);
void ph_node_fail_valist (const PhNode *node, GError **error, PhError code, const char *format, va_list args)
    G_GNUC_PRINTF (4, 0);
char *ph_node_scope (const PhNode *node); /* "layers.0/attn" out of its name, or "" */

PhAttr *ph_node_attr (const PhNode *node, const char *name); /* (nullable) */
/* A graph with cycles is read as a DAG: of a value that comes to a node from further down, as to a phi from the end of its loop, the name
 * stands in this attribute, as "NAME" or "NAME from BLOCK". It orders nothing and is no use; it is drawn and listed. */
#define PH_LINKS_ATTR "back"
/* Those values, as many as there are now. (element-type PhValue) (transfer container) (nullable): there are none. */
GPtrArray *ph_node_links (const PhNode *node);
gint64 ph_node_attr_int (const PhNode *node, const char *name, gint64 fallback);
float ph_node_attr_float (const PhNode *node, const char *name, float fallback);
const char *ph_node_attr_string (const PhNode *node, const char *name, const char *fallback); /* interned */
const gint64 *ph_node_attr_ints (const PhNode *node, const char *name, gsize *n);             /* (nullable) */

/* The constant behind @value: an initializer that no caller may override (an input's default is constant up to IR 3
 * only, as in ONNX Runtime), or the output of a Constant node. (transfer none) (nullable) */
PhTensor *ph_value_constant (const PhValue *value);
GArray *ph_value_copy_uses (const PhValue *value); /* (element-type PhUse) (transfer full) */
/* As g_ptr_array_find() and g_ptr_array_copy(). */
gboolean ph_values_find (const PhValues *values, gconstpointer value, guint *index);
GPtrArray *ph_values_copy (const PhValues *values); /* (element-type PhValue) (transfer container) */
gboolean ph_value_is_output (const PhValue *value);
guint ph_value_n_uses (const PhValue *value); /* by nodes and as graph outputs */
/* The node in @graph itself through which @node (in @graph or a body below it) is reached. (nullable) */
PhNode *ph_node_ancestor_in (PhNode *node, PhGraph *graph);
gboolean ph_graph_is_inside (const PhGraph *graph, const PhGraph *outer); /* or the same */

/* What a picture shows is an inside: PH_NO_ID is the main graph, a node's id its bodies, the id of a function's graph that
 * function. Bodies of If, Loop and Scan stand in the picture of their graph; those of fused nodes and functions do not. */
PhId ph_node_inside (const PhNode *node); /* that opens at the node; PH_NO_ID: nothing */
gboolean ph_model_has_inside (PhModel *model, PhId inside);
gboolean ph_graph_is_shown (const PhGraph *graph, PhId inside);

#define PH_FOREACH_NODE(node_, graph_) for (PhNode *node_ = (graph_)->first; node_ != NULL; node_ = node_->next)

/* All nodes, bodies included but those of fused nodes not, in topological order, bodies before their owners.
 * (transfer container) */
GPtrArray *ph_model_nodes (PhModel *model);

G_END_DECLS
