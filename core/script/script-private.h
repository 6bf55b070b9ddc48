/* script-private.h: what the files of this folder share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/ops/builder.h"
#include "core/run/executor.h"
#include "core/script/script.h"

G_BEGIN_DECLS

/* ── values ── */

/* clang-format off */
typedef enum
{
  PH_SCRIPT_NONE, PH_SCRIPT_BOOL, PH_SCRIPT_INT, PH_SCRIPT_FLOAT, PH_SCRIPT_STRING, PH_SCRIPT_DTYPE,
  PH_SCRIPT_TENSOR, PH_SCRIPT_TUPLE, PH_SCRIPT_RANGE, PH_SCRIPT_FUNCTION, PH_SCRIPT_WORD, PH_SCRIPT_UNSET
} PhScriptKind;
/* clang-format on */

typedef struct _PhScriptFunction PhScriptFunction;

/* Immutable. Python's own numbers are BOOL, INT, FLOAT while they are known; one that a compiled graph computes is a weak TENSOR
 * without dimensions. In a trace or an eager run every TENSOR has its @tensor; where a graph is compiled only those from outside. */
struct _PhScriptValue
{
  gatomicrefcount refs;
  PhScriptKind kind;
  gboolean weak;         /* TENSOR: it takes the element type of what it is combined with         */
  gboolean list;         /* TUPLE: in square brackets                                             */
  gint64 i;              /* BOOL, INT; DTYPE                                                      */
  double f;              /* FLOAT                                                                 */
  char *text;            /* STRING; UNSET: why; TENSOR: (nullable) its first name                   */
  PhScriptValue **items; /* TUPLE; RANGE: start, stop, step; WORD, a method: of what              */
  guint n;
  PhTensor *tensor; /* (nullable) */
  PhValue *value;   /* (nullable) in the graph of recorder @recorder                         */
  guint64 recorder;
  guint64 memory;        /* TENSOR: equal where numpy's arrays would share their elements         */
  PhScriptValue *number; /* (nullable) TENSOR: the number as which it was typed at the prompt     */
  PhScriptFunction *function;
  const PhScriptWord *word;
  const PhOp *op;    /* WORD without word: an operator                                        */
  gboolean gradient; /* FUNCTION: grad(f), jvp(f)                                             */
  gboolean forward;  /* FUNCTION: jvp(f)                                                      */
};

PhScriptValue *ph_script_value_ref (PhScriptValue *value);
void ph_script_value_unref (PhScriptValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScriptValue, ph_script_value_unref)
PhScriptValue *ph_script_none (void);
PhScriptValue *ph_script_bool (gboolean value);
PhScriptValue *ph_script_int (gint64 value);
PhScriptValue *ph_script_float (double value);
PhScriptValue *ph_script_string (const char *text);
PhScriptValue *ph_script_unset (char *why); /* (transfer full) */
PhScriptValue *ph_script_tuple (PhScriptValue *const *items, guint n, gboolean list);
PhScriptValue *ph_script_tensor (PhTensor *tensor);        /* (transfer full) */
gboolean ph_script_is_number (const PhScriptValue *value); /* BOOL, INT, FLOAT */
/* BOOL, INT, FLOAT, or one that a graph computes: the kind that it is as a number of Python's own; else NONE. */
PhScriptKind ph_script_number_kind (const PhScriptValue *value);
PhDType ph_script_dtype (const PhScriptValue *value);                           /* of a TENSOR or number; UNDEFINED: of none */
int ph_script_rank (const PhScriptValue *value);                                /* -1: unknown */
const PhType *ph_script_type (const PhScriptValue *value);                      /* of a TENSOR (nullable) */
gint64 ph_script_dim (const PhScriptValue *value, guint axis);                  /* -1: unknown */
PhTensor *ph_script_number_tensor (const PhScriptValue *number, PhDType dtype); /* (transfer full) */
const char *ph_script_kind_name (const PhScriptValue *value);                   /* "a tensor", "a list", ... */

/* ── texts, functions, scopes ── */

struct _PhScriptText
{
  gatomicrefcount refs;
  PhSource source;
  char *text, *file; /* @file: (nullable)                                                     */
  PhPyModule *module;
};

PhScriptText *ph_script_text_ref (PhScriptText *text);

