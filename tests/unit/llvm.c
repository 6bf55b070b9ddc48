/* llvm.c: tests the reader of LLVM's assembly text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/analyze/recording.h"
#include "core/graph/history.h"
#include "core/io/child.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/io/llvm/dump.h"
#include "core/io/llvm/import.h"

static PhModel *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ph_format_read_bytes (ph_format_find ("llvm"), bytes, "t.ll", NULL, error);
}

static PhModel *
read_seed (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "llvm", name, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  PhModel *model;

  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  model = read_text (text, &error);
  g_assert_no_error (error);
  return model;
}

static PhNode *
node_of (PhModel *model, const char *value)
{
  PhNode *node = ph_model_find_node_named (model, value);

  if (node == NULL)
    g_error ("there is no node that makes %s", value);
  return node;
}

static char *
attr_of (PhNode *node, const char *name)
{
  const PhAttr *attr = ph_node_attr (node, name);

  return attr != NULL ? ph_attr_value_to_string (attr) : g_strdup ("");
}

/* clang-format off */
#define ASSERT_ATTR(node, name, expected) G_STMT_START { \
  g_autofree char *_value = attr_of (node, name); \
  g_assert_cmpstr (_value, ==, expected); } G_STMT_END
/* clang-format on */

static void
test_loop (void)
{
  g_autoptr (PhModel) model = read_seed ("loop");
  PhNode *phi = node_of (model, "%i"), *next = node_of (model, "%next"), *compare = node_of (model, "%more"),
         *call = node_of (model, "%r");
  PhFunction *twice = ph_model_find_function (model, "llvm.func", "twice");

  g_assert_cmpstr (model->graph->name, ==, "main");
  g_assert_cmpuint (model->graph->inputs->len, ==, 2);
  g_assert_cmpstr (((PhValue *) model->graph->inputs->pdata[0])->name, ==, "%n");
  /* What comes from behind is said, and is no input. */
  g_assert_cmpstr (phi->op_type, ==, "phi");
  g_assert_cmpstr (phi->name, ==, "loop/%i");
  g_assert_cmpuint (phi->inputs->len, ==, 1);
  g_assert_cmpfloat (ph_tensor_get (ph_node_input (phi, 0)->tensor, 0), ==, 0);
  ASSERT_ATTR (phi, "back", "[\"%next from loop\"]");
  ASSERT_ATTR (phi, "incoming", "[\"entry\", \"loop\"]");
  g_autoptr (GPtrArray) links = ph_node_links (phi);
  g_assert_cmpuint (links->len, ==, 1);
  g_assert_true (links->pdata[0] == ph_node_output (next, 0));
  g_assert_null (ph_node_links (next));
  g_assert_true (ph_node_input (next, 0) == ph_node_output (phi, 0));
  g_assert_true (ph_node_input (compare, 0) == ph_node_output (next, 0));
  ASSERT_ATTR (next, "flags", "\"nuw nsw\"");
  ASSERT_ATTR (compare, "predicate", "\"slt\"");
  g_assert_true (ph_node_output (compare, 0)->type == ph_type_static (PH_BOOL, 0, NULL));
  /* The name of a type is no operand, and a pointer is no tensor. */
  PhNode *address = node_of (model, "%q");
  g_assert_true (ph_node_input (address, 0) == model->graph->inputs->pdata[1]);
  g_assert_true (ph_node_output (address, 0)->type == ph_type_opaque ("ptr"));
  /* A floating-point constant is the bits of a double. */
  PhNode *store = node_of (model, "store");
  g_assert_cmpfloat (ph_tensor_get (ph_node_input (store, 0)->tensor, 0), ==, 1);
  g_assert_true (ph_node_input (store, 1) == ph_node_output (address, 0));
  g_assert_cmpuint (store->control->len, >, 0);
  /* A call of what the module defines is one that opens. */
  g_assert_nonnull (twice);
  g_assert_true (ph_node_function (call) == twice);
  g_assert_cmpstr (node_of (model, "%s")->op_type, ==, "call");
  ASSERT_ATTR (node_of (model, "%s"), "callee", "\"printf\"");
  g_assert_cmpuint (node_of (model, "%s")->inputs->len, ==, 2);
  g_assert_cmpuint (model->graph->outputs->len, ==, 2); /* two returns */
  g_assert_cmpuint (call->where->line, ==, 20);
}

