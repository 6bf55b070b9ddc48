/* typing.c: what a line that is being typed still wants, and what its last word may become.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/console.h"

static PhConsole *
open_console (PhDocument **document)
{
  g_autofree char *file = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "seed.onnxtxt", NULL);
  g_autofree char *line = g_strdup_printf ("open '%s'", file);
  PhConsole *console = ph_console_new (*document = ph_document_new ());
  g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);

  g_assert_true (reply->ok);
  return console;
}

static void
test_hints (void)
{
  /* clang-format off */
  static const struct { const char *line, *hint; } rows[] = {
    { "", NULL },
    { "verify", " [STEP STEP] [--steps] [--seed N]*" },
    { "verify ", "[STEP STEP] [--steps] [--seed N]*" },
    { "verify 1", " STEP [--steps] [--seed N]*" },
    { "verify 1 2", " [--steps] [--seed N]*" },
    { "verify 1 --seed 4 ", "STEP [--steps] [--adopt]*" },
    { "diff 1", " [STEP] [--stat]*" },
    { "exec ", "[next [N] | back [N] | turn | to NODE | start | end | stop]" },
    { "exec next ", "[N]" },
    { "exec to ", "NODE" },
    { "exec turn", NULL },
    { "goto", " STEP[.REWRITE]" },
    { "pass limit cse ", "[N]" },
    { "grad y", " [wrt VALUE...]" },
    { "grad y wrt ", "VALUE..." },
    { "grad y wrt x1 ", "VALUE..." },
    { "info", NULL },
    { "longest", NULL },
    { "neighb", "ours" },
    { "x = 3", NULL },
    { "select dominates(", "NODE, NODE)" },
    { "select dominates(3, ", "NODE)" },
    { "select count(", NULL },
    { "explain 'unclosed", NULL },
    { "open 'unclosed", NULL },
  };
  /* clang-format on */
  g_autoptr (PhDocument) document = NULL;
  g_autoptr (PhConsole) console = open_console (&document);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *hint = ph_console_hint (console, rows[i].line);

      g_test_message ("%s", rows[i].line);
      if (rows[i].hint != NULL && g_str_has_suffix (rows[i].hint, "*"))
        g_assert_true (g_pattern_match_simple (rows[i].hint, hint != NULL ? hint : ""));
      else
        g_assert_cmpstr (hint, ==, rows[i].hint);
    }
  ph_preferences_get ()->hints = FALSE;
  g_assert_null (ph_console_hint (console, "verify "));
  ph_preferences_unload ();
}

/* @wanted: words, in their order and among others where it begins with "...". */
static void
expect (PhConsole *console, const char *line, const char *wanted)
{
  guint at;
  g_auto (GStrv) found = ph_console_complete (console, line, (guint) strlen (line), &at);
  g_autofree char *all = g_strjoinv (" ", found);

  g_test_message ("%s: %s", line, all);
  if (!g_str_has_prefix (wanted, "..."))
    g_assert_cmpstr (all, ==, wanted);
  else
    g_assert_true (g_strv_contains ((const char *const *) found, wanted + 3));
}

static void
test_kinds (void)
{
  g_autoptr (PhDocument) document = NULL;
  g_autoptr (PhConsole) console = open_console (&document);

  expect (console, "feed x", "x1 x2"); /* inputs, not every value */
  expect (console, "adjoint ", "y");
  expect (console, "grad y wrt v", "v1 v2 v3 v4");
  expect (console, "grad y w", "wrt");
  expect (console, "exec t", "to turn");
  expect (console, "exec to n4", "n4");
  expect (console, "mode c", "csv");
  expect (console, "set pager ", "default off on");
  expect (console, "set mode m", "markdown");
  expect (console, "rule off algebraic/add-z", "...algebraic/add-zero");
  expect (console, "help add-z", "...add-zero");
  expect (console, "help Conv", "...ConvTranspose");
  expect (console, "verify --see", "--seed");
  expect (console, "verify --seed 4 --st", "--steps");
  expect (console, "run --to cs", "cse");
  expect (console, "run cse fold-c", "fold-constants");
  expect (console, "check a.onnx --pipeline O", "O1 O2 O3");
  expect (console, "render x.svg --color de", "device");
  expect (console, "select longest", "longest_path");
  expect (console, "select n.prod", "n.producer");
  expect (console, "select * from nodes where op = 'M", "'Mul'");
  expect (console, "select * from nodes where op in ('Mul', 'L", "'Log'");
  expect (console, "select * from steps where pass = 'cs", "'cse'");
  expect (console, "select * from rewrites where rule like 'add-z", "'add-zero'");
  expect (console, "select ancestors('v1", "'v1'");
  expect (console, "select op from ed", "edges edges_at edits"); /* tables, not every name */
  expect (console, "select * from nodes n JOIN gr", "graphs");
  expect (console, "select gr", "gradient graph graphs group by grp");
  expect (console, "train ", "...y");
  expect (console, "train y --optimizer ", "adam momentum sgd");
  expect (console, "steps --w", "--wide");
  expect (console, "y = softpl", "softplus");
}

/* Where nothing begins with what was typed: what has its letters, in their order. */
static void
test_fuzzy (void)
{
  g_autoptr (PhDocument) document = NULL;
  g_autoptr (PhConsole) console = open_console (&document);

  expect (console, "run flncst", "");
  expect (console, "run fldcst", "fold-constants");
  expect (console, "rule off addzero", "...algebraic/add-zero");
  expect (console, "nghb", "neighbours");
  expect (console, "zzq", "");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/typing/hints", test_hints);
  g_test_add_func ("/typing/kinds", test_kinds);
  g_test_add_func ("/typing/fuzzy", test_fuzzy);
  return g_test_run ();
}
