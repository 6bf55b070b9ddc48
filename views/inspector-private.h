/* inspector-private.h: the pages of the inspector, and the rows that they are made of.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/after-frame.h"
#include "views/inspector.h"

G_BEGIN_DECLS

/* What a row does when it is activated. */
typedef enum
{
  PH_LINK_NONE,
  PH_LINK_NODE,
  PH_LINK_VALUE,
  PH_LINK_LINE,
  PH_LINK_SEARCH
} PhLinkKind;

struct _PhInspector
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkButton *back;
  GtkLabel *title, *badge;
  GtkToggleButton *breakpoint; /* of the node shown                             */
  gboolean updating;
  GtkScrolledWindow *scroller;
  GtkBox *sections;
  PhConsole *console;    /* (nullable)                                    */
  PhDocument *document;  /* (nullable) the console's                      */
  PhId value;            /* shown instead of the selection; PH_NO_ID: not */
  GPtrArray *dimensions; /* (nullable) (element-type char*) with long names, of the model shown */
  guint update_timer;
  PhPause pause;
  guint totals_source; /* the graph's totals are being added up         */
};

/* Rows: a name, what it says, and where a click leads. */
GtkListBox *ph_inspector_add_section (PhInspector *inspector, const char *title);
GtkLabel *ph_inspector_add_row (GtkListBox *section, const char *name, const char *text); /* what says @text */
GtkWidget *ph_inspector_add_link (GtkListBox *section, const char *name, const char *text, PhLinkKind kind, PhId id);
void ph_inspector_add_line (GtkListBox *section, const char *name, const char *text, const char *line, int indent);
void ph_inspector_add_search (GtkListBox *section, const char *name, const char *text, const char *what);
GtkLabel *ph_inspector_add_text (PhInspector *inspector, const char *text, const char *style);
void ph_inspector_add_value_row (PhInspector *inspector, GtkListBox *section, const char *name, const PhValue *value);
char *ph_bytes_text (gint64 bytes);     /* "-" when unknown */
char *ph_seconds_text (double seconds); /* 1.2 ms */
char *ph_count_text (double count);     /* 1.2 G */

/* inspector-node.c, inspector-value.c, inspector-graph.c */
void ph_inspector_fill_node (PhInspector *inspector, PhNode *node);
void ph_inspector_fill_removed (PhInspector *inspector, PhId id);
void ph_inspector_fill_value (PhInspector *inspector, PhValue *value);
void ph_inspector_fill_graph (PhInspector *inspector);

G_END_DECLS
