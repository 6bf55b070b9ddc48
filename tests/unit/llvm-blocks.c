/* llvm-blocks.c: blocks of LLVM's functions: what is proved of them by running them, and how a dump's passes move and rename them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/analyze/recording.h"
#include "core/draw/draw.h"
#include "core/graph/history.h"
#include "core/io/format.h"
#include "core/prove/llvm/integers.h"
#include "core/scene/scene-read.h"

static PhModel *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ph_format_read_bytes (ph_format_find ("llvm"), bytes, "t.ll", NULL, error);
}

static void
try_pair (const char *a, const char *b, PhVerdict verdict, guint number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) before = read_text (a, &error), after = read_text (b, &error);
  const char *why = NULL;
  g_autoptr (PhTrial) trial = NULL;

  g_assert_no_error (error);
  trial = ph_integers_try (before->graph, after->graph, 1, &why);
  if ((trial != NULL ? trial->verdict : PH_VERDICT_NONE) != verdict)
    g_error ("case %u: %s", number, trial != NULL && trial->why != NULL ? trial->why : why);
}

/* ── proof ── */

/* What a function without branches returns, before and after: all of few bits proves it; poison and undefined behaviour excuse what differs,
 * and are none where there were none. */
static void
test_integers (void)
{
  /* clang-format off */
  static const struct { const char *before, *after; PhVerdict verdict; } cases[] = {
    { "%r = mul i8 %x, 2", "%r = shl i8 %x, 1", PH_VERDICT_PROVED },
    { "%r = mul i8 %x, 2", "%r = shl nsw i8 %x, 1", PH_VERDICT_DIFFERENT },
    { "%r = mul nsw i8 %x, 2", "%r = shl nsw i8 %x, 1", PH_VERDICT_PROVED },
    { "%c = add nsw i8 %x, 1\n %d = icmp sgt i8 %c, %x\n %r = select i1 %d, i8 3, i8 4", "%r = add i8 3, 0", PH_VERDICT_PROVED },
    { "%c = add i8 %x, 1\n %d = icmp sgt i8 %c, %x\n %r = select i1 %d, i8 3, i8 4", "%r = add i8 3, 0", PH_VERDICT_DIFFERENT },
    { "%r = udiv i8 %x, 4", "%r = lshr i8 %x, 2", PH_VERDICT_PROVED },
    { "%r = sdiv i8 %x, 4", "%r = ashr i8 %x, 2", PH_VERDICT_DIFFERENT },
    { "%r = sdiv exact i8 %x, 4", "%r = ashr exact i8 %x, 2", PH_VERDICT_PROVED },
    { "%r = udiv i8 7, %x", "%z = icmp ugt i8 %x, 7\n %q = udiv i8 7, %x\n %r = select i1 %z, i8 0, i8 %q", PH_VERDICT_PROVED },
    { "%p = alloca i8\n store i8 %x, ptr %p\n %v = load i8, ptr %p\n %r = xor i8 %v, %v", "%r = and i8 %x, 0", PH_VERDICT_PROVED },
    { "%w = sext i8 %x to i64\n %t = mul i64 %w, %w\n %r = trunc i64 %t to i8", "%r = mul i8 %x, %x", PH_VERDICT_PROVED },
    { "%r = add nuw i8 255, 1", "%r = add i8 %x, 1", PH_VERDICT_NOTHING },
    { "%r = call i8 @g(i8 %x)", "%r = add i8 %x, 0", PH_VERDICT_NONE },
    { "%c = icmp sgt i8 %x, 7\n %r = select i1 %c, i8 %x, i8 7", "%r = call i8 @llvm.smax.i8(i8 %x, i8 7)", PH_VERDICT_PROVED },
    { "%c = icmp sgt i8 %x, 7\n %r = select i1 %c, i8 %x, i8 7", "%r = call i8 @llvm.umax.i8(i8 %x, i8 7)", PH_VERDICT_DIFFERENT },
    { "%c = icmp ult i8 %x, 7\n %r = select i1 %c, i8 %x, i8 7", "%r = call i8 @llvm.umin.i8(i8 %x, i8 7)", PH_VERDICT_PROVED },
    { "%c = icmp slt i8 %x, 0\n %n = sub i8 0, %x\n %r = select i1 %c, i8 %n, i8 %x", "%r = call i8 @llvm.abs.i8(i8 %x, i1 false)", PH_VERDICT_PROVED },
    { "%c = icmp slt i8 %x, 0\n %n = sub i8 0, %x\n %r = select i1 %c, i8 %n, i8 %x", "%r = call i8 @llvm.abs.i8(i8 %x, i1 true)", PH_VERDICT_DIFFERENT },
    { "%a = shl i8 %x, 3\n %b = lshr i8 %x, 5\n %r = or i8 %a, %b", "%r = call i8 @llvm.fshl.i8(i8 %x, i8 %x, i8 11)", PH_VERDICT_PROVED },
    { "%a = shl i8 %x, 3\n %b = lshr i8 %x, 5\n %r = or i8 %a, %b", "%r = call i8 @llvm.fshr.i8(i8 %x, i8 %x, i8 3)", PH_VERDICT_DIFFERENT },
    { "%w = call {i8, i1} @llvm.uadd.with.overflow.i8(i8 %x, i8 100)\n %v = extractvalue {i8, i1} %w, 0\n %o = extractvalue {i8, i1} %w, 1\n %r = select i1 %o, i8 -1, i8 %v",
      "%r = call i8 @llvm.uadd.sat.i8(i8 %x, i8 100)", PH_VERDICT_PROVED },
    { "%w = call {i8, i1} @llvm.smul.with.overflow.i8(i8 %x, i8 3)\n %o = extractvalue {i8, i1} %w, 1\n %r = zext i1 %o to i8",
      "%a = add i8 %x, 42\n %o = icmp ugt i8 %a, 84\n %r = zext i1 %o to i8", PH_VERDICT_PROVED },
    { "%a = sext i8 %x to i16\n %b = sub i16 %a, 100\n %c = call i16 @llvm.smax.i16(i16 %b, i16 -128)\n %r = trunc i16 %c to i8", "%r = call i8 @llvm.ssub.sat.i8(i8 %x, i8 100)", PH_VERDICT_PROVED },
    { "%a = call i8 @llvm.ctlz.i8(i8 %x, i1 false)\n %r = lshr i8 %a, 3", "%c = icmp eq i8 %x, 0\n %r = zext i1 %c to i8", PH_VERDICT_PROVED },
    { "%r = call i8 @llvm.cttz.i8(i8 %x, i1 false)", "%r = call i8 @llvm.cttz.i8(i8 %x, i1 true)", PH_VERDICT_DIFFERENT },
    { "%a = call i8 @llvm.bitreverse.i8(i8 %x)\n %r = call i8 @llvm.ctpop.i8(i8 %a)", "%r = call i8 @llvm.ctpop.i8(i8 %x)", PH_VERDICT_PROVED },
    { "%a = zext i8 %x to i16\n %b = call i16 @llvm.bswap.i16(i16 %a)\n %c = lshr i16 %b, 8\n %r = trunc i16 %c to i8", "%r = add i8 %x, 0", PH_VERDICT_PROVED },
    { "%r = call i8 @llvm.scmp.i8.i8(i8 %x, i8 3)", "%g = icmp sgt i8 %x, 3\n %l = icmp slt i8 %x, 3\n %a = zext i1 %g to i8\n %b = zext i1 %l to i8\n %r = sub i8 %a, %b", PH_VERDICT_PROVED },
    { "%c = icmp ult i8 %x, 4\n call void @llvm.assume(i1 %c)\n %r = and i8 %x, 3", "%r = add i8 %x, 0", PH_VERDICT_PROVED },
    { "%r = call i8 @llvm.ushl.sat.i8(i8 %x, i8 1)", "%r = call i8 @llvm.uadd.sat.i8(i8 %x, i8 %x)", PH_VERDICT_PROVED },
    { "%r = call i8 @llvm.sshl.sat.i8(i8 %x, i8 1)", "%r = call i8 @llvm.sadd.sat.i8(i8 %x, i8 %x)", PH_VERDICT_PROVED },
    { "%a = add nsw i8 %x, 1\n %r = freeze i8 %a", "%a = freeze i8 %x\n %r = add i8 %a, 1", PH_VERDICT_PROVED },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *a = g_strdup_printf ("define i8 @f(i8 %%x) {\n %s\n ret i8 %%r\n}\n", cases[i].before),
                      *b = g_strdup_printf ("define i8 @f(i8 %%x) {\n %s\n ret i8 %%r\n}\n", cases[i].after);

      try_pair (a, b, cases[i].verdict, i);
    }
}

