/* target.h: what the coverage-guided fuzzers share. Each is built twice: with libFuzzer (-Dfuzzers=true), and with replay.c
 * as a test that goes through its corpus.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The current folder is a new, empty one that goes at the end: lines that nobody wrote save files under any name. */
void target_enter_folder (void);
/* That, and criticals end the program, and budgets are small. */
void target_init (void);

/* As g_error(), but with the signal that libFuzzer waits for, so that it keeps the input. */
void target_fail (const char *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

/* A console with a small model open in it. */
typedef struct
{
  PhDocument *document;
  PhConsole *console;
} TargetConsole;

void target_console_open (TargetConsole *target);
void target_console_close (TargetConsole *target);
/* Runs @line, at most a second or so of it; a reply is text and JSON, or an error that says something. */
void target_console_run (TargetConsole *target, const char *line);
/* The lines of @data that are run: none that could reach a file elsewhere or another program. (transfer full) */
char **target_lines (const guint8 *data, gsize size, guint most);
