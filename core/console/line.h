/* line.h: joins lines that belong together before they run, and finds what they run and in which folder.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lines that belong together: behind a backslash, in open brackets, in a block of the language. PH_JOIN_MORE: @line was taken, and
 * more is wanted; PH_JOIN_WHOLE: it was taken, and @whole can be run; PH_JOIN_BEFORE: @whole can be run without it, which comes next.
 * @typed: at a prompt, where an empty line ends a block; else one that is not indented does. */
typedef enum
{
  PH_JOIN_MORE,
  PH_JOIN_WHOLE,
  PH_JOIN_BEFORE
} PhJoin;
PhJoin ph_line_join (GString *whole, const char *line, gboolean typed);
/* What the lines of @text are, each whole; @first: (nullable) the number of the line at which each begins. The last may want more.
 * (transfer full) */
GPtrArray *ph_lines_join (const char *text, GArray *first);
/* TRUE: @line runs what is no part of Peephole: a program, a shared object, or a script of lines that may do so. */
gboolean ph_line_is_foreign (const char *line);
/* The line that does from any folder what @line does from @folder: names of files that are there become absolute. (transfer full) */
char *ph_line_to_absolute (const char *line, const char *folder);

G_END_DECLS
