/* script-execute.h: expressions and statements, run or compiled.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-machine.h"

G_BEGIN_DECLS

PhScriptValue *ph_script_evaluate (PhScriptMachine *machine, const PhPy *py, GError **error);
gboolean ph_script_assign (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error);
void ph_script_set (PhScriptMachine *machine, const char *name, PhScriptValue *value);
/* A list changes for all names that have it: those of others refuse, those of this frame cannot be read any more. */
gboolean ph_script_change_list (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue *old,
                                PhScriptValue *value, GError **error);
/* LIST.append(x), which is LIST += [x]. TRUE in @done: that was it. */
gboolean ph_script_append (PhScriptMachine *machine, const PhPy *call, gboolean *done, GError **error);

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

G_END_DECLS
