/* action-lines.c: the table of what the window's actions are as lines of the console, and of those that are none, each with its reason.
 * Commands and what `view` sets are lines by their own names and have no row here, but where they only ask for something first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/action-lines.h"

/* clang-format off */
static const struct { const char *name, *line; } lines[] = {
  { "win.search-next", "select-node " },
  { "win.search-previous", "select-node " },
  { "win.break-node", "breakpoint n" },
  { "win.go-first", "goto 0" },
  { "win.go-last", "goto " },
  { "win.open-uri", "open " },
  { "win.example", "open " },
  { "win.bookmark", "bookmark " },
  { "win.next-change", "select-node " },
  { "win.previous-change", "select-node " },
  { "graph.next-change", "select-node " },
  { "graph.previous-change", "select-node " },
  { "graph.select", "select-node " },
  { "graph.toggle-box", "view open " },
  { "graph.compute", "eval " },
  { "graph.explain", "why n" },
  { "history.enabled", "pass o" },
  { "history.break", "breakpoint " },
  { "history.repeat", "pass repeat " },
  { "history.remove", "pass remove " },
  { "history.run-to", "run --to " },
  { "history.move", "pass move " },
  { "history.limit", "pass limit " },
  { "history.go", "goto " },
  { "history.blame", "bisect " },
  { "history.insert", "pass add " },
  { "history.append", "pass add " },
  { "history.break-rule", "breakpoint " },
  { "history.break-node", "breakpoint n" },
  { "history.rule-off", "rule off " },
  { "history.select", "select-node " },
  { "history.pipeline", "pipeline " },
  { "history.load", "pipeline " },
  { "history.save", "pipeline --save " },
};

#define ASKS_FILE "It asks for a file; the line runs once there is one."
#define ASKS      "It asks for what the line needs; the line runs once that is there."
#define SHOWS     "It shows something about the program and changes nothing."
#define KEYBOARD  "It moves the keyboard to another part of the window."
#define TAB       "A tab has a console of its own."

static const struct { const char *name, *reason; } reasons[] = {
  { "app.about", SHOWS },
  { "app.quit", "It ends the program, and the console with it." },
  { "win.palette", "It asks what to do; what one chooses is an action itself." },
  { "win.shortcuts", SHOWS },
  { "win.new-tab", TAB },
  { "win.close-tab", TAB },
  { "win.compare-with", ASKS_FILE },
  { "win.fix-dimension", ASKS },
  { "graph.feed", ASKS },
  { "win.find-text", "It fills in what to look for; each node found is selected, which is a line." },
  { "win.focus-console", KEYBOARD },
  { "win.focus-graph", KEYBOARD },
  { "win.next-pane", KEYBOARD },
  { "win.previous-pane", KEYBOARD },
  { "win.fullscreen", "How large the window is, is up to the desktop." },
  { "graph.copy-name", "It fills the clipboard." },
  { "history.filter-rule", "It narrows a list of the panel and changes nothing." },
  { "command.open", ASKS_FILE },
  { "command.save", ASKS_FILE },
  { "command.render", ASKS },
  { "command.source", ASKS_FILE },
  { "command.find", ASKS },
  { "command.grad", ASKS },
  { "command.llvm", ASKS },
  { "view.part::paths", ASKS },
  { "view.color::query", ASKS },
  { "view.zoom::in", "It is done many times in a row; `view zoom` says where that ended." },
  { "view.zoom::out", "It is done many times in a row; `view zoom` says where that ended." },
};
/* clang-format on */

const char *
action_line (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (g_str_equal (lines[i].name, name))
      return lines[i].line;
  return NULL;
}

const char *
action_reason (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_str_equal (reasons[i].name, name))
      return reasons[i].reason;
  return NULL;
}
