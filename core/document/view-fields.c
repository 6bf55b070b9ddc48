/* view-fields.c: the table of the picture's settings: fields, their values, and the corresponding actions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/view-fields.h"
#include "core/draw/paint.h"

/* Marks text for translation; the window translates it. */
#define N_(text) text

#define COLOURS "ph-colours-symbolic"

/* The order is that of PhForm, PhColorMode and PhLayoutEngine. */
/* clang-format off */
static const PhViewWord form_words[] = {
  { "overlay", N_("Changes in One Picture"), NULL, "<Control>1", "ph-overlay-symbolic" },
  { "side", N_("Before and After Side by Side"), N_("Two pictures that scroll and select as one"), "<Control>2", "ph-side-by-side-symbolic" },
  { "text", N_("Before and After as Text"), NULL, "<Control>3", "ph-text-diff-symbolic" },
  { NULL },
};
static const PhViewWord diff_words[] = {
  { "auto" },
  { "on", N_("Show Changes"), N_("Mark what the current step added, removed and changed"), "<Control><Alt>d" },
  { "off" },
  { NULL },
};
static const PhViewWord follow_words[] = {
  { "on", N_("Follow Changes"), N_("Move the view to what a step changed") },
  { "off" },
  { NULL },
};
static const PhViewWord color_words[PH_N_COLOR_MODES + 1] = {
  [PH_COLOR_FAMILY] = { "kind", N_("Colour by Operator Kind"), NULL, NULL, COLOURS },
  [PH_COLOR_ROLE] = { "role", N_("Colour by Role"), N_("Forward, backward, communication"), NULL, COLOURS },
  [PH_COLOR_DEVICE] = { "device", N_("Colour by Device"), NULL, NULL, COLOURS },
  [PH_COLOR_COST] = { "cost", N_("Colour by Cost"), N_("Floating-point operations of each node"), NULL, COLOURS },
  [PH_COLOR_MEMORY] = { "memory", N_("Colour by Memory"), N_("Bytes that each node makes"), NULL, COLOURS },
  [PH_COLOR_TIME] = { "time", N_("Colour by Time"), N_("How long each node takes; measures it when it is not known"), NULL, COLOURS },
  [PH_COLOR_KERNEL] = { "kernel", N_("Colour by Kernel"), N_("What ran each node; measures it when it is not known"), NULL, COLOURS },
  [PH_COLOR_LAYOUT] = { "layout", N_("Colour by Order in Memory"), N_("How the result of each node lies in memory; measures it when it is not known"), NULL, COLOURS },
  [PH_COLOR_ROOF] = { "roof", N_("Colour by Distance to the Roof"), N_("What of the machine's speed each node misses; measures it when it is not known"), NULL, COLOURS },
  [PH_COLOR_ERROR] = { "error", N_("Colour by Difference"), N_("How far each value is from what it was at the position changes are counted from"), NULL, COLOURS },
  [PH_COLOR_QUERY] = { "query", N_("Colour by Query…"), N_("A number or a name for each node, in SQL"), NULL, COLOURS },
};
static const PhViewWord legend_words[] = {
  { "auto" },
  { "on", N_("Legend"), N_("What the colours say") },
  { "off" },
  { NULL },
};
static const PhViewWord values_words[] = {
  { "off" },
  { "on", N_("Values in the Picture"), N_("Show what each node computes in its box, live with the inputs") },
  { NULL },
};
static const PhViewWord edges_words[] = {
  { "off" },
  { "on", N_("Edge Width by Bytes") },
  { NULL },
};
static const PhViewWord compact_words[] = {
  { "off" },
  { "on", N_("Compact Layout"), N_("Lay out this position alone instead of the whole history"), "<Control><Alt>c" },
  { NULL },
};
static const PhViewWord group_words[] = {
  { "auto" },
  { "on", N_("Group by Scope"), N_("Draw scopes or regions as boxes that open"), "<Control><Alt>g" },
  { "off" },
  { NULL },
};
static const PhViewWord open_words[] = {
  { "fit" },
  { "all", N_("Open All Groups"), NULL, "<Control><Alt>plus|<Control><Alt>equal" },
  { "none", N_("Close All Groups"), NULL, "<Control><Alt>minus" },
  { NULL },
};
static const PhViewWord part_words[] = {
  { "all", N_("Everything Again"), N_("The whole graph instead of a part"), "<Control><Alt>a" },
  { "around", N_("Only What Is Around the Node"), N_("The selected node and what lies two steps around it; n widens it, N narrows it"), "<Control><Alt>n" },
  { "paths", N_("Paths Between Two Nodes"), N_("Once at the node where they begin, once more where they end"), "<Control><Alt>p" },
  { "touched", N_("Only What This Step Touched"), NULL, "<Control><Alt>o" },
  { "wider", N_("A Step More Around the Node") },
  { "narrower", N_("A Step Less Around the Node") },
  { NULL },
};
static const PhViewWord zoom_words[] = {
  { "start" },
  { "fit", N_("Whole Graph"), NULL, "<Control>9" },
  { "selection", N_("Zoom to Selection"), NULL, "<Control>8" },
  { "normal", N_("Actual Size"), NULL, "<Control>0" },
  { "in", N_("Zoom In"), NULL, "<Control>plus|<Control>equal|<Control>KP_Add" },
  { "out", N_("Zoom Out"), NULL, "<Control>minus|<Control>KP_Subtract" },
  { NULL },
};
static const PhViewWord layout_words[PH_N_LAYOUT_ENGINES + 1] = {
  [PH_LAYOUT_BEST] = { "best" }, [PH_LAYOUT_DOT] = { "dot" }, [PH_LAYOUT_LAYERED] = { "layered" }, [PH_LAYOUT_NEATO] = { "neato" },
  [PH_LAYOUT_FDP] = { "fdp" }, [PH_LAYOUT_SFDP] = { "sfdp" }, [PH_LAYOUT_CIRCO] = { "circo" }, [PH_LAYOUT_TWOPI] = { "twopi" },
  [PH_LAYOUT_OSAGE] = { "osage" },
};
static const PhViewWord direction_words[] = { { "down" }, { "right" }, { NULL } };
static const PhViewWord pipeline_words[] = {
  { "on", N_("Pipeline"), N_("Show or hide the pipeline"), "F9" },
  { "off" },
  { NULL },
};
static const PhViewWord inspector_words[] = {
  { "on", N_("Inspector"), N_("Show or hide the inspector"), "<Shift>F9" },
  { "off" },
  { NULL },
};
static const PhViewWord bottom_words[] = {
  { "on", N_("Bottom Pane"), N_("Show or hide console, text and problems"), "<Control>F9" },
  { "off" },
  { NULL },
};
/* The names of the pages in resources/ui/bottom-pane.ui. */
static const PhViewWord page_words[] = {
  { "console" },
  { "text", N_("Text of the Graph"), N_("The graph as ONNX text, changed lines marked"), "<Control>u|<Shift>F12" },
  { "source" }, { "adjoint" }, { "along" }, { "roofline" }, { "problems" },
  { NULL },
};

