/* foreign.c: passes of one's own: shared objects and commands, and that their crashes harm nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/console/console.h"
#include "core/io/llvm/program.h"

static PhConsole *
console_on (const char *model)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  PhConsole *console = ph_console_new (document);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "console", "data", model, NULL);
  g_autofree char *line = g_strdup_printf ("open '%s'", path);
  g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);

  g_assert_no_error (reply->error);
  return console;
}

static PhReply *
run (PhConsole *console, const char *format, ...)
{
  va_list args;
  g_autofree char *line = NULL;

  va_start (args, format);
  line = g_strdup_vprintf (format, args);
  va_end (args);
  return ph_console_run (console, line, NULL);
}

static void
assert_text (PhConsole *console, const char *line, const char *pattern)
{
  g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);

  g_assert_no_error (reply->error);
  if (!g_pattern_match_simple (pattern, reply->text->str))
    g_error ("%s: '%s' is not '%s'", line, reply->text->str, pattern);
}

static void
assert_fails (PhConsole *console, const char *line, const char *pattern)
{
  g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);

  g_assert_false (reply->ok);
  if (!g_pattern_match_simple (pattern, reply->error->message))
    g_error ("%s: '%s' is not '%s'", line, reply->error->message, pattern);
}

static char *
built (const char *name)
{
  return g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "tests", "console", name, NULL);
}

static void
test_shared_object (void)
{
  g_autoptr (PhConsole) console = console_on ("signs.onnxtxt");
  g_autofree char *path = built ("double-not.so");
  g_autoptr (PhReply) load = run (console, "load-pass '%s'", path), again = run (console, "load-pass '%s'", path);

  g_assert_no_error (load->error);
  g_assert_no_error (again->error);
  assert_text (console, "passes double-not", "*Removes Not(Not(x))*");
  assert_text (console, "run double-not", "*double-not*+0*-2*");
  assert_text (console, "rewrites", "*Neg undoes Neg*");
  assert_text (console, "verify", "*same*");
  assert_text (console, "back", "position 0 of 1\n");
  assert_text (console, "select count(*) as n from nodes", "*6\n*");
}

static void
test_crash (void)
{
  g_autoptr (PhConsole) console = console_on ("signs.onnxtxt");
  g_autofree char *path = built ("crashing.so");
  g_autoptr (PhReply) load = run (console, "load-pass '%s'", path);

  g_assert_no_error (load->error);
  assert_fails (console, "run crashing", "*crashing*");
  assert_fails (console, "run refusing", "*refusing*not today*");
  /* That they failed is a result. */
  assert_text (console, "steps", "*crashing*+0*-0*error*refusing*+0*-0*error*");
  assert_text (console, "bisect", "*step 1 failed*");
  assert_text (console, "select count(*) as n from nodes", "*6\n*");
}

static void
test_command (void)
{
  g_autoptr (PhConsole) console = console_on ("signs.onnxtxt");
  g_autofree char *script = g_test_build_filename (G_TEST_DIST, "..", "examples", "pass", "exec-pass.sh", NULL);
  g_autoptr (PhReply) done = run (console, "run exec 'sh \"%s\"'", script);

  g_assert_no_error (done->error);
  assert_text (console, "diff", "*- n* Relu*~ n* Add*1: +0 -1 ~1\n");
  assert_text (console, "verify", "*same*");
  assert_text (console, "run exec cat", "*exec cat*+0*-0*~0*");
  assert_text (console, "goto 0", "position 0 of 2\n");
  assert_text (console, "select count(*) as n from nodes", "*6\n*");
  assert_fails (console, "run exec false", "false failed with status 1*");
  assert_fails (console, "run exec 'echo no reason >&2; exit 3'", "*status 3: no reason");
  assert_fails (console, "run exec 'kill -9 $$'", "*killed by signal 9*");
  assert_fails (console, "run exec 'echo hello'", "*wrote no model*");
  assert_fails (console, "run exec", "*");
  assert_fails (console, "load-pass /nowhere.so", "*no such file*");
  assert_text (console, "steps", "*exec cat*");
}

