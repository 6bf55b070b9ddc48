/* script-call.h: calls: arguments, functions, methods, operators by name.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-machine.h"

G_BEGIN_DECLS

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
/* What a for would take from @over, where its length is known. (transfer full) */
GPtrArray *ph_script_iterate (PhScriptMachine *machine, const PhPy *at, PhScriptValue *over, GError **error);
PhScriptValue *ph_script_gradient (PhScriptMachine *machine, const PhScriptValue *callee, PhScriptArgs *args, GError **error);
gboolean ph_script_bind (PhScriptMachine *machine, PhScriptFunction *function, PhScriptArgs *args, PhScriptValue **bound,
                         GError **error);
gboolean ph_script_arguments (PhScriptMachine *machine, const PhPy *py, PhScriptFunction *function, PhScriptValue **bound,
                              GError **error);

G_END_DECLS
