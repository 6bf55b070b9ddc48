/* script-operate.h: arithmetic, truth and subscripts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-machine.h"

G_BEGIN_DECLS

PhDType ph_script_common_dtype (PhDType a, PhDType b); /* in which tensors of the two meet; UNDEFINED: in none */
/* python-number.c: of two that are no tensors */
PhScriptValue *ph_script_operate_numbers (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a,
                                          PhScriptValue *b, GError **error);
PhScriptValue *ph_script_overflow (PhScriptMachine *machine, const PhPy *at, GError **error); /* NULL, and the error */
double ph_script_number_as_double (const PhScriptValue *value);
gboolean ph_script_is_comparison (const char *sign);

PhScriptValue *ph_script_binary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b,
                                 GError **error);
PhScriptValue *ph_script_unary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, GError **error);
/* Its truth, where that is known: 0, 1; -1: the graph computes it, and *@condition (owned) is BOOL without dimensions; -2: an error. */
int ph_script_truth (PhScriptMachine *machine, const PhPy *at, PhScriptValue *value, PhScriptValue **condition, GError **error);

PhScriptValue *ph_script_subscript (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, GError **error);
/* @of with what @at (a SUBSCRIPT) names replaced by @value. */
PhScriptValue *ph_script_store (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, PhScriptValue *value,
                                GError **error);
/* list.c. A list, as which brackets of numbers count in a function or a file. */
gboolean ph_script_is_list (const PhScriptValue *value);
gboolean ph_script_list_has_rows (const PhScriptValue *list); /* lists in it */
/* Its items, each row of rows as a list. (transfer full) (nullable) where they are not known */
GPtrArray *ph_script_items (PhScriptMachine *machine, PhScriptValue *list);
PhScriptValue *ph_script_list_again (PhScriptMachine *machine, const PhPy *at, const PhScriptValue *old, GPtrArray *items,
                                     GError **error);
PhScriptValue *ph_script_list (PhScriptMachine *machine, const PhPy *at, PhScriptValue *const *items, guint n, GError **error);
/* Of a list of numbers, known ones, the items as a tuple. (nullable) */
PhScriptValue *ph_script_list_as_tuple (PhScriptMachine *machine, PhScriptValue *list);
/* FALSE: it is no matter of lists. TRUE: @result is what it gives, or NULL with an error. */
gboolean ph_script_list_binary (PhScriptMachine *machine, const PhPy *at, const char *sign, PhScriptValue *a, PhScriptValue *b,
                                PhScriptValue **result, GError **error);
PhScriptValue *ph_script_list_store (PhScriptMachine *machine, const PhPy *at, PhScriptValue *list, PhScriptValue *index,
                                     PhScriptValue *value, GError **error);
PhScriptValue *ph_script_row (PhScriptMachine *machine, const PhPy *at, PhScriptValue *of, PhScriptValue *index, GError **error);

G_END_DECLS
