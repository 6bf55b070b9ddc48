/* fixture.h: the text files that show rules, read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sample.h"

/* tests/passes/PASS/NAME.onnxtxt:
 *   # what it shows, in words
 *   # fires: RULE N                as often as there are rules that fire; N is 0 where one must not
 *   # allow: exact                 (optional) what the pipeline would allow; default: all but lossy, or all for a lossy rule
 *   # range: INPUT LOW HIGH        (optional) what to draw an input from
 *   # arguments: A B               (optional) of the pass
 *   # run: none                    (optional) do not evaluate: an operator cannot be executed
 *   # before
 *   ONNX text; without a header it is at the newest opset
 *   # after
 *   ONNX text; left out where nothing must change
 * With --bless, `after` is written anew; what fires is never. */

typedef struct
{
  char *path, *name;
  const PhPass *pass;
  GHashTable *fires;  /* rule -> count              */
  GHashTable *ranges; /* input -> SampleRange       */
  char **arguments;   /* (nullable)                 */
  int allow;          /* PhExactness; -1: not said  */
  gboolean runs;
  char *head, *before, *after; /* @after: (nullable)  */
} Fixture;

/* By its folder in tests/passes and its name there. Ends the test where there is no file or no line '# before'. */
Fixture *fixture_load (const char *path, const PhPass *pass, const char *name);
void fixture_free (gpointer fixture);
/* The least exact of the rules that it fires. */
PhExactness fixture_exactness (const Fixture *self);
/* ONNX text, which may lack its header, verified and its types inferred. NULL with @error. */
PhModel *fixture_parse (const char *text, const char *path, GError **error);
/* Calls @function with every fixture of every pass, in order; it owns them. */
void fixture_each (void (*function) (Fixture *fixture, gpointer data), gpointer data);
