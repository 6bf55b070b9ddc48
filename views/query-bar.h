/* query-bar.h: asks for a query whose result colours the nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"
#include "core/layout/paint.h"

G_BEGIN_DECLS

#define PH_TYPE_QUERY_BAR (ph_query_bar_get_type ())
G_DECLARE_FINAL_TYPE (PhQueryBar, ph_query_bar, PH, QUERY_BAR, GtkWidget)

/* Signal: measured (PhMeasure *measure, as a pointer)     of the query that was answered */
void       ph_query_bar_set_console (PhQueryBar *bar, PhConsole *console);
void       ph_query_bar_open        (PhQueryBar *bar);

/* The SQL of what was typed: a query as it is, anything else is a value of each row of the table nodes. (transfer full) */
char      *ph_query_text            (const char *typed);
/* From the answer to a query: a node in the first column, a number or a name in the second. */
PhMeasure *ph_query_measure         (JsonObject *answer, const char *title, GError **error);

G_END_DECLS
