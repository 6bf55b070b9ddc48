/* layout.c: tests of the layout helper's client, of the helper on hostile input, and of what dot is given.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>

#include "core/layered/route.h"
#include "tests/unit/layout-sample.h"

static char *folder; /* for scripts */

/* A program in the helper's place. */
static void
use_helper (const char *script)
{
  g_autofree char *path = g_build_filename (folder, "helper", NULL), *text = g_strconcat ("#!/bin/sh\n", script, "\n", NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  g_chmod (path, 0755);
  g_setenv ("PEEPHOLE_LAYOUT", path, TRUE);
}

static char *
real_helper (void)
{
  return g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "layout-helper", "peephole-layout", NULL);
}

static void
use_real_helper (void)
{
  g_autofree char *path = real_helper ();

  g_setenv ("PEEPHOLE_LAYOUT", path, TRUE);
}

/* ── the client ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
test_dot (void)
{
  g_autoptr (PhLayout) layout = layout_sample ();
  g_autoptr (GError) error = NULL;

  use_real_helper ();
  layout->engine = PH_LAYOUT_DOT;
  g_assert_true (ph_layout_sync (layout, 20, NULL, &error));
  g_assert_no_error (error);
  layout_assert_inside (layout);
  layout_assert_apart (layout);
  g_assert_false (layout->coarse);
  g_assert_cmpfloat (layout->boxes[0].y, <, layout->boxes[1].y);
  g_assert_cmpfloat (layout->boxes[1].y, <, layout->boxes[3].y);
}

static void
test_crash (void)
{
  static const char *const scripts[] = { "kill -SEGV $$", "cat > /dev/null; kill -KILL $$", "kill -ABRT $$" };

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autoptr (PhLayout) layout = layout_random (300, 500, 1, FALSE);
      g_autoptr (GError) error = NULL;

      use_helper (scripts[i]);
      layout->engine = PH_LAYOUT_DOT;
      g_assert_false (ph_layout_sync (layout, 20, NULL, &error));
      g_assert_error (error, PH_ERROR, PH_ERROR_LAYOUT);
      g_assert_nonnull (strstr (error->message, i == 0 ? "signal 11" : i == 1 ? "signal 9" : "signal 6"));
    }
}

/* One that writes without end is ended, and not all of it is kept. */
static void
test_flood (void)
{
  static const char *const scripts[] = { "exec cat /dev/zero", "exec cat /dev/zero >&2" };

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autoptr (PhLayout) layout = layout_random (30, 50, 1, FALSE);
      g_autoptr (GError) error = NULL;

      use_helper (scripts[i]);
      layout->engine = PH_LAYOUT_DOT;
      g_assert_false (ph_layout_sync (layout, 60, NULL, &error));
      g_assert_error (error, PH_ERROR, PH_ERROR_LAYOUT);
      g_assert_nonnull (strstr (error->message, "does not end answering"));
    }
}