/* Processes that are "sleep @marker". */
static guint
count_sleeping (const char *marker)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc", name, "cmdline", NULL), *line = NULL;
      gsize length;

      if (g_ascii_isdigit (*name) && g_file_get_contents (path, &line, &length, NULL) && length == strlen (marker) + 7
          && g_str_equal (line, "sleep") && g_str_equal (line + 6, marker))
        n++;
    }
  return n;
}

/* What hangs, floods, multiplies or talks nonsense leaves the document as it was, and leaves nothing behind. */
static void
test_hostile (void)
{
  g_autoptr (PhConsole) console = console_on ("signs.onnxtxt");
  g_autofree char *marker = g_strdup_printf ("9%05u", (guint) getpid () % 100000);
  g_autofree char *many = g_strdup_printf ("run exec 'for i in 1 2 3 4 5 6 7 8; do sleep %s & done; wait'", marker);

  g_setenv ("PEEPHOLE_PASS_SECONDS", "1", TRUE);
  assert_fails (console, "run exec 'sleep 100'", "*took more than 1 seconds*");
  assert_fails (console, "run exec 'trap \"\" TERM; while :; do :; done'", "*took more than 1 seconds*");
  assert_fails (console, many, "*took more than 1 seconds*");
  g_setenv ("PEEPHOLE_PASS_SECONDS", "20", TRUE);
  assert_fails (console, "run exec 'head -c 300000000 /dev/zero'", "*");
  assert_fails (console, "run exec 'head -c 3000000 /dev/urandom'", "*wrote no model*");
  assert_fails (console, "run exec 'exec cat >&2; kill -SEGV $$'", "*");
  assert_fails (console, "run exec 'cat | head -c 40'", "*wrote no model*");
  assert_fails (console, "run exec 'exit 0'", "*wrote no model*");
  assert_fails (console, "run exec 'exec 0<&-; exit 5'", "*status 5*");
  assert_text (console, "steps", "*error*");
  assert_text (console, "select count(*) as n from nodes", "*6\n*");
  g_unsetenv ("PEEPHOLE_PASS_SECONDS");

  g_usleep (200 * 1000);
  g_assert_cmpuint (count_sleeping (marker), ==, 0);
}

/* What LLVM is old is told of opaque pointers, and what is too old for them is said. */
static void
test_llvm_versions (void)
{
  static const char program[]
      = "#!/bin/sh\n"
        "case \"$*\" in --version) echo \"LLVM version $(cat \"$0.version\").0.6\"; exit;; esac\n"
        "case \"$(cat \"$0.version\") $*\" in '14 -opaque-pointers '*|'19 -passes='*) exit;; *) echo \"no: $*\" >&2; exit 1;; esac\n";
  static const char *const versions[] = { "13", "14", "19" };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", &error), *opt = g_build_filename (folder, "opt-30", NULL),
                  *version = g_strconcat (opt, ".version", NULL), *file = g_build_filename (folder, "f.ll", NULL),
                  *path = g_strconcat (folder, ":", g_getenv ("PATH"), NULL), *old = g_strdup (g_getenv ("PATH")),
                  *open = g_strdup_printf ("open '%s'", file);
  g_autoptr (PhConsole) console = console_on ("signs.onnxtxt");

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (opt, program, -1, NULL));
  g_assert_cmpint (g_chmod (opt, 0755), ==, 0);
  g_assert_true (g_file_set_contents (file, "define i32 @f(ptr %x) {\n  %y = load i32, ptr %x\n  ret i32 %y\n}\n", -1, NULL));
  g_setenv ("PATH", path, TRUE);
  assert_text (console, open, "*2 nodes*");
  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      g_assert_true (g_file_set_contents (version, versions[i], -1, NULL));
      if (i == 0)
        assert_fails (console, "llvm gvn", "*of LLVM 13, which knows no opaque pointers*llvm-14*");
      else
        assert_text (console, "llvm gvn", "0 passes ran*");
    }
  g_setenv ("PATH", old, TRUE);
  g_unlink (opt);
  g_unlink (version);
  g_unlink (file);
  g_rmdir (folder);
}

