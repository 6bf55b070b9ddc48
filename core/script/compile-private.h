/* compile-private.h: what the files of the compiler share: a branch as an If, a loop as a Loop.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-machine.h"

G_BEGIN_DECLS

/* Names of the compiler's own, which no program can say: whether and what the function returned, whether the loop was left. */
#define PH_SCRIPT_RETURNED  "$returned"
#define PH_SCRIPT_RESULT    "$result"
#define PH_SCRIPT_BROKEN    "$broken"
#define PH_SCRIPT_CONTINUED "$continued"
#define PH_SCRIPT_CHOSEN    "$chosen"

/* One way to go: statements, then more of them, then turns of a loop that is unrolled; or an expression. */
typedef struct
{
  PhPy *const *first, *const *then;
  guint n_first, n_then;
  const PhPy *expression; /* (nullable) */
  gboolean truth;         /* of it: as a condition                                             */
  PhScriptValue *value;   /* (nullable) instead of one                                         */
  const PhPy *loop;       /* (nullable) */
  GPtrArray *items;       /* of the loop, from @turn on                                        */
  guint turn;
  gboolean (*run) (PhScriptMachine *machine, gpointer data, GError **error); /* (nullable) instead, with @data */
  gpointer data;
  gboolean fresh;   /* nothing was left on this way yet                                  */
  gboolean skipped; /* something was: nothing is done                                    */
} PhScriptWay;

/* Goes the way that @condition says, as an If. What both ways make is one value of each name after it. */
gboolean ph_script_branch (PhScriptMachine *machine, const PhPy *at, PhScriptValue *condition, const PhScriptWay *yes,
                           const PhScriptWay *no, GError **error);
gboolean ph_script_block (PhScriptMachine *machine, PhPy *const *body, guint n, GError **error);
void ph_script_set_flag (PhScriptMachine *machine, const char *name, gboolean is);
PhScriptValue *ph_script_variable (PhScriptMachine *machine, const char *name); /* (nullable) of the innermost scope */
gboolean ph_script_loop (PhScriptMachine *machine, const PhPy *py, GError **error);
/* Turns @turn and those after it, one behind the other. */
gboolean ph_script_unroll (PhScriptMachine *machine, const PhPy *py, GPtrArray *items, guint turn, GError **error);
/* Whether the statements that follow are skipped: 0, 1; -1: the graph knows, and @condition (owned) is TRUE where they are not; -2. */
int ph_script_left (PhScriptMachine *machine, gboolean of_loop, PhScriptValue **go_on, GError **error);

/* Leaves of a value: numbers and tensors, which a graph can carry. */
typedef struct
{
  PhScriptValue *a, *b;
  PhDType dtype;
  gboolean weak;
} PhScriptLeaf; /* owned */
GArray *ph_script_leaves_new (void);
/* Of two values that shall become one; the leaves where they differ are added. FALSE: they cannot, and @why (owned) says so. */
gboolean ph_script_unify (PhScriptMachine *machine, PhScriptValue *a, PhScriptValue *b, gboolean all, GArray *leaves, char **why);
/* @like with leaves out of @made (from *@next on) where ph_script_unify() found some. (transfer full) */
PhScriptValue *ph_script_rebuild (PhScriptValue *a, PhScriptValue *b, gboolean all, PhScriptValue *const *made, guint *next);
/* Zeros of its type, for where nobody looks. (transfer full) */
PhScriptValue *ph_script_dummy (PhScriptValue *like);
PhScriptValue *ph_script_wrap (PhScriptMachine *machine, PhValue *value, gboolean weak);
/* As an output of the body that the machine fills. */
PhValue *ph_script_body_output (PhScriptMachine *machine, PhScriptValue *value, PhDType dtype, GError **error);
PhNode *ph_script_add_owner (PhScriptMachine *machine, const PhPy *at, const PhOp *op, PhValue **inputs, guint n, guint n_outputs,
                             GError **error);

/* A loop while it is compiled. @trips: how often, if that is known, else -1; a while has neither. */
typedef struct
{
  const PhPy *py;
  PhScriptValue *over; /* (nullable) of a for: a range, or a tensor                            */
  gint64 trips;
  PhScriptValue *count;        /* (nullable) owned: as a number of the graph                           */
  PhScriptValue *start, *step; /* owned, of a range                                                    */
  GPtrArray *names;            /* (element-type char*) that go round                                    */
  GPtrArray *types;            /* (element-type PhType) of their leaves, widened until they hold       */
  GHashTable *strong;          /* a set of the numbers of leaves that began as numbers and become tensors */
  gboolean changed;            /* a type did not come back as it went in: one turn first may settle it */
} PhScriptLoop;

void ph_script_loop_clear (PhScriptLoop *loop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhScriptLoop, ph_script_loop_clear)
/* As a Loop. @begin: (nullable) whether the first turn comes. */
gboolean ph_script_loop_attempt (PhScriptMachine *machine, PhScriptLoop *loop, PhScriptValue *begin, GError **error);
gboolean ph_script_loop_set_target (PhScriptMachine *machine, PhScriptLoop *loop, PhScriptValue *index, GError **error);
void ph_script_loop_find_carried (PhScriptMachine *machine, PhScriptLoop *loop);

/* Variables of the present function, aside and back. */
GHashTable *ph_script_variables_copy (GHashTable *variables);

G_END_DECLS
