/* session.h: a document with a console to ask, and a folder for its files: shared by tests of what a user may meet.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"

typedef struct
{
  PhDocument *document;
  PhConsole *console;
} Session;

void session_init (Session *session);
void session_clear (Session *session);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Session, session_clear)

/* The error of the line, or what it said. (transfer full) */
char *ask (Session *session, gboolean ok, const char *format, ...);
#define TELL(session_, ...) g_free (ask (session_, TRUE, __VA_ARGS__))
void open_text (Session *session, const char *text);

/* From session_test_init() to session_test_run(), which expects it to be empty again. */
extern char *folder;
char *in_folder (const char *name);

void session_test_init (int *argc, char ***argv);
int session_test_run (void);