/* LLVM's passes, with a program in opt's place that prints what opt does: on its standard error. */
static void
test_llvm (void)
{
  static const char program[]
      = "#!/bin/sh\n"
        "echo \"$*\" > \"$0.said\"\n"
        "case \"$*\" in *-passes=nosuch*) echo \"opt: unknown pass name 'nosuch'\" >&2; exit 1;; *-passes=hang*) sleep 100;; esac\n"
        "cat >&2 <<'END'\n"
        "*** IR Dump At Start ***\n; ModuleID = 'f.ll'\ndefine i32 @f(i32 %x) {\n  %y = add i32 %x, 0\n  ret i32 %y\n}\n"
        "*** IR Dump After NothingPass on f omitted because no change ***\n"
        "*** IR Dump After InstCombinePass on f ***\n; ModuleID = 'f.ll'\ndefine i32 @f(i32 %x) {\n  ret i32 %x\n}\n"
        "END\n"
        "case \"$*\" in *-passes=crash*) printf '0.\\tProgram arguments: opt\\n1.\\tRunning pass \"licm\" on f\\n #0 0x00\\n' >&2; kill -SEGV $$;; esac\n";
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", &error), *opt = g_build_filename (folder, "opt-25", NULL),
                  *file = g_build_filename (folder, "f.ll", NULL), *path = g_strconcat (folder, ":", g_getenv ("PATH"), NULL),
                  *old = g_strdup (g_getenv ("PATH")), *open = g_strdup_printf ("open '%s'", file),
                  *said = g_strconcat (opt, ".said", NULL), *words = NULL;
  g_autoptr (PhConsole) console = console_on ("signs.onnxtxt");

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (opt, program, -1, NULL));
  g_assert_cmpint (g_chmod (opt, 0755), ==, 0);
  g_assert_true (g_file_set_contents (file, "define i32 @f(i32 %x) {\n  %y = add i32 %x, 0\n  ret i32 %y\n}\n", -1, NULL));
  g_setenv ("PATH", path, TRUE);
  assert_fails (console, "llvm instcombine", "*is not LLVM's*");
  assert_text (console, open, "*2 nodes*");
  assert_text (console, "llvm instcombine", "2 passes ran, 1 changed something\n*");
  assert_text (console, "goto 0", "*");
  assert_text (console, "run llvm instcombine", "2 passes ran, 1 changed something\n*");
  assert_text (console, "goto 0", "*");
  assert_text (console, "pipeline llvm instcombine", "2 passes ran, 1 changed something\n*");
  assert_text (console, "select pass, rewrites from steps", "*NothingPass on f *0*InstCombinePass on f *1*");
  assert_text (console, "select verdict from steps where rewrites > 0", "*none*");
  assert_text (console, "llvm gvn", "2 passes ran, 1 changed something\n*");
  g_assert_true (g_file_get_contents (said, &words, NULL, NULL));
  g_assert_nonnull (strstr (words, "-passes=instcombine,gvn "));
  assert_text (console, "back", "*");
  assert_fails (console, "llvm gvn", "*`goto 0` first*");
  assert_text (console, "goto 0", "*");
  assert_fails (console, "llvm nosuch", "*unknown pass name*");
  /* The passes before the one that crashed are steps; nothing can follow them. */
  assert_text (
      console, "llvm crash",
      "problem: *opt-25 was killed by signal 11*: 1.\tRunning pass \"licm\" on f. The steps are those*\n2 passes ran, 1 changed something\n*");
  assert_text (console, "select pass, rewrites from steps", "*NothingPass on f *0*InstCombinePass on f *1*");
  assert_fails (console, "llvm gvn", "*`goto 0` first*");
  assert_text (console, "goto 0", "*");
  g_setenv ("PEEPHOLE_PASS_SECONDS", "1", TRUE);
  assert_fails (console, "llvm hang", "*took more than 1 seconds*");
  g_unsetenv ("PEEPHOLE_PASS_SECONDS");
  assert_text (console, "select count(*) as n from nodes", "*2\n*");
  g_setenv ("PATH", old, TRUE);
  g_unlink (said);
  g_unlink (opt);
  g_unlink (file);
  g_rmdir (folder);
}

