/* call-script.h: functions of the language: what trace, compile and compare share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"
#include "core/document/newcomer.h"

G_BEGIN_DECLS

/* commands-script.c: functions of the language: what trace, compile and compare share */
gboolean ph_call_names_function (PhCall *call);                                  /* the first argument is one, or a call of one */
gboolean ph_call_read_function (PhCall *call, gboolean compile, GError **error); /* begin */
gboolean ph_call_make_graph (PhCall *call, GError **error);                      /* work, and */
/* @newcomer (transfer full), a graph of the language, is opened, and the reply says so. */
void ph_call_open_newcomer (PhCall *call, PhNewcomer *newcomer, const char *what);
gboolean ph_call_open_graph (PhCall *call, GError **error);                    /* finish; nothing without begin */
gboolean ph_call_compare_function (PhCall *call, GError **error);              /* work, and */
gboolean ph_call_read_script (PhCall *call, const char *text, GError **error); /* a file of the language: begin, */
gboolean ph_call_run_script (PhCall *call, GError **error);                    /* and work; nothing without it */
gboolean ph_call_reply_comparison (PhCall *call);                              /* what it found */
gboolean ph_call_reply_word (PhCall *call, const char *name); /* what a word of the language does; FALSE: it is none */

G_END_DECLS
