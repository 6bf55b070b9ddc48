/* command-code.h: the tables of commands and the code behind their rows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"
#include "core/console/command-list.h"

G_BEGIN_DECLS

/* Marks what the window translates: titles and summaries of commands. The console itself speaks English. */
#define N_(text) text

/* Static storage at file scope, so that tables of commands need no set-up. */
#define PH_CODE(...) ((gpointer) & (const PhCommandCode) { __VA_ARGS__ })

typedef struct
{
  const PhCommand *rows;
  guint n;
} PhCommandGroup;
#define GROUP(name) extern const PhCommandGroup ph_commands_##name;
PH_COMMAND_GROUPS
#undef GROUP

G_END_DECLS