typedef struct _PhScriptScope PhScriptScope;
struct _PhScriptScope
{
  gatomicrefcount refs;
  GHashTable *variables; /* name -> PhScriptValue, owned                                          */
  GHashTable *locals;    /* (nullable) names that the function assigns; not owned                 */
  PhScriptScope *outer;  /* (nullable) owned                                                      */
};

PhScriptScope *ph_script_scope_new (PhScriptScope *outer);
PhScriptScope *ph_script_scope_ref (PhScriptScope *scope);
void ph_script_scope_unref (PhScriptScope *scope);

struct _PhScriptFunction
{
  gatomicrefcount refs;
  PhScriptText *text;
  const PhPy *def;
  char *name;
  PhScriptScope *scope; /* where it was defined; NULL: the script's own (which owns it)          */
  GHashTable *locals;
  PhScriptValue **fallbacks; /* def->n of them, nullable: defaults of parameters                      */
  PhScriptValue **arguments; /* (nullable) of the last call from outside                              */
};

PhScriptFunction *ph_script_function_ref (PhScriptFunction *function);
void ph_script_function_unref (PhScriptFunction *function);

struct _PhScript
{
  PhScriptScope *globals;
  GHashTable *outside; /* name -> PhTensor                                                      */
  PhModel *model;      /* what lines recorded                                                   */
  guint64 recorder;
  GHashTable *feeds; /* PhId -> PhTensor: of its inputs                                        */
  GPtrArray *scopes; /* (element-type PhScriptScope) that functions defined inside hold on to  */
  guint limit;       /* turns and operators at most; 0: no limit                             */
  guint steps;       /* that the last ph_script_eager() took                                 */
  guint64 draws;     /* how often random() was asked                                          */
};

/* ── a run ── */

typedef struct _PhScriptFrame PhScriptFrame;
struct _PhScriptFrame
{
  PhScriptFrame *outer;
  PhScriptFunction *function; /* (nullable) of the text itself                                         */
  PhScriptText *text;
  PhScriptScope *scope;
  PhScriptValue *result; /* (nullable) owned                                                      */
  gboolean typed;        /* at the prompt                                                         */
  GHashTable *given;     /* (nullable) memory of tensors that came in: they are the caller's      */
  const char *target;    /* (nullable) what the statement assigns, as a name for what it computes */
  guint n_targets;       /* of the tuple that @wanting is unpacked into                           */
  const PhPy *wanting;   /* (nullable) */
  guint loops;           /* around                                                                */
  GArray *iterated;      /* (nullable) (element-type guint64) memory of the tensors that they go over */
};

/* What the run decided by looking at numbers: what a trace freezes. */
typedef struct
{
  guint line, column;
  gint64 outcome;
} PhScriptDecision;

typedef struct
{
  PhScript *script;
  PhScriptFrame *frame;
  GCancellable *cancellable; /* (nullable) */
  gboolean compiling;
  PhGraph *graph; /* where nodes go                                                        */
  guint64 recorder;
  GHashTable *constants; /* PhScriptValue (owned) -> PhValue                                      */
  GHashTable *feeds;     /* (nullable) PhId -> PhTensor, of inputs made on the way                */
  const PhPy *at;
  guint depth, n_nodes, max_nodes, n_steps;
  gboolean keep;          /* nodes that ran stay in the graph                                      */
  GArray *decisions;      /* (nullable) (element-type PhScriptDecision)                            */
  GString *out;           /* (nullable) */
  PhScriptResult *result; /* (nullable) */
} PhScriptMachine;

#define PH_SCRIPT_MAX_DEPTH 100
#define PH_SCRIPT_MAX_NODES 200000

void ph_script_machine_clear (PhScriptMachine *machine);
/* Sets @error to "file:line:column: message" with the line and a caret below; returns NULL. */
gpointer ph_script_fail (PhScriptMachine *machine, const PhPy *at, GError **error, PhError code, const char *format, ...)
    G_GNUC_PRINTF (5, 6);
/* The same in front of an error that something else made, once. */
gpointer ph_script_blame (PhScriptMachine *machine, const PhPy *at, GError *reason, GError **error);
gboolean ph_script_go_on (PhScriptMachine *machine, GError **error); /* FALSE: cancelled */
void ph_script_decide (PhScriptMachine *machine, const PhPy *at, gint64 outcome);

/* ── operators (apply.c) ── */

/* @inputs: (nullable elements). @attrs: NULL-terminated, consumed; or NULL. Sets @outputs (n of them, owned). */
gboolean ph_script_emit (PhScriptMachine *machine, const PhOp *op, PhScriptValue *const *inputs, guint n, PhAttr **attrs,
                         PhScriptValue **outputs, guint n_outputs, GError **error);
