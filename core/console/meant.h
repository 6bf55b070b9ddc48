/* meant.h: suggests the word that a mistyped one was meant to be, and quotes the line that a message is about.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

/* "; did you mean '...'?", or "" where nothing is near. (transfer full) */
char *ph_meant (const char *typed, const char *const *names, guint n);
char *ph_meant_pass (const char *typed);
char *ph_meant_rule (const char *typed);                      /* PASS/RULE                                   */
char *ph_meant_help (const char *typed, const char *command); /* pass, rule, operator; @command: (nullable) the nearest command */
char *ph_meant_step (PhDocument *document, const char *typed); /* the pass of a step                         */
/* Of a query that SQLite did not understand at byte @offset (-1: it says none): a keyword or a function. */
char *ph_meant_sql (const char *message, const char *text, int offset);
/* Where @error names a line and a column of the text file @path: that line below it, and a caret. */
void ph_quote_line (const char *path, GError *error);

G_END_DECLS