static void
test_kinds (void)
{
  g_autoptr (PhModel) model = read_seed ("kinds");
  gint64 two = 2;
  PhNode *landing = node_of (model, "%lp"), *invoke = node_of (model, "%4");

  g_assert_true (ph_node_output (node_of (model, "%2"), 0)->type == ph_type_static (PH_INT32, 1, &two));
  g_assert_true (ph_node_output (node_of (model, "%3"), 0)->type == ph_type_static (PH_INT32, 0, NULL));
  ASSERT_ATTR (invoke, "to", "[\"fine\", \"bad\"]");
  ASSERT_ATTR (node_of (model, "%old"), "operation", "\"add\"");
  ASSERT_ATTR (node_of (model, "%c"), "predicate", "\"olt\"");
  ASSERT_ATTR (landing, "text", "\"{ ptr, i32 } catch ptr null cleanup\"");
  g_assert_true (ph_node_input (node_of (model, "%1"), 2) == model->graph->inputs->pdata[1]);
}

/* Whatever the order of the blocks, what is used stands before its use. */
static void
test_order (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_text (
      "define i32 @f(i1 %c) {\n  br i1 %c, label %last, label %late\nlate:\n  %b = add i32 %a, 1\n  ret i32 %b\n"
      "last:\n  %a = add i32 3, 4\n  br label %late\n}\n",
      &error);

  g_assert_no_error (error);
  g_assert_true (ph_node_input (node_of (model, "%b"), 0) == ph_node_output (node_of (model, "%a"), 0));
  g_assert_true (node_of (model, "%a")->control == NULL || node_of (model, "%a")->control->len == 0);
}

static void
test_errors (void)
{
  /* clang-format off */
  static const struct { const char *text, *says; } cases[] = {
    { "define i32 @f() {\n  ret i32 0\n", "t.ll:3:1: the text ends within the function 'f', which begins in line 1" },
    { "define i32 @f() {\n  %x = \n}\n", "t.ll:2:3: " },
    { "define i32 @f(i32 %x) {\n  ret i32 (\n}\n", "t.ll:3:1: '}' closes a bracket" },
    { "; nothing\n", "no function in it has a body" },
    { "hello\n", "t.ll:1:1: here a function" },
    { "define void @f() {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\n", "t.ll:7:1: the function 'g' is defined twice" },
    { "define void @f() {\na:\n  ret void\na:\n  ret void\n}\n", "two blocks 'a'" },
    { "@x = c\"abc\n", "a string does not end" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = read_text (cases[i].text, &error);

      g_assert_null (model);
      g_assert_nonnull (error);
      if (strstr (error->message, cases[i].says) == NULL)
        g_error ("case %u: %s", i, error->message);
    }
}

/* A module of globals and declarations alone: who uses whom, in circles as well. */
static void
test_globals (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_text ("%t = type { i32 }\n@a = global ptr @b\n@b = internal constant ptr @a\n"
                                         "@\"odd name\" = alias i32, ptr @a\ndeclare i32 @f(ptr)\n!0 = !{i32 1}\n",
                                         &error),
                      metadata = NULL;
  g_autoptr (GPtrArray) links = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->n_nodes, ==, 4);
  g_assert_cmpstr (node_of (model, "@f")->op_type, ==, "declare");
  g_assert_cmpstr (node_of (model, "@odd name")->op_type, ==, "alias");
  g_assert_true (ph_node_input (node_of (model, "@odd name"), 0) == ph_node_output (node_of (model, "@a"), 0));
  g_assert_true (ph_node_input (node_of (model, "@b"), 0) == ph_node_output (node_of (model, "@a"), 0));
  links = ph_node_links (node_of (model, "@a"));
  g_assert_nonnull (links);
  g_assert_true (links->pdata[0] == ph_node_output (node_of (model, "@b"), 0));
  metadata = read_text ("!0 = !{i32 1}\n", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (metadata->graph->n_nodes, ==, 0);
}

/* An operand on a line of its own after a comma; metadata in the header of a function. */
static void
test_layouts (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_text ("define <2 x i32> @f(<2 x i32> %x) !kind !{i32 7} {\n"
                                         "  %y = shufflevector <2 x i32> %x, <2 x i32> %x,\n"
                                         "                     <2 x i32> <i32 1,\n i32 0>\n  ret <2 x i32> %y\n}\n",
                                         &error);

  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->n_nodes, ==, 2);
  g_assert_true (ph_node_input (node_of (model, "%y"), 1) == model->graph->inputs->pdata[0]);
}

