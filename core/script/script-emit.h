/* script-emit.h: operators as the language applies them: run at once, recorded or compiled.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"
#include "core/script/script-machine.h"

G_BEGIN_DECLS

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
/* A list or tuple of numbers, tensors and such lists as a tensor. */
PhScriptValue *ph_script_as_array (PhScriptMachine *machine, PhScriptValue *list, GError **error);
/* A Python number that the graph computes: @value is a tensor without dimensions of INT64, DOUBLE or BOOL. */
PhScriptValue *ph_script_weak (PhScriptValue *value); /* consumes it */

/* clang-format off */
#define PH_EMIT(m_, op_, error_, ...) \
  ph_script_emit1 (m_, &ph_op_##op_, NULL, error_, sizeof ((PhScriptValue *[]) { __VA_ARGS__ }) / sizeof (PhScriptValue *), __VA_ARGS__)
#define PH_EMIT_WITH(m_, op_, attrs_, error_, ...) \
  ph_script_emit1 (m_, &ph_op_##op_, attrs_, error_, sizeof ((PhScriptValue *[]) { __VA_ARGS__ }) / sizeof (PhScriptValue *), __VA_ARGS__)
/* clang-format on */

G_END_DECLS
