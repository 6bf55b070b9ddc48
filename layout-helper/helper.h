/* helper.h: what the files of peephole-layout share.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

#define MAX_BOXES  200000
#define MAX_EDGES  800000
#define MAX_LENGTH 1e6 /* points; a larger box is no box */

/* main.c: ends the program with status 2 and one line on standard error. */
_Noreturn void fail (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* The next line of standard input without its end; 0 at the end of the file. */
int read_line (char *line, size_t size);
long line_number (void);
/* Numbers of @line from @at on, each after one space. Returns how many were read, at most @n; fails where one is not finite. */
int read_numbers (const char *line, const char *at, double *numbers, int n);

/* place.c: a section "dot BOXES EDGES" and its answer. */
void place_graph (const char *engine, long n_boxes, long n_edges);
/* route.c: a section "route BOXES LINES" and its answer. */
void route_lines (long n_boxes, long n_lines);