/* ── dumps ── */

/* @history leads on from the model as it is, at its beginning. */
static PhModel *
open_dump (const char *text, PhHistory **history, GPtrArray *problems)
{
  g_autoptr (PhHistory) recorded = NULL;
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *path = g_build_filename (folder, "dump.txt", NULL);
  g_autoptr (GError) error = NULL;
  PhModel *model;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  model = ph_recording_open (path, &recorded, problems, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (recorded);
  *history = ph_history_new ();
  ph_history_append (*history, recorded);
  g_unlink (path);
  g_rmdir (folder);
  return model;
}

static const PhStep *
step_of (PhHistory *history, guint i)
{
  g_assert_cmpuint (i, <, history->steps->len);
  return &g_array_index (history->steps, PhStep, i);
}

static void
go (PhHistory *history, PhModel *model, PhPosition to)
{
  g_autoptr (GError) error = NULL;

  ph_history_go (history, model, to, &error);
  g_assert_no_error (error);
}

/* As the new pass manager prints it: a module, a function, a loop, what did not change, a function that goes. */
static void
test_dump (void)
{
  static const char text[]
      = "*** IR Dump At Start ***\n; ModuleID = 'm'\n\n"
        "define i32 @f(i32 %x) {\nentry:\n  br label %head\n\nhead:\n  %i = phi i32 [ 0, %entry ], [ %n, %tail ]\n  br label %tail\n\n"
        "tail:\n  %n = add i32 %i, 1\n  %c = icmp slt i32 %n, %x\n  br i1 %c, label %head, label %exit\n\nexit:\n  ret i32 %n\n}\n\n"
        "define void @g() {\n  ret void\n}\n"
        "*** IR Dump After Nothing on f omitted because no change ***\n"
        "*** IR Pass PassManager<Function> on f ignored ***\n"
        "*** IR Dump After LoopSimplifyCFGPass on loop %head in function f ***\n\n; Preheader:\nentry:\n  br label %head\n\n; Loop:\n"
        "head:                 ; preds = %head, %entry\n  %i = phi i32 [ 0, %entry ], [ %n, %head ]\n  %n = add i32 %i, 1\n"
        "  %c = icmp slt i32 %n, %x\n  br i1 %c, label %head, label %exit\n\n; Exit blocks\nexit:\n  ret i32 %n\nexit:\n  ret i32 %n\n"
        "*** IR Dump After InstCombinePass on f ***\ndefine i32 @f(i32 %x) {\nentry:\n  br label %head\n\nhead:\n"
        "  %i = phi i32 [ 0, %entry ], [ %n, %head ]\n  %n = add nuw i32 %i, 1\n  %c = icmp slt i32 %n, %x\n"
        "  br i1 %c, label %head, label %exit\n\nexit:\n  ret i32 %n\n}\n"
        "*** IR Dump After Grow on g ***\ndefine void @g() {\n  %a = alloca i32\n  store i32 7, ptr %a\n  ret void\n}\n"
        "*** IR Deleted After GlobalDCEPass on g ***\n";
  PhHistory *recorded = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = open_dump (text, &recorded, problems);
  g_autoptr (PhHistory) history = recorded;
  PhId n = ph_node_output (node_of (model, "%n"), 0)->id, add = node_of (model, "%n")->id;

  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_cmpuint (history->steps->len, ==, 5);
  g_assert_cmpstr (step_of (history, 0)->pass, ==, "Nothing on f");
  g_assert_cmpuint (step_of (history, 0)->n_rewrites, ==, 0);
  g_assert_cmpstr (step_of (history, 1)->pass, ==, "LoopSimplifyCFGPass on loop %head in function f");
  g_assert_cmpuint (model->graph->n_nodes, ==, 7);

  go (history, model, (PhPosition) { 2, 0 });
  g_assert_null (ph_model_find_value_named (model, "br.2")); /* the block that the loop lost */
  g_assert_cmpuint (model->graph->n_nodes, ==, 6);
  g_assert_true (ph_model_find_value (model, n) == ph_model_find_value_named (model, "%n")); /* what stays is the same node */
  ASSERT_ATTR (node_of (model, "%i"), "back", "[\"%n from head\"]");

  go (history, model, (PhPosition) { 3, 0 });
  g_assert_cmpuint (node_of (model, "%n")->id, ==, add);
  ASSERT_ATTR (node_of (model, "%n"), "flags", "\"nuw\"");
  /* The order of what branches is that of the last state. */
  g_assert_cmpuint (node_of (model, "ret")->control->len, ==, 1);

  go (history, model, (PhPosition) { 4, 0 });
  PhFunction *g = ph_model_find_function (model, "llvm.func", "g");
  g_assert_cmpuint (g->graph->n_nodes, ==, 3);
  g_assert_cmpuint (g->graph->last->control->len, ==, 1);
  go (history, model, (PhPosition) { 5, 0 });
  g_assert_null (ph_model_find_function (model, "llvm.func", "g"));
  go (history, model, (PhPosition) { 0, 0 });
  g = ph_model_find_function (model, "llvm.func", "g");
  g_assert_nonnull (g);
  g_assert_cmpuint (g->graph->n_nodes, ==, 1);
  g_assert_cmpuint (model->graph->n_nodes, ==, 7);
}

static gboolean
count_nodes (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  guint n = model != NULL ? model->graph->n_nodes : 0;

  for (guint i = 0; model != NULL && i < model->functions->len; i++)
    n += ((PhFunction *) model->functions->pdata[i])->graph->n_nodes;
  g_string_append_printf (data, "%s %u; ", pass != NULL ? pass : "first", n);
  g_clear_pointer (&model, ph_model_free);
  return TRUE;
}

/* A function that is as it was after the pass before is not built again; when one goes, calls of it are others, and all is. */
static void
test_dump_as_before (void)
{
  static const char text[]
      = "*** IR Dump After A on f ***\ndefine i32 @f(i32 %x) {\n  %a = add i32 %x, 1\n  ret i32 %a\n}\n"
        "*** IR Dump After A on g ***\ndefine i32 @g(i32 %x) {\n  %a = mul i32 %x, 2\n  %b = mul i32 %a, 2\n  ret i32 %b\n}\n"
        "*** IR Dump After B on g ***\ndefine i32 @g(i32 %x) {\n  %a = shl i32 %x, 2\n  ret i32 %a\n}\n"
        "*** IR Dump After C on f ***\ndefine i32 @f(i32 %x) {\n  ret i32 %x\n}\n"
        "*** IR Deleted After D on g ***\n";
  g_autoptr (GString) counts = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (ph_format_record_text (ph_format_find ("llvm-dump"), text, "dump.txt", count_nodes, counts, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (counts->str, ==, "first 5; A on f 0; A on g 0; B on g 2; C on f 1; D on g 1; ");
}

/* What a function is printed with depends on what is printed beside it: numbers of attribute groups and metadata, comments. None of that is
 * a change. */
static void
test_dump_numbers (void)
{
  static const char text[]
      = "*** IR Dump After A on [module] ***\n; ModuleID = 'm'\n\ndefine i32 @f(i32 %x) #3 {\nentry:\n"
        "  %y = call i32 @g(i32 %x) #6, !range !4\n  br label %end\n\nend:          ; preds = %entry\n  ret i32 %y\n}\n"
        "declare i32 @g(i32)\n"
        "*** IR Dump After B on f ***\n; Function Attrs: nounwind\ndefine i32 @f(i32 %x) #0 {\nentry:\n"
        "  %y = call i32 @g(i32 %x) #1, !range !0\n  br label %end\n\nend:\n  ret i32 %y\n}\n"
        "*** IR Dump After C on f ***\ndefine i32 @f(i32 %x) #2 {\nentry:\n"
        "  %y = call i32 @g(i32 7) #4, !range !1\n  br label %end\n\nend:\n  ret i32 %y\n}\n";
  PhHistory *recorded = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = open_dump (text, &recorded, problems);
  g_autoptr (PhHistory) history = recorded;

  g_assert_cmpuint (history->steps->len, ==, 3);
  g_assert_cmpuint (step_of (history, 1)->n_rewrites, ==, 0);
  g_assert_cmpuint (step_of (history, 2)->n_changed, ==, 1);
  ASSERT_ATTR (node_of (model, "%y"), "text", "\"i32 @g(i32 %1)\"");
}

/* A log that ended early: what was printed whole is the history, and it is said that there was more. */
static void
test_dump_cut (void)
{
  static const char text[] = "*** IR Dump After A on f ***\ndefine i32 @f(i32 %x) {\n  %a = add i32 %x, 1\n  ret i32 %a\n}\n"
                             "*** IR Dump After B on f ***\ndefine i32 @f(i32 %x) {\n  %a = shl i3";
  g_autoptr (GString) counts = g_string_new (NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  g_assert_true (
      ph_format_record_text (ph_format_find ("llvm-dump"), text, "dump.txt", count_nodes, counts, problems, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (counts->str, ==, "first 2; A on f 0; B on f 0; ");
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "ends within a function"));
}

/* What LLVM 20 says beyond LLVM 19; names, strings and comments stay. */
static void
test_older (void)
{
  static const char text[]
      = "define void @captures(ptr captures(none) %samesign, ptr captures(address, read_provenance) %q) \"captures(none)\" {\n"
        "  %c = icmp samesign ult i32 1, 2 ; samesign\n}\n";
  static const char older[] = "define void @captures(ptr nocapture %samesign, ptr  %q) \"captures(none)\" {\n"
                              "  %c = icmp  ult i32 1, 2 ; samesign\n}\n";
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_autofree char *out = ph_llvm_for_older (text, strlen (text), words), *same = ph_llvm_for_older (older, strlen (older), words);

  g_assert_cmpstr (out, ==, older);
  g_assert_cmpstr (same, ==, older);
  g_assert_cmpuint (words->len, ==, 2);
}

/* As -print-changed=diff prints it: bodies without headers, of passes over the module without names. */
static void
test_diff_dump (void)
{
  static const char text[]
      = "*** IR Dump After SROAPass on f ***\n \n entry:\n-  %a = add i32 %x, 0\n-  ret i32 %a\n+  ret i32 %x\n \n\n"
        "*** IR Dump After IPSCCPPass on [module] ***\n\n*** IR for function [module] ***\n \n entry:\n-  ret i32 %x\n+  ret i32 3\n \n\n";
  PhHistory *recorded = NULL;
  g_autoptr (PhModel) model = open_dump (text, &recorded, NULL);
  g_autoptr (PhHistory) history = recorded;

  g_assert_cmpuint (history->steps->len, ==, 2);
  g_assert_cmpuint (model->graph->n_nodes, ==, 2);
  g_assert_true (ph_node_input (node_of (model, "%a"), 0) == model->graph->inputs->pdata[0]);
  go (history, model, (PhPosition) { 1, 0 });
  g_assert_cmpuint (model->graph->n_nodes, ==, 1);
  go (history, model, (PhPosition) { 2, 0 });
  g_assert_cmpfloat (ph_tensor_get (ph_node_input (node_of (model, "ret"), 0)->tensor, 0), ==, 3);
}

/* Bitcode is read as its text is; without LLVM's disassembler it says what is missing. */
static void
test_bitcode (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "llvm-bitcode", "straight", NULL);
  g_autofree char *seen = g_strdup (g_getenv ("PATH")), *program = ph_child_find ("llvm-dis", 14);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) none = NULL, model = NULL;
  const PhNode *product;

  g_setenv ("PATH", "/nowhere", TRUE);
  none = ph_io_open (path, NULL, NULL, &error);
  g_setenv ("PATH", seen, TRUE);
  g_assert_null (none);
  g_assert_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "llvm-dis, which is not installed"));
  g_clear_error (&error);
  if (program == NULL)
    {
      g_test_skip ("llvm-dis is not installed: Debian has it in llvm-19");
      return;
    }
  model = ph_io_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  product = node_of (model, "%e");
  g_assert_cmpstr (product->op_type, ==, "mul");
  g_assert_true (ph_node_input (product, 0) == model->graph->inputs->pdata[0]);
}

