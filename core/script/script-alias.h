/* script-alias.h: arrays that share their elements, and changes in place.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-machine.h"

G_BEGIN_DECLS

/* Whether the two may be of the same elements; and from now on they may. */
gboolean ph_script_same_memory (PhScriptMachine *machine, guint64 a, guint64 b);
void ph_script_join_memory (PhScriptMachine *machine, guint64 a, guint64 b);
/* Whether it, or a part of it, may be of these elements. */
gboolean ph_script_holds_memory (PhScriptMachine *machine, const PhScriptValue *value, guint64 memory);
/* Changing an array in place is setting its name to another; whoever else has the array must not notice. */
gboolean ph_script_change_in_place (PhScriptMachine *machine, const PhPy *at, const char *name, PhScriptValue *old,
                                    PhScriptValue *value, GError **error);

/* What that asks for, for an array that is an item of the list @name. */
gboolean ph_script_touch_item (PhScriptMachine *machine, const PhPy *at, const char *name, const PhScriptValue *item,
                               GError **error);

G_END_DECLS