PhScriptValue *ph_script_emit1 (PhScriptMachine *machine, const PhOp *op, PhAttr **attrs, GError **error, guint n, ...);
/* As a value of the graph that the machine makes; a number gets @dtype (UNDEFINED: its own). */
PhValue *ph_script_graph_value (PhScriptMachine *machine, PhScriptValue *value, PhDType dtype, GError **error);
PhScriptValue *ph_script_cast (PhScriptMachine *machine, PhScriptValue *value, PhDType dtype, GError **error);
PhScriptValue *ph_script_ints (const gint64 *values, guint n); /* a tensor of rank 1 */
/* Numbers, weak and strong tensors as a strong one, of the type that it would have alone. */
PhScriptValue *ph_script_strong (PhScriptMachine *machine, PhScriptValue *value, GError **error);
/* A Python number that the graph computes: @value is a tensor without dimensions of INT64, DOUBLE or BOOL. */
PhScriptValue *ph_script_weak (PhScriptValue *value); /* consumes it */

/* clang-format off */
#define PH_EMIT(m_, op_, error_, ...) \
  ph_script_emit1 (m_, &ph_op_##op_, NULL, error_, sizeof ((PhScriptValue *[]) { __VA_ARGS__ }) / sizeof (PhScriptValue *), __VA_ARGS__)
#define PH_EMIT_WITH(m_, op_, attrs_, error_, ...) \
  ph_script_emit1 (m_, &ph_op_##op_, attrs_, error_, sizeof ((PhScriptValue *[]) { __VA_ARGS__ }) / sizeof (PhScriptValue *), __VA_ARGS__)
/* clang-format on */

/* ── arithmetic (operate.c) ── */

PhScriptValue *ph_script_binary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b,
                                 GError **error);
PhScriptValue *ph_script_unary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, GError **error);
/* The type in which two tensors or numbers meet; UNDEFINED: there is none. */
PhDType ph_script_common (const PhScriptValue *a, const PhScriptValue *b);
/* Its truth, where that is known: 0, 1; -1: the graph computes it, and *@condition (owned) is BOOL without dimensions; -2: an error. */
int ph_script_truth (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, PhScriptValue **condition, GError **error);

/* ── subscripts (subscript.c) ── */

PhScriptValue *ph_script_subscript (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, GError **error);
/* @of with what @at (a SUBSCRIPT) names replaced by @value. */
PhScriptValue *ph_script_store (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, PhScriptValue *value,
                                GError **error);
PhScriptValue *ph_script_row (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, PhScriptValue *index, GError **error);

/* ── expressions, calls, statements ── */

PhScriptValue *ph_script_evaluate (PhScriptMachine *machine, const PhPy *py, GError **error);
PhScriptValue *ph_script_lookup (PhScriptMachine *machine, const PhPy *at, const char *name, GError **error);
gboolean ph_script_assign (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error);
void ph_script_set (PhScriptMachine *machine, const char *name, PhScriptValue *value);
gboolean ph_script_augment (PhScriptMachine *machine, const PhPy *py, GError **error);

/* A call as a word sees it. */
typedef struct
{
  const PhPy *at;
  const char *name;
  PhScriptValue **values, **named;
  const char **names;
  gboolean *used; /* of @named */
  guint n, n_named;
} PhScriptArgs;

typedef PhScriptValue *(*PhScriptWordFunc) (PhScriptMachine *machine, PhScriptArgs *args, GError **error);

PhScriptValue *ph_script_arg (PhScriptArgs *args, guint i, const char *name); /* (transfer none) (nullable) */
gboolean ph_script_args_done (PhScriptMachine *machine, PhScriptArgs *args, guint min, guint max, GError **error);
gboolean ph_script_arg_ints (PhScriptMachine *machine, const PhPy *at, const char *what, PhScriptValue *value, GArray *ints,
                             GError **error);
/* A shape: whole numbers, or where the graph computes some of them a tensor of them. */
PhScriptValue *ph_script_shape (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, GError **error);
PhScriptValue *ph_script_call (PhScriptMachine *machine, const PhPy *at, PhScriptValue *callee, PhScriptArgs *args,
                               GError **error);