#define COUNTER(entry)                                                                                                   \
  "define i32 @f(i32 %0) {\n" entry "  br label %3\n\n3:\n  %4 = phi i32 [ 0, %1 ], [ %5, %3 ]\n  %5 = add i32 %4, %2\n" \
  "  %6 = icmp slt i32 %5, 9\n  br i1 %6, label %3, label %7\n\n7:\n  %8 = mul i32 %5, 2\n  ret i32 %8\n}\n"

/* LLVM prints of a loop the loop alone. Where what is numbered behind it must have changed with it, that is left to the next whole function. */
static void
test_dump_loops (void)
{
  /* In the first the entry, which has no label, gives up a register; the second has one more. */
  static const char even[] = "*** IR Dump At Start ***\n; ModuleID = 'm'\n" COUNTER (
      "  %2 = add i32 %0, 1\n") "*** IR Dump After LICMPass on loop %<unnamed loop> in function f ***\n\n; Preheader:\n  %2 = add i32 %0, 3\n  br label %3\n\n; Loop:\n"
                                "3:                 ; preds = %1, %3\n  %4 = phi i32 [ 0, %1 ], [ %5, %3 ]\n  %5 = sub i32 %4, %2\n  %6 = icmp slt i32 %5, 9\n"
                                "  br i1 %6, label %3, label %7\n\n; Exit blocks\n7:                 ; preds = %3\n  %8 = mul i32 %5, 2\n  ret i32 %8\n";
  static const char odd[] = "*** IR Dump At Start ***\n; ModuleID = 'm'\n" COUNTER (
      "  %2 = add i32 %0, 1\n") "*** IR Dump After LICMPass on loop %<unnamed loop> in function f ***\n\n; Loop:\n"
                                "4:                 ; preds = %1, %4\n  %5 = phi i32 [ 0, %1 ], [ %6, %4 ]\n  %6 = add i32 %5, %3\n  %7 = icmp slt i32 %6, 9\n"
                                "  br i1 %7, label %4, label %8\n"
                                "*** IR Dump After InstCombinePass on f ***\n" COUNTER ("  %2 = add i32 %0, 2\n");
  PhHistory *recorded = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhModel) model = open_dump (even, &recorded, problems), other = NULL;
  g_autoptr (PhHistory) history = recorded, shifted = NULL;

  g_assert_cmpuint (problems->len, ==, 0);
  go (history, model, (PhPosition) { 1, 0 });
  g_assert_cmpuint (model->graph->n_nodes, ==, 8);
  g_assert_cmpstr (node_of (model, "%5")->op_type, ==, "sub");
  g_assert_true (ph_node_input (node_of (model, "%5"), 1) == ph_node_output (node_of (model, "%2"), 0));

  other = open_dump (odd, &recorded, problems);
  shifted = recorded;
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "-print-module-scope"));
  g_assert_cmpuint (shifted->steps->len, ==, 2);
  g_assert_cmpuint (step_of (shifted, 0)->n_rewrites, ==, 0);
  g_assert_cmpuint (step_of (shifted, 1)->n_rewrites, ==, 1);
}