static const PhViewRow rows[PH_N_VIEW_FIELDS] = {
  [PH_VIEW_FORM] = { "form", "one picture with the changes in it, before and after side by side, or both as text", N_("Changes"), NULL, form_words },
  [PH_VIEW_DIFF] = { "diff", "what the current step changed is marked; auto: in the window, in files only with --diff", N_("Changes"), NULL, diff_words },
  [PH_VIEW_FOLLOW] = { "follow", "the window moves to what a step changed", N_("Changes"), NULL, follow_words },
  [PH_VIEW_COLOR] = { "color", "what the colour of a node says; query: a number or name for each node's id, in SQL", N_("Graph"), "[SQL]", color_words },
  [PH_VIEW_LEGEND] = { "legend", "what the colours say; auto: where they do not speak for themselves", N_("Graph"), NULL, legend_words },
  [PH_VIEW_VALUES] = { "values", "what each node computes stands in its box", N_("Graph"), NULL, values_words },
  [PH_VIEW_EDGES] = { "edges", "lines are as wide as they carry bytes", N_("Graph"), NULL, edges_words },
  [PH_VIEW_COMPACT] = { "compact", "one position is laid out alone, not the whole history", N_("Graph"), NULL, compact_words },
  [PH_VIEW_GROUP] = { "group", "scopes, or regions, are boxes that open; auto: in large models, and of basic blocks", N_("Graph"), NULL, group_words },
  [PH_VIEW_OPEN] = { "open", "which groups are open: as many as fit, all, none; +NAME and -NAME open and close one", N_("Graph"), "[+GROUP|-GROUP...]", open_words, TRUE },
  [PH_VIEW_PART] = { "part", "only what lies around a node, between two, or what the step touched; +NODE shows that too", N_("Graph"), "[NODE] [NODE|STEPS] [+NODE...]", part_words, TRUE },
  [PH_VIEW_ZOOM] = { "zoom", "where the window stands: by a word, or the point at its corner and the scale", N_("View"), "[X Y SCALE]", zoom_words, TRUE },
  [PH_VIEW_LAYOUT] = { "layout", "who lays out the picture", NULL, NULL, layout_words },
  [PH_VIEW_DIRECTION] = { "direction", "from top to bottom, or from left to right", NULL, NULL, direction_words },
  [PH_VIEW_PIPELINE] = { "pipeline", "the panel at the left of the window", N_("View"), NULL, pipeline_words, .of_window = TRUE },
  [PH_VIEW_INSPECTOR] = { "inspector", "the panel at the right of the window", N_("View"), NULL, inspector_words, .of_window = TRUE },
  [PH_VIEW_BOTTOM] = { "bottom", "the pane below the picture", N_("View"), NULL, bottom_words, .of_window = TRUE },
  [PH_VIEW_PAGE] = { "page", "the page of the pane below the picture; naming one shows the pane", N_("View"), NULL, page_words, .of_window = TRUE },
};
/* clang-format on */

const PhViewRow *
ph_view_row (PhViewField field)
{
  return &rows[field];
}

gboolean
ph_view_find (const char *name, PhViewField *field)
{
  for (guint i = 0; i < PH_N_VIEW_FIELDS; i++)
    if (g_str_equal (rows[i].name, name))
      {
        *field = (PhViewField) i;
        return TRUE;
      }
  return FALSE;
}