/* The real one, killed in the middle of a layout that would take minutes. */
static void
test_killed (void)
{
  g_autoptr (PhLayout) layout = layout_random (2000, 9000, 2, FALSE);
  g_autoptr (GError) error = NULL;
  g_autofree char *helper = real_helper (), *script = g_strdup_printf ("(sleep 0.4; kill -KILL $$) & exec %s", helper);

  use_helper (script);
  layout->engine = PH_LAYOUT_DOT;
  g_assert_false (ph_layout_sync (layout, 60, NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_LAYOUT);
  g_assert_nonnull (strstr (error->message, "signal 9"));
}

static void
test_late (void)
{
  g_autoptr (PhLayout) layout = layout_sample ();
  g_autoptr (GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();

  use_helper ("exec sleep 100");
  layout->engine = PH_LAYOUT_DOT;
  g_assert_true (ph_layout_sync (layout, 0.2, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (layout->coarse);
  layout_assert_inside (layout);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (100000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

static void
test_cancel (void)
{
  static const PhLayoutEngine engines[] = { PH_LAYOUT_DOT, PH_LAYOUT_BEST };

  for (guint i = 0; i < G_N_ELEMENTS (engines); i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (PhLayout) layout = layout_sample ();
      g_autoptr (GError) error = NULL;
      const gint64 start = g_get_monotonic_time ();
      GThread *thread;

      use_helper ("exec sleep 100");
      layout->engine = engines[i];
      thread = g_thread_new ("cancel", cancel_soon, cancellable);
      g_assert_false (ph_layout_sync (layout, 50, cancellable, &error));
      g_assert_error (error, PH_ERROR, PH_ERROR_CANCELLED);
      g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
      g_thread_join (thread);
    }
}

static void
test_garbage (void)
{
  /* clang-format off */
  static const char *const answers[] = {
    "true", "echo hello", "echo size 1 1; echo end", "cat /dev/urandom | head -c 5000", "echo size 10 10; echo b 1 1; echo b 1",
    "echo size 10 10; for i in 1 2 3 4; do echo b 1 1; done; echo e 999999999 1 1; echo end",
    "echo size 10 10; for i in 1 2 3 4; do echo b nan inf; done; echo end",
    "echo size 10 10; for i in 1 2 3 4 5; do echo b 1 1; done; echo end",
    "echo size 10 10; for i in 1 2 3 4; do echo b 1 1; done; for i in 1 2 3 4; do echo e 2 1 1 2 2; done; echo end",
    "echo 'out of luck' >&2; exit 3" };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      g_autoptr (PhLayout) layout = layout_sample ();
      g_autoptr (GError) error = NULL;
      g_autofree char *script = g_strconcat ("cat > /dev/null; ", answers[i], NULL);

      use_helper (script);
      layout->engine = PH_LAYOUT_DOT;
      g_assert_false (ph_layout_sync (layout, 20, NULL, &error));
      g_assert_error (error, PH_ERROR, PH_ERROR_LAYOUT);
    }
  g_setenv ("PEEPHOLE_LAYOUT", "/does/not/exist", TRUE);
  {
    g_autoptr (PhLayout) layout = layout_sample ();
    g_autoptr (GError) error = NULL;

    layout->engine = PH_LAYOUT_DOT;
    g_assert_false (ph_layout_sync (layout, 20, NULL, &error));
    g_assert_error (error, PH_ERROR, PH_ERROR_LAYOUT);
    g_assert_nonnull (strstr (error->message, "PEEPHOLE_LAYOUT"));
  }
}

/* What the window asks for: whatever becomes of the helper, there is a picture, and soon. */
static void
test_recovers (void)
{
  g_autofree char *helper = real_helper ();
  g_autoptr (GPtrArray) scripts = g_ptr_array_new_with_free_func (g_free);
  /* clang-format off */
  static const char *const broken[] = {
    "kill -SEGV $$", "cat > /dev/null; kill -KILL $$", "exec sleep 100", "echo size 10 10; exec sleep 100",
    "cat /dev/urandom | head -c 50000", "echo size 1 1; echo end", "exit 3", "head -c 50000000 /dev/zero"
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (broken); i++)
    g_ptr_array_add (scripts, g_strdup (broken[i]));
  for (int ms = 0; ms < 60; ms += 6) /* killed while it starts, reads, works, writes */
    g_ptr_array_add (scripts, g_strdup_printf ("(sleep 0.%03d; kill -KILL $$) & exec %s", ms, helper));
  g_ptr_array_add (scripts, g_strdup_printf ("exec %s", helper));
  for (guint i = 0; i < scripts->len; i++)
    {
      g_autoptr (PhLayout) layout = layout_random (120, 160, i, FALSE);
      g_autoptr (GError) error = NULL;
      const gint64 start = g_get_monotonic_time ();

      use_helper (scripts->pdata[i]);
      layout->engine = PH_LAYOUT_BEST;
      /* One that sleeps sleeps longer than any patience. */
      g_assert_true (ph_layout_sync (layout, strstr (scripts->pdata[i], "sleep 100") != NULL ? 0.1 : 1, NULL, &error));
      g_assert_no_error (error);
      layout_assert_inside (layout);
      layout_assert_apart (layout);
      g_assert_cmpint (g_get_monotonic_time () - start, <, 10 * G_USEC_PER_SEC);
    }
  g_setenv ("PEEPHOLE_LAYOUT", "/does/not/exist", TRUE);
  {
    g_autoptr (PhLayout) layout = layout_random (60, 80, 1, FALSE);

    layout->engine = PH_LAYOUT_BEST;
    g_assert_true (ph_layout_sync (layout, 1, NULL, NULL));
    layout_assert_inside (layout);
  }
}

/* ── the helper ─────────────────────────────────────────────────────────────────────────────────────────────────── */

#define HEAD "peephole-layout 2 0\n"

/* 0 or 2, never a signal. */
static int
feed_helper (const char *text, gsize size)
{
  g_autofree char *path = real_helper ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) helper = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error, path, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, size);

  g_assert_no_error (error);
  signal (SIGPIPE, SIG_IGN);
  g_subprocess_communicate (helper, bytes, NULL, NULL, NULL, NULL);
  g_subprocess_wait (helper, NULL, NULL);
  g_assert_true (g_subprocess_get_if_exited (helper));
  return g_subprocess_get_exit_status (helper);
}

static void
test_hostile (void)
{
  /* clang-format off */
  static const char *const inputs[] = {
    "", "\n", "hello\n", "peephole-layout 1 0\n", "peephole-layout 2\n", "peephole-layout 2 -1\n", HEAD "dot -1 0\nend\n",
    HEAD "dot 99999999999 0\nend\n", HEAD "pdf 0 0\nend\n", HEAD "dot 1 0\nb nan 1 -1\nend\n", HEAD "dot 1 0\nb 1e300 1 -1\nend\n",
    HEAD "dot 1 0\nb -1 1 -1\nend\n", HEAD "dot 1 0\nb 0 0 -1\nend\n", HEAD "dot 1 0\nb 1 1 2\nend\n", HEAD "dot 1 1\nb 1 1 -1\ne 0 1 1 1 0 0 0\nend\n",
    HEAD "dot 1 1\nb 1 1 -1\ne -1 0 1 1 0 0 0\nend\n", HEAD "dot 1 0\nb 1 1 -1\nb 1 1 -1\nend\n", HEAD "dot 2 0\nb 1 1 -1\nend\n",
    HEAD "dot 1 0\nb 1 1 -1\n", HEAD "dot 0 0\no nslimit 1;2\nend\n", HEAD "dot 0 0\no imagepath /etc\nend\n", HEAD "dot 0 0\no splines",
    HEAD "dot 0 0\nx\nend\n", HEAD "dot 1 1\nb 1 1 -1\ne 0 0 99999999 1 0 0 0\nend\n", HEAD "dot 1 1\nb 9 9 -1\ne 0 0 1 1 3 99 0\nend\n",
    HEAD "dot 1 0\nb 1 1 -1\ns 0 1 1\nend\n", HEAD "dot 1 1\nb 1 1 -1\ne 0.5 0 1 1 0 0 0\nend\n", HEAD "route 1 0\nb 1 1 0 1 0\nend\n",
    HEAD "route 1 1\nb 1 1 1 1 0\nl 0 0 4 1 1 1 1 1 1\nend\n", HEAD "route 1 1\nb 1 1 1 1 0\nl 0 1 4 1 1 1 1 1 1 1 1\nend\n",
    HEAD "route 1 1\nl 0 0 4 1 1 1 1 1 1 1 1\nb 1 1 1 1 0\nend\n", HEAD "route 1 1\nb 1 1 1 1 0\nend\n" };
  /* clang-format on */
  static const char *const loop = HEAD "dot 1 1\nb 1 1 -1\ne 0 0 1 1 0 0 0\nend\n";
  g_autoptr (GString) line = g_string_new (HEAD "dot 0 0\n");
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    g_assert_cmpint (feed_helper (inputs[i], strlen (inputs[i])), ==, 2);
  for (int i = 0; i < 100000; i++)
    g_string_append_c (line, 'b');
  g_assert_cmpint (feed_helper (line->str, line->len), ==, 2);
  g_assert_cmpint (feed_helper (HEAD "dot 0 0\nend\n", strlen (HEAD "dot 0 0\nend\n")), ==, 0);
  g_assert_cmpint (feed_helper (loop, strlen (loop)), ==, 0); /* a loop */

  /* Good text with a few bytes changed: laid out, or refused. */
  for (int i = 0; i < 60; i++)
    {
      char text[] = HEAD
          "dot 4 4\no nslimit 1\nb 80 40 0\nb 80 40 0\nb 80 40 1\nb 80 40 1\ne 0 1 1 1 6 0 9\ne 0 2 1 1 0 0 0\ne 1 3 1 1 0 0 0\n"
          "e 2 3 1 1 4 0 0\ns 0 1 1\nend\nroute 3 1\nb 50 20 40 20 0\nb 50 100 40 20 5\nb 50 200 40 20 0\n"
          "l 0 2 4 50 30 50 90 50 150 50 190\nend\n";
      int status;

      for (int k = g_rand_int_range (rand, 1, 5); k > 0; k--)
        text[g_rand_int_range (rand, sizeof HEAD - 1, sizeof text - 1)]
            = g_rand_int_range (rand, 0, 4) == 0 ? g_rand_int_range (rand, 0, 256)
                                                 : "0123456789 .-e\nb"[g_rand_int_range (rand, 0, 16)];
      status = feed_helper (text, sizeof text - 1);
      g_assert_true (status == 0 || status == 2);
    }
}

/* ── what dot is fed ────────────────────────────────────────────────────────────────────────────────────────────── */

/* A diamond beside a long line: as few crossings, no line over a box, not larger: dot's is taken. */
static void
test_best (void)
{
  g_autoptr (PhLayout) layout = layout_sample ();

  use_real_helper ();
  layout->engine = PH_LAYOUT_BEST;
  g_assert_true (ph_layout_sync (layout, 20, NULL, NULL));
  g_assert_cmpint (layout->engine, ==, PH_LAYOUT_DOT);
  g_assert_null (layout->reason);
  g_assert_true (layout->own.there && layout->dot.there);
  layout_assert_apart (layout);
  /* What it cannot do it is not asked: columns, very many boxes. */
  {
    g_autoptr (PhLayout) folded = layout_random (40, 39, 1, FALSE), large = layout_random (PH_LAYOUT_DOT_MAX + 1, 800, 1, FALSE);

    use_helper ("touch \"$0.asked\"; exit 1");
    folded->fold = 2;
    for (guint e = 0; e < large->n_edges; e++) /* chains: no line runs over a box, so nothing is to be led around one */
      {
        large->edges[e].from = MIN (e, large->n_boxes - 2);
        large->edges[e].to = large->edges[e].from + 1;
        if (e < folded->n_edges)
          folded->edges[e] = large->edges[e];
      }
    g_assert_true (ph_layout_sync (folded, 20, NULL, NULL));
    g_assert_cmpstr (folded->reason, ==, "columns");
    g_assert_true (ph_layout_sync (large, 20, NULL, NULL));
    g_assert_cmpint (large->engine, ==, PH_LAYOUT_LAYERED);
    {
      g_autofree char *asked = g_build_filename (folder, "helper.asked", NULL);

      g_assert_false (g_file_test (asked, G_FILE_TEST_EXISTS));
    }
  }
}

/* A recurrence unrolled: each turn reads the input that all read, and the state of the turn before. In layers of dot's own choice its
 * picture is far wider than ours; in ours it is narrower. */
static void
test_own_layers (void)
{
  enum
  {
    TURNS = 4,
    EACH = 5
  };
  g_autoptr (PhLayout) layout = ph_layout_new (1 + TURNS * EACH, TURNS * (EACH + 1));
  guint n = 0;

  use_real_helper ();
  layout->boxes[0] = (PhLayoutBox) { .width = 77, .height = 48 };
  for (guint t = 0; t < TURNS; t++)
    {
      const guint slice = 1 + t * EACH, product = slice + 1, state = slice + 2, sum = slice + 3, tanh = slice + 4;
      const guint ends[][2] = { { 0, slice },   { slice, product }, { product, sum },
                                { state, sum }, { sum, tanh },      { tanh, tanh + 3 } };

      for (guint k = 0; k < EACH; k++)
        layout->boxes[slice + k] = (PhLayoutBox) { .width = k == 1 || k == 2 ? 133 : 64,
                                                   .height = k == 0  ? 64
                                                             : k < 3 ? 80
                                                                     : 48 };
      for (guint k = 0; k < G_N_ELEMENTS (ends) - (t + 1 == TURNS); k++, n++)
        {
          layout->edges[n].from = ends[k][0];
          layout->edges[n].to = ends[k][1];
        }
    }
  layout->n_edges = n;
  layout->engine = PH_LAYOUT_BEST;
  g_assert_true (ph_layout_sync (layout, 20, NULL, NULL));
  g_assert_cmpint (layout->engine, ==, PH_LAYOUT_DOT);
  g_assert_cmpfloat (layout->dot.width, <, layout->own.width);
  g_assert_cmpuint (layout->dot.over, ==, 0);
  layout_assert_apart (layout);
}

/* The first operand of what is no commutative operator is the left one, the pills' box is entered in the middle of its card. */
static void
test_ports (void)
{
  g_autoptr (PhLayout) layout = layout_sample ();
  const PhLayoutEdge *left, *right;

  use_real_helper ();
  layout->engine = PH_LAYOUT_DOT;
  layout->boxes[3].width = 120;
  layout->boxes[3].anchor = 20;
  layout->edges[2].to_dx = layout->edges[3].to_dx = 20;
  layout->edges[2].operand = 1;
  layout->edges[2].ordered = layout->edges[3].ordered = TRUE;
  g_assert_true (ph_layout_sync (layout, 20, NULL, NULL));
  left = &layout->edges[3];
  right = &layout->edges[2];
#define TIP(edge) g_array_index (layout->points, PhPoint, (edge)->first_point + (edge)->n_points - 1)
  g_assert_cmpfloat (TIP (left).x + 10, <, TIP (right).x);
  g_assert_cmpfloat_with_epsilon ((TIP (left).x + TIP (right).x) / 2, layout->boxes[3].x + 20, 1);
  g_assert_cmpfloat_with_epsilon (TIP (left).y, layout->boxes[3].y - 20, 1);
}

/* A long chain, each box of which reads one more: it runs straight down, it does not go aside by half an operand at each of them. */
static void
test_drift (void)
{
  const guint n = 80;
  g_autoptr (PhLayout) layout = ph_layout_new (2 * n, 2 * n - 1);

  use_real_helper ();
  layout->engine = PH_LAYOUT_BEST;
  for (guint e = 0; e < layout->n_edges; e++)
    layout->edges[e] = (PhLayoutEdge) { e < n ? n + e : e - n, e < n ? e : e - n + 1, .presence = PH_PRESENCE,
                                        .min_length = 1,       .operand = e < n,      .ordered = TRUE };
  for (guint b = 0; b < layout->n_boxes; b++)
    layout->boxes[b] = (PhLayoutBox) { .width = 100, .height = 48 };
  g_assert_true (ph_layout_sync (layout, 20, NULL, NULL));
  g_assert_cmpint (layout->engine, ==, PH_LAYOUT_DOT);
  g_assert_cmpfloat (layout->width, <, 300);
}

/* 0 feeds 1, 2 and 3, which feed 4, which feeds 5; 0, 4 and 5 stand at the left. */
static PhLayout *
leaning_layout (void)
{
  static const guint ends[7][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 4 }, { 2, 4 }, { 3, 4 }, { 4, 5 } };
  static const PhPoint places[6] = { { 50, 20 }, { 50, 120 }, { 150, 120 }, { 250, 120 }, { 50, 220 }, { 50, 320 } };
  PhLayout *layout = ph_layout_new (6, 7);

  layout->width = 300;
  layout->height = 340;
  for (guint b = 0; b < 6; b++)
    layout->boxes[b] = (PhLayoutBox) { .width = 60, .height = 40, .x = places[b].x, .y = places[b].y };
  for (guint e = 0; e < 7; e++)
    {
      PhLayoutEdge *edge = &layout->edges[e];
      const PhPoint a = places[ends[e][0]], b = places[ends[e][1]];

      edge->from = ends[e][0];
      edge->to = ends[e][1];
      edge->first_point = layout->points->len;
      ph_route_add (layout, edge, a.x, a.y + 20);
      ph_route_add (layout, edge, a.x, a.y + 40);
      ph_route_add (layout, edge, b.x, b.y - 40);
      ph_route_add (layout, edge, b.x, b.y - 20);
    }
  return layout;
}

static void
test_center (void)
{
  g_autoptr (PhLayout) layout = leaning_layout (), blocked = leaning_layout ();

  ph_layout_center_ends (layout);
  g_assert_cmpfloat_with_epsilon (layout->boxes[0].x, 150, 0.5);
  g_assert_cmpfloat_with_epsilon (layout->boxes[4].x, 150, 0.5);
  g_assert_cmpfloat_with_epsilon (layout->boxes[5].x, 150, 0.5);
  g_assert_cmpuint (ph_layout_crossings (layout).n, ==, 0);
  g_assert_cmpuint (ph_layout_overruns (layout, NULL), ==, 0);
  for (guint e = 0; e < layout->n_edges; e++)
    {
      const PhLayoutEdge *edge = &layout->edges[e];
      const PhPoint *points = &g_array_index (layout->points, PhPoint, edge->first_point);

      g_assert_cmpfloat (fabsf (points[0].x - layout->boxes[edge->from].x), <=, 30);
      g_assert_cmpfloat (fabsf (points[edge->n_points - 1].x - layout->boxes[edge->to].x), <=, 30);
    }
  /* What would lie upon another stays: 3 stands beside 4 here. */
  blocked->boxes[3].y = 220;
  blocked->boxes[3].x = 190;
  ph_layout_center_ends (blocked);
  g_assert_cmpfloat (blocked->boxes[4].x, ==, 50);
}

/* A forward chain 0 1 2 and its backward one 3 4 5, which runs upwards: each beside what it differentiates. */
static void
test_halves (void)
{
  g_autoptr (PhLayout) layout = ph_layout_new (6, 7);
  static const guint ends[7][2] = { { 0, 1 }, { 1, 2 }, { 4, 3 }, { 5, 4 }, { 2, 3 }, { 1, 4 }, { 0, 5 } };

  use_real_helper ();
  for (guint b = 0; b < 6; b++)
    layout->boxes[b] = (PhLayoutBox) { .width = 60, .height = 40, .column = b / 3 };
  for (guint e = 0; e < 7; e++)
    {
      layout->edges[e].from = ends[e][0];
      layout->edges[e].to = ends[e][1];
      if (e >= 4)
        layout->edges[e].presence = layout->edges[e].min_length = 0;
    }
  layout->engine = PH_LAYOUT_BEST;
  g_assert_true (ph_layout_sync (layout, 20, NULL, NULL));
  g_assert_cmpint (layout->engine, ==, PH_LAYOUT_DOT);
  g_assert_cmpuint (ph_layout_off_row (layout), ==, 0);
  for (guint b = 0; b < 3; b++)
    for (guint other = 3; other < 6; other++)
      g_assert_cmpfloat (layout->boxes[b].x + 60, <=, layout->boxes[other].x);
  layout_assert_apart (layout);
  layout->boxes[4].y += 10;
  g_assert_cmpuint (ph_layout_off_row (layout), ==, 1);
}

/* A line straight through two boxes is led around them, others stay as they are; without a helper all stay. */
static void
test_around (void)
{
  g_autoptr (PhLayout) layout = ph_layout_new (4, 2);
  g_autoptr (GArray) over = g_array_new (FALSE, FALSE, sizeof (guint));
  PhPoint last;

  for (guint b = 0; b < 4; b++)
    layout->boxes[b] = (PhLayoutBox) { .width = 60, .height = 40, .x = 100, .y = 50 + 100 * b };
  layout->width = 200;
  layout->height = 400;
  for (guint e = 0; e < 2; e++)
    {
      PhLayoutEdge *edge = &layout->edges[e];

      edge->to = e == 0 ? 3 : 1;
      edge->first_point = layout->points->len;
      ph_route_add (layout, edge, 100, 70);
      ph_route_curve (layout, edge, 100, layout->boxes[edge->to].y - 20);
    }
  g_assert_cmpuint (ph_layout_overruns (layout, over), ==, 2);
  g_assert_cmpuint (over->len, ==, 1);
  g_setenv ("PEEPHOLE_LAYOUT", "/does/not/exist", TRUE);
  ph_layout_lead_around (layout, NULL);
  g_assert_cmpuint (ph_layout_overruns (layout, NULL), ==, 2);
  use_helper ("echo l 4 1 2 3");
  ph_layout_lead_around (layout, NULL);
  g_assert_cmpuint (ph_layout_overruns (layout, NULL), ==, 2);
  use_real_helper ();
  ph_layout_lead_around (layout, NULL);
  g_assert_cmpuint (ph_layout_overruns (layout, NULL), ==, 0);
  last = g_array_index (layout->points, PhPoint, layout->edges[0].first_point + layout->edges[0].n_points - 1);
  g_assert_cmpfloat_with_epsilon (last.x, 100, 0.1);
  g_assert_cmpfloat_with_epsilon (last.y, 330, 0.1);
  g_assert_cmpuint (layout->edges[1].n_points, ==, 4);
}

/* Each of Graphviz's engines gives a picture. */
static void
test_engines (void)
{
  use_real_helper ();
  for (PhLayoutEngine engine = PH_LAYOUT_BEST; engine < PH_N_LAYOUT_ENGINES; engine++)
    {
      g_autoptr (PhLayout) layout = layout_random (20, 24, 3, FALSE);
      g_autoptr (GError) error = NULL;
      PhLayoutEngine found = PH_LAYOUT_BEST;

      layout->engine = engine;
      g_assert_true (ph_layout_sync (layout, 20, NULL, &error));
      g_assert_no_error (error);
      g_test_message ("%s", ph_layout_engine_name (engine));
      layout_assert_inside (layout);
      layout_assert_apart (layout);
      g_assert_true (ph_layout_engine_find (ph_layout_engine_name (engine), &found) && found == engine);
    }
  g_assert_false (ph_layout_engine_find ("ink", &(PhLayoutEngine) { 0 }));
}

int
main (int argc, char *argv[])
{
  g_autofree char *script = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("peephole-layout-XXXXXX", NULL);
  g_test_add_func ("/layout/dot", test_dot);
  g_test_add_func ("/layout/crash", test_crash);
  g_test_add_func ("/layout/flood", test_flood);
  g_test_add_func ("/layout/killed", test_killed);
  g_test_add_func ("/layout/late", test_late);
  g_test_add_func ("/layout/cancel", test_cancel);
  g_test_add_func ("/layout/garbage", test_garbage);
  g_test_add_func ("/layout/recovers", test_recovers);
  g_test_add_func ("/layout/hostile", test_hostile);
  g_test_add_func ("/layout/best", test_best);
  g_test_add_func ("/layout/own-layers", test_own_layers);
  g_test_add_func ("/layout/ports", test_ports);
  g_test_add_func ("/layout/drift", test_drift);
  g_test_add_func ("/layout/center", test_center);
  g_test_add_func ("/layout/halves", test_halves);
  g_test_add_func ("/layout/around", test_around);
  g_test_add_func ("/layout/engines", test_engines);
  status = g_test_run ();
  script = g_build_filename (folder, "helper", NULL);
  g_remove (script);
  g_rmdir (folder);
  g_free (folder);
  return status;
}