/* The opt that is installed, on the example of the manual and on a function that calls itself. */
static void
test_llvm_installed (void)
{
  static const char text[]
      = "define i32 @sum(i32 %n) {\nentry:\n  %p = alloca i32, align 4\n  store i32 %n, ptr %p, align 4\n"
        "  %v = load i32, ptr %p, align 4\n  %z = icmp eq i32 %v, 0\n  br i1 %z, label %done, label %more\nmore:\n"
        "  %m = sub i32 %v, 1\n  %s = call i32 @sum(i32 %m)\n  %t = add i32 %s, %v\n  ret i32 %t\ndone:\n  ret i32 0\n}\n"
        "define i32 @twice(i32 %n) {\n  %x = call i32 @sum(i32 %n)\n  %y = mul i32 %x, 2\n  ret i32 %y\n}\n";
  static const char loop[]
      = "define i32 @f(i32 %0) {\n  br label %2\n2:\n  %3 = phi i32 [ 0, %1 ], [ %6, %5 ]\n  %4 = icmp slt i32 %3, %0\n"
        "  br i1 %4, label %5, label %7\n5:\n  %6 = add i32 %3, 3\n  br label %2\n7:\n  ret i32 %3\n}\n";
  g_autofree char *opt = ph_llvm_program_find ("opt"), *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL),
                  *file = g_build_filename (folder, "sum.ll", NULL), *open = g_strdup_printf ("open '%s'", file),
                  *example = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "registers.ll", NULL),
                  *first = g_strdup_printf ("open '%s'", example);
  g_autoptr (PhConsole) console = console_on ("signs.onnxtxt");

  if (opt == NULL)
    {
      g_test_skip ("opt is not installed: Debian has it in llvm-19");
      g_rmdir (folder);
      return;
    }
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
  assert_text (console, first, "*8 nodes*");
  assert_text (console, "llvm mem2reg,gvn,instcombine", "*3 passes ran, 3 changed something\n*");
  assert_text (console, "select pass, removed from steps where removed > 0",
               "*PromotePass on difference *3*GVNPass on difference *3*InstCombinePass on difference *1*");
  assert_text (console, "select op from nodes", "*ret*1 row*");
  assert_text (console, "goto 0", "*");
  assert_fails (console, "llvm nosuch", "*unknown pass name 'nosuch'*");
  assert_fails (console, "llvm 'mem2reg,,'", "*failed with status 1*");

  /* Each pass prints the function; what there is to say of it is said once, and it becomes a loop. */
  assert_text (console, open, "*");
  g_autoptr (PhReply) reply = run (console, "llvm 'default<O2>'");
  const char *problem = strstr (reply->text->str, "calls itself");

  g_assert_no_error (reply->error);
  g_assert_true (problem == NULL || strstr (problem + 1, "calls itself") == NULL);
  assert_text (console, "select count(*) as n from steps where pass like 'TailCallElimPass%' and rewrites > 0", "*1\n*");
  assert_text (console, "select count(*) as n from nodes where op = 'call'", "*0\n*");

  /* Of a loop opt prints the loop alone; where registers are numbered, the whole has to be printed once more. */
  g_assert_true (g_file_set_contents (file, loop, -1, NULL));
  assert_text (console, open, "*");
  assert_text (console, "llvm 'loop-simplify,lcssa,loop(loop-rotate)'", "*passes ran*");
  assert_text (console, "select rewrites > 0 as turned from steps where pass like 'LoopRotatePass%'", "*1\n1 row*");
  g_unlink (file);
  g_rmdir (folder);
}

int
main (int argc, char *argv[])
{
  g_autofree char *peep = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "app", "peep", NULL);

  g_test_init (&argc, &argv, NULL);
  g_setenv ("PEEP", peep, TRUE);
  g_setenv ("PEEPHOLE_PEEP", peep, TRUE);
  g_test_add_func ("/foreign/shared-object", test_shared_object);
  g_test_add_func ("/foreign/crash", test_crash);
  g_test_add_func ("/foreign/command", test_command);
  g_test_add_func ("/foreign/hostile", test_hostile);
  g_test_add_func ("/foreign/llvm", test_llvm);
  g_test_add_func ("/foreign/llvm-versions", test_llvm_versions);
  g_test_add_func ("/foreign/llvm-installed", test_llvm_installed);
  return g_test_run ();
}
