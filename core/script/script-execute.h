/* script-execute.h: expressions and statements, run or compiled.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-machine.h"

G_BEGIN_DECLS

PhScriptValue *ph_script_evaluate (PhScriptMachine *machine, const PhPy *py, GError **error);
gboolean ph_script_assign (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error);
void ph_script_set (PhScriptMachine *machine, const char *name, PhScriptValue *value);
/* The variable of x[i][j] = y; that statement; and whether numpy would change part @i + 1 or a later one of @value by storing to @target,
 * whose array has @memory: an error then. */
const PhPy *ph_script_root (const PhPy *target);
gboolean ph_script_store_into (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, GError **error);
gboolean ph_script_still_holds (PhScriptMachine *machine, const PhPy *target, PhScriptValue *value, guint i, guint64 memory,
                                GError **error);
/* A list changes for all names that have it: those of others refuse, those of this frame cannot be read any more. */
gboolean ph_script_change_list (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue *old,
                                PhScriptValue *value, GError **error);
/* What that asks for, for a list that is a part of @name's. @deep: also names of its rows. */
gboolean ph_script_touch_list (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue *list, gboolean deep,
                               GError **error);
gboolean ph_script_list_is_named (PhScriptMachine *machine, const PhScriptValue *list); /* some variable has it */
/* The name whose list a call changes, LIST.append(x) and the like; NULL: it is none of these. */
const PhPy *ph_script_changed_list (const PhPy *call);
/* FALSE: it is none of these, nor of a list. TRUE: @result is what it gives, or NULL with an error. */
gboolean ph_script_list_method (PhScriptMachine *machine, const PhPy *call, PhScriptValue **result, GError **error);

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
PhScriptValue *ph_script_comprehension (PhScriptMachine *machine, const PhPy *py, GError **error);
/* Of a DEF or LAMBDA. */
PhScriptValue *ph_script_function (PhScriptMachine *machine, const PhPy *py, GError **error);
/* While a loop goes over @value, which must not change. */
void ph_script_begin_over (PhScriptMachine *machine, const PhScriptValue *value);
void ph_script_end_over (PhScriptMachine *machine);
/* Names that the statements assign, into @names (a set); those of functions inside not. @stored: also x of x[0] = 1. */
void ph_script_assigned (PhPy *const *body, guint n, GHashTable *names, gboolean stored);
void ph_script_targets (const PhPy *target, GHashTable *names); /* of an assignment */
void ph_script_read (const PhPy *py, const PhPy *except, GHashTable *names);

G_END_DECLS