PhScriptValue *ph_script_call_op (PhScriptMachine *machine, const PhOp *op, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_call_function (PhScriptMachine *machine, PhScriptFunction *function, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_attribute (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, const char *name,
                                    GError **error);
PhScriptValue *ph_script_reduce (PhScriptMachine *machine, PhScriptArgs *args, GError **error); /* sum, mean, ... (reduce.c) */
/* Of a list, or of a range whose numbers are known, at most @limit of them. (transfer full) NULL: more, or not known. */
GPtrArray *ph_script_list_items (PhScriptMachine *machine, PhScriptValue *over, gint64 limit);
/* word-list.c */
PhScriptValue *ph_script_word_enumerate (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_len (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_range (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_zip (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
/* word-make.c */
gboolean ph_script_take_dtype (PhScriptMachine *machine, PhScriptArgs *args, guint i, PhDType *dtype, GError **error);
/* zeros (2, 3), zeros ((2, 3)): all the positions from @first on, or that one. (transfer full) */
PhScriptValue *ph_script_take_shape (PhScriptMachine *machine, PhScriptArgs *args, guint first, GError **error);
PhScriptValue *ph_script_word_arange (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_array (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_fill (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_like (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_random (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_grad (PhScriptMachine *machine, PhScriptArgs *args, GError **error); /* grad(f), jvp(f) */
PhScriptValue *ph_script_word_jvp (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_gradient (PhScriptMachine *machine, const PhScriptValue *callee, PhScriptArgs *args, GError **error);
gboolean ph_script_bind (PhScriptMachine *machine, PhScriptFunction *function, PhScriptArgs *args, PhScriptValue **bound,
                         GError **error);
gboolean ph_script_arguments (PhScriptMachine *machine, const PhPy *py, PhScriptFunction *function, PhScriptValue **bound,
                              GError **error);
PhAttr *ph_script_attr (const PhOp *op, const char *name, PhTensor *literal, GError **error);

typedef enum
{
  PH_FLOW_NEXT,
  PH_FLOW_BREAK,
  PH_FLOW_CONTINUE,
  PH_FLOW_RETURN,
  PH_FLOW_ERROR
} PhScriptFlow;
PhScriptFlow ph_script_execute (PhScriptMachine *machine, PhPy *const *body, guint n, GError **error);
/* Statements that mean the same run or compiled. */
gboolean ph_script_simple (PhScriptMachine *machine, const PhPy *py, GError **error);
/* Compiles the statements; FALSE: an error. What they return is the frame's result. */
gboolean ph_script_compile_body (PhScriptMachine *machine, PhPy *const *body, guint n, GError **error);
PhScriptValue *ph_script_compile_and (PhScriptMachine *machine, const PhPy *py, GError **error);
/* While a loop goes over @value, which must not change. */
void ph_script_begin_over (PhScriptMachine *machine, const PhScriptValue *value);
void ph_script_end_over (PhScriptMachine *machine);
/* Names that the statements assign, into @names (a set); those of functions inside not. @stored: also x of x[0] = 1. */
void ph_script_assigned (PhPy *const *body, guint n, GHashTable *names, gboolean stored);
void ph_script_read (const PhPy *py, const PhPy *except, GHashTable *names);
/* "a.b.c", of names alone. (transfer full) (nullable) */
PhTensor *ph_script_outside (PhScript *script, const char *name); /* (transfer none) (nullable) */

guint64 ph_script_next_recorder (void);

/* ── functions as graphs (graph.c) ── */

/* A function and its arguments, one a parameter; those that are no tensors are part of the graph. */
typedef struct
{
  PhScriptFunction *function;
  PhScriptValue **arguments;
  gboolean integers; /* some of the tensors were integers, which the function has yet as its arguments */
} PhScriptBound;

void ph_script_bound_clear (PhScriptBound *bound);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhScriptBound, ph_script_bound_clear)
gboolean ph_script_resolve (PhScript *script, PhScriptText *text, PhScriptBound *bound, GCancellable *cancellable,
                            GError **error);
/* @decisions: (nullable) */
PhScriptGraph *ph_script_graph_of (PhScript *script, const PhScriptBound *bound, gboolean compile, GArray *decisions,
                                   GCancellable *cancellable, GError **error);
/* Runs it eagerly; its tensors and numbers in order. (transfer full) (element-type PhTensor) */
GPtrArray *ph_script_eager (PhScript *script, const PhScriptBound *bound, GArray *decisions, GCancellable *cancellable,
                            GError **error);

G_END_DECLS
