/* script-words.h: the functions that the language has: each is a word of the table in words.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/script/script-call.h"

G_BEGIN_DECLS

/* library.c */
PhScriptValue *ph_script_word_defined (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
/* word-list.c */
PhScriptValue *ph_script_word_enumerate (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
PhScriptValue *ph_script_word_items (PhScriptMachine *machine, PhScriptArgs *args, GError **error);
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

G_END_DECLS