/* Branches and loops are followed; where a loop takes too many turns, nothing is said, and where only the second does, it differs. */
static void
test_control (void)
{
  static const char sum[] = "%m = and i8 %x, 7\n br label %loop\nloop:\n %i = phi i8 [ 0, %entry ], [ %j, %loop ]\n"
                            " %s = phi i8 [ 0, %entry ], [ %t, %loop ]\n %j = add i8 %i, 1\n %t = add i8 %s, %j\n"
                            " %c = icmp ult i8 %j, %m\n br i1 %c, label %loop, label %end\nend:\n ret i8 %t";
  static const char closed[] = "%m = and i8 %x, 7\n %z = icmp eq i8 %m, 0\n %n = select i1 %z, i8 1, i8 %m\n %p = add i8 %n, 1\n"
                               " %q = mul i8 %n, %p\n %r = lshr i8 %q, 1\n ret i8 %r";
  static const char swapped[]
      = "br label %loop\nloop:\n %a = phi i8 [ %x, %entry ], [ %b, %loop ]\n %b = phi i8 [ 3, %entry ], [ %a, %loop ]\n"
        " %i = phi i8 [ 0, %entry ], [ %j, %loop ]\n %j = add i8 %i, 1\n %c = icmp ult i8 %j, 3\n"
        " br i1 %c, label %loop, label %end\nend:\n ret i8 %b";
  static const char cases_of[]
      = "switch i8 %x, label %else [ i8 1, label %one\n i8 2, label %two ]\none:\n br label %end\ntwo:\n br label %end\n"
        "else:\n br label %end\nend:\n %r = phi i8 [ 10, %one ], [ 20, %two ], [ 0, %else ]\n ret i8 %r";
  static const char selects[]
      = "%a = icmp eq i8 %x, 1\n %b = icmp eq i8 %x, 2\n %c = select i1 %b, i8 20, i8 0\n %r = select i1 %a, i8 10, i8 %c\n ret i8 %r";
  static const char forever[]
      = "%c = icmp eq i8 %x, 77\n br i1 %c, label %loop, label %end\nloop:\n br label %loop\nend:\n ret i8 %x";
  static const char never[] = "%c = icmp eq i8 %x, 77\n br i1 %c, label %bad, label %end\nbad:\n unreachable\nend:\n ret i8 %x";
  static const struct
  {
    const char *before, *after;
    PhVerdict verdict;
  } cases[] = {
    { sum, closed, PH_VERDICT_PROVED },
    { closed, sum, PH_VERDICT_PROVED },
    { sum, "ret i8 %x", PH_VERDICT_DIFFERENT },
    { swapped, "ret i8 %x", PH_VERDICT_DIFFERENT },
    { swapped, "ret i8 3", PH_VERDICT_PROVED },
    { cases_of, selects, PH_VERDICT_PROVED },
    { selects, cases_of, PH_VERDICT_PROVED },
    { cases_of, "ret i8 0", PH_VERDICT_DIFFERENT },
    { forever, "ret i8 %x", PH_VERDICT_SAME },
    { "ret i8 %x", forever, PH_VERDICT_DIFFERENT },
    { never, "ret i8 %x", PH_VERDICT_PROVED },
    { "ret i8 %x", never, PH_VERDICT_DIFFERENT },
    { "ret i8 %x\ndead:\n ret i8 1", "ret i8 %x", PH_VERDICT_PROVED },
    { "%c = icmp eq i8 %x, 1\n br i1 %c, label %one, label %end\none:\n br label %end\nend:\n %r = phi i8 [ 5, %one ], [ poison, %entry ]\n ret i8 %r",
      "ret i8 5", PH_VERDICT_PROVED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *a = g_strdup_printf ("define i8 @f(i8 %%x) {\nentry:\n %s\n}\n", cases[i].before),
                      *b = g_strdup_printf ("define i8 @f(i8 %%x) {\nentry:\n %s\n}\n", cases[i].after);

      try_pair (a, b, cases[i].verdict, i);
    }
}

/* ── dumps ── */

/* @history leads on from the model as it is, at its beginning. */
static PhModel *
open_dump (const char *before, const char *after, PhHistory **history)
{
  g_autoptr (PhHistory) recorded = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *path = g_build_filename (folder, "dump.txt", NULL);
  g_autofree char *text = g_strdup_printf ("*** IR Dump At Start ***\n; ModuleID = 'm'\n%s*** IR Dump After P on f ***\n%s",
                                           before, after);
  g_autoptr (GError) error = NULL;
  PhModel *model;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  model = ph_recording_open (path, &recorded, problems, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (problems->len, ==, 0);
  *history = ph_history_new ();
  ph_history_append (*history, recorded);
  ph_history_go (*history, model, (PhPosition) { 1, 0 }, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
  return model;
}

static void
assert_attr (PhModel *model, const char *node, const char *name, const char *expected)
{
  const PhAttr *attr = ph_node_attr (ph_model_find_node_named (model, node), name);
  g_autofree char *value = attr != NULL ? ph_attr_value_to_string (attr) : g_strdup ("");

  g_assert_cmpstr (value, ==, expected);
}

static void
assert_step (PhHistory *history, guint added, guint removed, guint changed)
{
  const PhStep *step = &g_array_index (history->steps, PhStep, 0);

  g_assert_cmpuint (step->n_added, ==, added);
  g_assert_cmpuint (step->n_removed, ==, removed);
  g_assert_cmpuint (step->n_changed, ==, changed);
}

/* Registers and blocks without names count anew after one is gone: only what is gone and who read it has changed. */
static void
test_numbers (void)
{
  PhHistory *recorded = NULL;
  g_autoptr (PhModel) model = open_dump (
      "define i32 @f(i32 %0, i32 %1) {\n  %3 = add i32 %0, 0\n  %4 = icmp sgt i32 %3, 0\n  br i1 %4, label %5, label %9\n\n"
      "5:\n  %6 = phi i32 [ 0, %2 ], [ %7, %5 ]\n  %7 = add i32 %6, %1\n  %8 = icmp slt i32 %7, 90\n  br i1 %8, label %5, label %9\n\n"
      "9:\n  %10 = phi i32 [ 0, %2 ], [ %7, %5 ]\n  ret i32 %10\n}\n",
      "define i32 @f(i32 %0, i32 %1) {\n  %3 = icmp sgt i32 %0, 0\n  br i1 %3, label %4, label %8\n\n"
      "4:\n  %5 = phi i32 [ 0, %2 ], [ %6, %4 ]\n  %6 = add i32 %5, %1\n  %7 = icmp slt i32 %6, 90\n  br i1 %7, label %4, label %8\n\n"
      "8:\n  %9 = phi i32 [ 0, %2 ], [ %6, %4 ]\n  ret i32 %9\n}\n",
      &recorded);
  g_autoptr (PhHistory) history = recorded;

  assert_step (history, 0, 1, 1);
  assert_attr (model, "br", "to", "[\"5\", \"9\"]");
  assert_attr (model, "%6", "incoming", "[\"2\", \"5\"]");
  assert_attr (model, "%6", "back", "[\"%7 from 5\"]");
  assert_attr (model, "%6", "block", "");
}

/* Of instructions that look alike each is the one of its block. */
static void
test_alike (void)
{
#define TWO(one)                                                               \
  "define i32 @f(i32 %0, i1 %1) {\n  br i1 %1, label %3, label %6\n\n3:\n" one \
  "\n6:\n  %7 = mul i32 %0, 3\n  %8 = add i32 %7, 1\n"                         \
  "  ret i32 %8\n}\n"
  PhHistory *recorded = NULL;
  g_autoptr (PhModel) model = open_dump (TWO ("  %4 = mul i32 %0, 3\n  %5 = add i32 %4, 1\n  ret i32 %5\n"),
                                         "define i32 @f(i32 %0, i1 %1) {\n  br i1 %1, label %3, label %4\n\n3:\n  ret i32 %0\n\n"
                                         "4:\n  %5 = mul i32 %0, 3\n  %6 = add i32 %5, 1\n  ret i32 %6\n}\n",
                                         &recorded);
  g_autoptr (PhHistory) history = recorded;

  assert_step (history, 0, 2, 1);
  g_assert_nonnull (ph_model_find_node_named (model, "%8"));
  assert_attr (model, "br", "to", "[\"3\", \"6\"]");
#undef TWO
}

#define LOOP(before, inside)                                                        \
  "define i32 @f(i32 %n, i32 %k) {\nentry:\n" before                                \
  "  br label %loop\n\nloop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n" inside \
  "  %j = add i32 %i, %m\n  %d = icmp slt i32 %j, %n\n  br i1 %d, label %loop, label %exit\n\nexit:\n  ret i32 %j\n}\n"

/* What is hoisted out of a loop goes there and comes before it. */
static void
test_hoisted (void)
{
  PhHistory *recorded = NULL;
  g_autoptr (PhModel) model = open_dump (LOOP ("", "  %m = mul i32 %k, %k\n"), LOOP ("  %m = mul i32 %k, %k\n", ""), &recorded);
  g_autoptr (PhHistory) history = recorded;
  g_autofree char *block = ph_node_block (ph_model_find_node_named (model, "%m"));

  assert_step (history, 1, 1, 1);
  g_assert_cmpstr (block, ==, "entry");
  assert_attr (model, "%i", "back", "[\"%j from loop\"]");
  /* It is drawn in its block, not in the place of the one that it replaces. */
  {
    const PhSceneOptions options = { .by_scope = TRUE, .open = PH_OPEN_ALL };
    const PhNode *hoisted = ph_model_find_node_named (model, "%m");
    g_autoptr (GError) error = NULL;
    g_autoptr (PhScene) scene = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, &error);
    const int box = ph_scene_find (scene, hoisted->id, NULL);

    g_assert_no_error (error);
    g_assert_cmpint (box, >=, 0);
    g_assert_cmpuint (ph_scene_box (scene, box)->n_tenants, ==, 1);
    g_assert_cmpint (ph_scene_box (scene, box)->parent, >=, 0);
    g_assert_cmpint (ph_scene_box (scene, box)->parent, ==, ph_scene_find_path (scene, "entry"));
  }
}

/* Of a block that another one takes up, each instruction is what it was, in that other block. A new block with a label that another one has
 * had gets a label of its own. */
static void
test_joined (void)
{
  static const char apart[]
      = "define i32 @f(i32 %x) {\nentry:\n  %a = add i32 %x, 1\n  %b = mul i32 %a, 5\n  br label %next\n\nnext:\n"
        "  %c = xor i32 %b, 7\n  ret i32 %c\n}\n";
  static const char whole[]
      = "define i32 @f(i32 %x) {\nentry:\n  %a = add i32 %x, 1\n  %b = mul i32 %a, 5\n  %c = xor i32 %b, 7\n  ret i32 %c\n}\n";
  PhHistory *recorded = NULL;
  g_autoptr (PhModel) model = open_dump (apart, whole, &recorded), other = NULL;
  g_autoptr (PhHistory) history = recorded, back = NULL;

  g_assert_cmpuint (g_array_index (history->steps, PhStep, 0).n_added, ==, 0);
  g_assert_cmpuint (g_array_index (history->steps, PhStep, 0).n_removed, ==, 1);
  g_assert_cmpuint (model->graph->n_nodes, ==, 4);
  assert_attr (model, "%c", "block", "\"entry\"");
  other = open_dump (whole, apart, &recorded);
  back = recorded;
  g_assert_cmpuint (g_array_index (back->steps, PhStep, 0).n_added, ==, 1);
  g_assert_cmpuint (g_array_index (back->steps, PhStep, 0).n_removed, ==, 0);
  assert_attr (other, "%c", "block", "\"next\"");
  assert_attr (other, "br", "to", "[\"next\"]");
}

/* Of each group what it says at @time is true of the nodes in it, and a group without a frame lies in one that says the same. */
static void
assert_frames (PhScene *scene, int time)
{
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhTenant *tenant = ph_scene_tenant (scene, b, time);
      const PhRect *rect = &ph_scene_box (scene, b)->rect;
      const char *block = tenant != NULL ? ph_scene_face (scene, tenant, time)->block : NULL;
      PhGroupState group;

      if (block == NULL)
        continue;
      if (!ph_scene_group_at (scene, ph_scene_box (scene, b)->parent, time, &group, NULL))
        {
          g_assert_true (ph_scene_group_at (scene, ph_scene_find_path (scene, block), time, &group, NULL));
          g_assert_cmpfloat (rect->x, >=, group.rect.x);
          g_assert_cmpfloat (rect->y, >=, group.rect.y);
          g_assert_cmpfloat (rect->x + rect->width, <=, group.rect.x + group.rect.width);
          g_assert_cmpfloat (rect->y + rect->height, <=, group.rect.y + group.rect.height);
        }
      g_assert_cmpstr (group.title, ==, block);
    }
}

/* A line that ends at the border of an open group goes on from there, but for those that lead up from border to border. */
static void
assert_lines (PhScene *scene)
{
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    for (int end = 0; end < 2; end++)
      {
        const PhSceneEdge *edge = ph_scene_edge (scene, e);
        const int group = end == 0 ? edge->from : edge->to;
        const PhPoint *at = ph_scene_points (scene, edge) + (end == 0 ? 0 : edge->n_points - 1);
        gboolean found = edge->n_points == 0 || !ph_scene_box (scene, group)->open || ph_scene_box (scene, edge->source)->open;

        for (guint i = 0; i < ph_scene_n_edges (scene) && !found; i++)
          {
            const PhSceneEdge *other = ph_scene_edge (scene, i);
            const PhPoint *points = ph_scene_points (scene, other),
                          *start = points + (end == 0 && other->n_points > 0 ? other->n_points - 1 : 0);

            found = other->n_points > 0 && other->source == edge->source && (end == 0 ? other->to : other->from) == group
                    && hypotf (start->x - at->x, start->y - at->y) < 1;
          }
        if (!found)
          g_error ("a line to or from %s ends at %g, %g", ph_scene_box (scene, group)->title, at->x, at->y);
      }
}

static void
draw_all (PhScene *scene)
{
  g_autoptr (PhInk) ink = ph_ink_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 400, 400);
  cairo_t *cr = cairo_create (surface);

  for (PhSide side = PH_SIDE_BOTH; side <= PH_SIDE_AFTER; side++)
    {
      const PhDrawOptions options = { .time = side == PH_SIDE_BEFORE ? 0 : ph_scene_end (scene),
                                      .since = side == PH_SIDE_BEFORE ? ph_scene_end (scene) : 0,
                                      .side = side,
                                      .scale = 1,
                                      .clip = { 0, 0, ph_scene_width (scene), ph_scene_height (scene) } };

      ph_scene_draw (scene, cr, ink, &options);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* The frames of joined blocks are one: around all of them, or where something else stands between, joined by bands. */
static void
test_frames (void)
{
#define ENDS                                                                                                     \
  "\nleft:\n  %l = sub i32 %a, 1\n  br label %join\n\nright:\n  %r = add i32 %a, 3\n  br label %join\n\njoin:\n" \
  "  %p = phi i32 [ %l, %left ], [ %r, %right ]\n  %q = mul i32 %p, %p\n"
#define HEAD "define i32 @f(i32 %a, i1 %c) {\nentry:\n  %x = add i32 %a, 7\n  br i1 %c, label %left, label %right\n"
  static const struct
  {
    const char *before, *after, *stays, *goes;
  } cases[] = {
    { HEAD ENDS "  br label %end\n\nend:\n  %z = xor i32 %q, %x\n  ret i32 %z\n}\n",
      HEAD ENDS "  %z = xor i32 %q, %x\n  ret i32 %z\n}\n", "join", "end" },
    { "define i32 @f(i32 %n, ptr %p) {\nentry:\n  br label %head\n\nhead:\n  %i = phi i32 [ 0, %entry ], [ %j, %latch ]\n"
      "  %c = icmp slt i32 %i, %n\n  br i1 %c, label %body, label %done\n\nbody:\n  %g = getelementptr i32, ptr %p, i32 %i\n"
      "  br label %more\n\nmore:\n  %v = load i32, ptr %g\n  br label %latch\n\nlatch:\n  %s = add i32 %i, %v\n  %j = add i32 %s, 1\n"
      "  br label %head\n\ndone:\n  br label %out\n\nout:\n  ret i32 %i\n}\n",
      "define i32 @f(i32 %n, ptr %p) {\nentry:\n  br label %head\n\nhead:\n  %i = phi i32 [ 0, %entry ], [ %j, %body ]\n"
      "  %c = icmp slt i32 %i, %n\n  br i1 %c, label %body, label %done\n\nbody:\n  %g = getelementptr i32, ptr %p, i32 %i\n"
      "  %v = load i32, ptr %g\n  %s = add i32 %i, %v\n  %j = add i32 %s, 1\n  br label %head\n\ndone:\n  ret i32 %i\n}\n",
      "body", "latch" },
  };
#undef HEAD
#undef ENDS

  guint n_bands = 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint look = 0; look < 4; look++)
      {
        PhHistory *recorded = NULL;
        g_autoptr (PhModel) model = open_dump (cases[i].before, cases[i].after, &recorded);
        g_autoptr (PhHistory) history = recorded;
        const PhSceneOptions options = {
          .by_scope = TRUE, .open = PH_OPEN_ALL, .across = look % 2 == 1, .engine = look < 2 ? PH_LAYOUT_LAYERED : PH_LAYOUT_BEST
        };
        g_autoptr (GError) error = NULL;
        g_autoptr (PhScene) scene = ph_scene_new (g_steal_pointer (&model), g_steal_pointer (&history), &options, NULL, &error);
        const int stays = ph_scene_find_path (scene, cases[i].stays), goes = ph_scene_find_path (scene, cases[i].goes);
        PhGroupState was, is, other;
        const gboolean other_there = ph_scene_group_at (scene, goes, ph_scene_end (scene), &other, NULL);

        g_assert_no_error (error);
        g_assert_true (ph_scene_group_at (scene, stays, 0, &was, NULL));
        g_assert_true (ph_scene_group_at (scene, goes, 0, &was, NULL));
        g_assert_cmpstr (was.title, ==, cases[i].goes);
        g_assert_true (ph_scene_group_at (scene, stays, ph_scene_end (scene), &is, NULL));
        g_assert_cmpstr (other.title, ==, cases[i].stays);
        g_assert_true (!other_there || other.band.width > 0);
        n_bands += other_there;
        assert_frames (scene, 0);
        assert_frames (scene, ph_scene_end (scene));
        assert_lines (scene);
        draw_all (scene);
      }
  g_assert_cmpuint (n_bands, >, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/llvm-blocks/integers", test_integers);
  g_test_add_func ("/llvm-blocks/control", test_control);
  g_test_add_func ("/llvm-blocks/numbers", test_numbers);
  g_test_add_func ("/llvm-blocks/alike", test_alike);
  g_test_add_func ("/llvm-blocks/hoisted", test_hoisted);
  g_test_add_func ("/llvm-blocks/joined", test_joined);
  g_test_add_func ("/llvm-blocks/frames", test_frames);
  return g_test_run ();
}