/* The sections of functions, with the module where that was printed. */
static void
test_dump_scopes (void)
{
#define BYTES(text) g_bytes_new_static (text, strlen (text))
  g_autoptr (GBytes) functions = BYTES ("*** IR Dump At Start ***\nmodule\n*** IR Dump After SROAPass on f ***\nf\n"
                                        "*** IR Dump After LICMPass on loop %1 in function f ***\nloop\n"
                                        "*** IR Dump After InlinerPass on (f) omitted because no change ***\n"
                                        "*** IR Dump After LICMPass on loop %2 in function f omitted because no change ***\n"),
                     modules = BYTES ("*** IR Dump At Start ***\nmodule\n*** IR Dump After SROAPass on f filtered out ***\n"
                                      "*** IR Dump After LICMPass on loop %1 in function f ***\nmodule 1\n"
                                      "*** IR Dump After InlinerPass on (f) omitted because no change ***\n"
                                      "*** IR Dump After LICMPass on loop %2 in function f ***\nmodule 2\n"),
                     fewer = BYTES ("*** IR Dump At Start ***\nmodule\n*** IR Dump After SROAPass on f filtered out ***\n"),
                     other = BYTES ("*** IR Dump At Start ***\nmodule\n*** IR Dump After SROAPass on g ***\n"),
                     joined = ph_llvm_join_scopes (functions, modules), nothing = ph_llvm_join_scopes (functions, fewer),
                     neither = ph_llvm_join_scopes (fewer, other);
  g_autofree char *text = g_strndup (g_bytes_get_data (joined, NULL), g_bytes_get_size (joined));
#undef BYTES

  g_assert_cmpuint (ph_llvm_count_parts (functions), ==, 1);
  g_assert_cmpstr (text, ==,
                   "*** IR Dump At Start ***\nmodule\n*** IR Dump After SROAPass on f ***\nf\n"
                   "*** IR Dump After LICMPass on loop %1 in function f ***\nmodule 1\n"
                   "*** IR Dump After InlinerPass on (f) omitted because no change ***\n"
                   "*** IR Dump After LICMPass on loop %2 in function f ***\nmodule 2\n");
  g_assert_null (nothing);
  g_assert_null (neither);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/llvm/loop", test_loop);
  g_test_add_func ("/llvm/kinds", test_kinds);
  g_test_add_func ("/llvm/order", test_order);
  g_test_add_func ("/llvm/errors", test_errors);
  g_test_add_func ("/llvm/globals", test_globals);
  g_test_add_func ("/llvm/layouts", test_layouts);
  g_test_add_func ("/llvm/dump", test_dump);
  g_test_add_func ("/llvm/dump-as-before", test_dump_as_before);
  g_test_add_func ("/llvm/dump-numbers", test_dump_numbers);
  g_test_add_func ("/llvm/dump-cut", test_dump_cut);
  g_test_add_func ("/llvm/dump-loops", test_dump_loops);
  g_test_add_func ("/llvm/dump-scopes", test_dump_scopes);
  g_test_add_func ("/llvm/older", test_older);
  g_test_add_func ("/llvm/diff-dump", test_diff_dump);
  g_test_add_func ("/llvm/bitcode", test_bitcode);
  return g_test_run ();
}
