/* viewport.c: the part of a picture that a window shows: coordinates, limits, fitting, moving. No display.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/viewport.h"

#include <math.h>

#define NEAR(a, b) g_assert_cmpfloat_with_epsilon (a, b, 1e-6 * MAX (1.0, fabs ((double) (b))))

static PhViewport
viewport_of (double width, double height, double picture_width, double picture_height)
{
  PhViewport viewport;

  ph_viewport_init (&viewport);
  ph_viewport_set_window (&viewport, width, height);
  ph_viewport_set_picture (&viewport, picture_width, picture_height);
  return viewport;
}

static void
test_coordinates (void)
{
  PhViewport viewport = viewport_of (400, 300, 4000, 3000);
  const PhRect rect = { 120, 250, 40, 20 };

  ph_viewport_jump (&viewport, (PhView) { 100, 200, 2 });
  const PhRect seen = ph_viewport_seen (&viewport), window = ph_viewport_to_window (&viewport, &rect);
  const PhPoint corner = ph_viewport_to_picture (&viewport, window.x, window.y);

  NEAR (seen.x, 100);
  NEAR (seen.y, 200);
  NEAR (seen.width, 200);
  NEAR (seen.height, 150);
  NEAR (window.x, 40);
  NEAR (window.y, 100);
  NEAR (window.width, 80);
  NEAR (window.height, 40);
  NEAR (corner.x, rect.x);
  NEAR (corner.y, rect.y);
}

/* A quarter of the window always shows the picture, wherever one scrolls to. */
static void
test_limits (void)
{
  PhViewport viewport = viewport_of (400, 300, 1000, 800);

  ph_viewport_jump (&viewport, (PhView) { 1e6, -1e6, 1 });
  NEAR (viewport.at.x, 1000 - 100);
  NEAR (viewport.at.y, -225);
  NEAR (ph_viewport_clamp_zoom (&viewport, 1e9), PH_VIEW_LARGEST_ZOOM);
  /* The whole of a huge picture can be seen, and a margin around it. */
  ph_viewport_set_picture (&viewport, 4e6, 4e6);
  NEAR (ph_viewport_clamp_zoom (&viewport, 0), 0.5 * 300 / 4e6);
  ph_viewport_clear_picture (&viewport);
  ph_viewport_jump (&viewport, (PhView) { 1e6, -1e6, 1 });
  NEAR (viewport.at.x, 1e6);
}

/* The point under the pointer stays there, whatever runs. */
static void
test_zoom (void)
{
  PhViewport viewport = viewport_of (400, 300, 1000, 800);

  ph_viewport_jump (&viewport, (PhView) { 50, 60, 0.8 });
  const PhPoint before = ph_viewport_to_picture (&viewport, 130, 70);

  ph_viewport_jump (&viewport, ph_viewport_zoom_at (&viewport, 130, 70, 1.25));
  const PhPoint after = ph_viewport_to_picture (&viewport, 130, 70);

  NEAR (viewport.at.zoom, 1);
  NEAR (after.x, before.x);
  NEAR (after.y, before.y);
  /* A second notch counts from where the first one will end. */
  ph_viewport_go (&viewport, ph_viewport_zoom_at (&viewport, 130, 70, 2), 1000);
  NEAR (ph_viewport_zoom_at (&viewport, 130, 70, 2).zoom, 4);
  NEAR (viewport.at.zoom, 1);
}

static void
test_fit (void)
{
  PhViewport viewport = viewport_of (448, 348, 1000, 800);
  const PhRect wide = { 100, 100, 800, 100 }, small = { 10, 10, 20, 20 };
  PhView view = ph_viewport_fit (&viewport, &wide, 1.5);

  NEAR (view.zoom, 0.5);
  NEAR (view.x + 448 / 2 / view.zoom, 500);
  NEAR (view.y + 348 / 2 / view.zoom, 150);
  view = ph_viewport_fit (&viewport, &small, 1.5);
  NEAR (view.zoom, 1.5);
  NEAR (view.x + 448 / 2 / view.zoom, 20);
}

static void
test_show (void)
{
  PhViewport viewport = viewport_of (400, 300, 5000, 5000);
  const PhRect here = { 200, 100, 40, 20 }, right = { 900, 100, 40, 20 }, below = { 40, 700, 40, 20 }, half = { 60, 290, 40, 20 };
  const PhRect corner = { 300, 220, 40, 20 }, cover = { 280, 180, 108, 108 };
  PhView view;

  ph_viewport_jump (&viewport, (PhView) { 0, 0, 1 });
  g_assert_false (ph_viewport_show (&viewport, &here, NULL, &view));
  g_assert_true (ph_viewport_show (&viewport, &right, NULL, &view));
  NEAR (view.y, 0);
  g_assert_cmpfloat (right.x, >, view.x + 400 / 3.0 - 20);
  g_assert_cmpfloat (right.x + right.width, <, view.x + 400);
  /* Beyond the lower border, and close to the left one: the middle in both directions. */
  g_assert_true (ph_viewport_show (&viewport, &below, NULL, &view));
  NEAR (view.x, below.x - (400 - below.width) / 3);
  NEAR (view.y, below.y - 2 * (300 - below.height) / 3);
  /* Half seen, it goes no further aside than it is. */
  g_assert_true (ph_viewport_show (&viewport, &half, NULL, &view));
  NEAR (view.x, 0);
  /* Seen, but for what lies over it. */
  g_assert_false (ph_viewport_show (&viewport, &corner, NULL, &view));
  g_assert_true (ph_viewport_show (&viewport, &corner, &cover, &view));
  NEAR (view.x, corner.x - 2 * (400 - corner.width) / 3);
  NEAR (view.y, corner.y - 2 * (300 - corner.height) / 3);
  /* From afar one comes closer. */
  ph_viewport_jump (&viewport, (PhView) { 0, 0, 0.1 });
  g_assert_true (ph_viewport_show (&viewport, &here, NULL, &view));
  g_assert_cmpfloat (view.zoom, >, 0.5);
  NEAR (view.x + 400 / 2 / view.zoom, 220);
}

static void
test_beginning (void)
{
  PhViewport viewport = viewport_of (400, 300, 500, 400);

  g_assert_true (ph_viewport_opens_whole (&viewport, FALSE));
  ph_viewport_set_picture (&viewport, 1200, 9000);
  g_assert_false (ph_viewport_opens_whole (&viewport, FALSE));
  PhView view = ph_viewport_beginning (&viewport, FALSE, 700);

  NEAR (view.y, 0);
  NEAR (view.zoom, 0.8);
  NEAR (view.x, 700 - 250);
  view = ph_viewport_beginning (&viewport, FALSE, 5);
  NEAR (view.x, 0);
  view = ph_viewport_beginning (&viewport, TRUE, 8999);
  NEAR (view.x, 0);
  NEAR (view.y, 9000 - 375);
  /* A map of groups may be smaller. */
  ph_viewport_set_picture (&viewport, 1200, 1500);
  g_assert_false (ph_viewport_opens_whole (&viewport, FALSE));
  g_assert_true (ph_viewport_opens_whole (&viewport, TRUE));
}

/* It begins where it stood, moves one way, ends exactly where it was to, and then stands. */
static void
test_animation (void)
{
  PhViewport viewport = viewport_of (400, 300, 5000, 5000);
  const gint64 start = 77000;
  double zoom = 1, middle = 200;
  guint frames = 0;

  ph_viewport_jump (&viewport, (PhView) { 0, 0, 1 });
  ph_viewport_go (&viewport, (PhView) { 2000, 1000, 2 }, start);
  g_assert_true (ph_viewport_is_animated (&viewport));
  NEAR (ph_viewport_aim (&viewport).x, 2000);
  for (gint64 now = start; ph_viewport_advance (&viewport, now); now += 16000)
    {
      const double here = viewport.at.x + 200 / viewport.at.zoom;

      g_assert_cmpfloat (viewport.at.zoom, >=, zoom);
      g_assert_cmpfloat (here, >=, middle - 1e-9);
      zoom = viewport.at.zoom;
      middle = here;
      frames++;
    }
  g_assert_cmpuint (frames, ==, 14);
  g_assert_cmpfloat (viewport.at.x, ==, 2000);
  g_assert_cmpfloat (viewport.at.y, ==, 1000);
  g_assert_cmpfloat (viewport.at.zoom, ==, 2);
  g_assert_false (ph_viewport_is_moving (&viewport));
  g_assert_false (ph_viewport_advance (&viewport, start * 2));
  /* A jump ends it where it is to be. */
  ph_viewport_go (&viewport, (PhView) { 0, 0, 1 }, start);
  ph_viewport_jump (&viewport, (PhView) { 10, 20, 1 });
  g_assert_false (ph_viewport_advance (&viewport, start + 16000));
  g_assert_cmpfloat (viewport.at.x, ==, 10);
}

/* Friction ends it, after v / friction pixels; the border at once. */
static void
test_glide (void)
{
  PhViewport viewport = viewport_of (400, 300, 50000, 50000);
  gint64 now = 5000;

  ph_viewport_jump (&viewport, (PhView) { 100, 100, 2 });
  g_assert_false (ph_viewport_glide (&viewport, 3, 3, now));
  g_assert_true (ph_viewport_glide (&viewport, 1000, 0, now));
  g_assert_false (ph_viewport_is_animated (&viewport));
  do
    now += 16000;
  while (ph_viewport_advance (&viewport, now) && now < 60 * G_USEC_PER_SEC);
  g_assert_cmpint (now, <, 3 * G_USEC_PER_SEC);
  g_assert_cmpfloat_with_epsilon (viewport.at.x, 100 + 1000 / 4.0 / 2, 2);
  g_assert_cmpfloat (viewport.at.y, ==, 100);
  ph_viewport_jump (&viewport, (PhView) { -1e9, 100, 2 });
  g_assert_true (ph_viewport_glide (&viewport, -1000, 0, now));
  g_assert_false (ph_viewport_advance (&viewport, now + 16000));
  g_assert_false (ph_viewport_is_moving (&viewport));
}

/* A panel at the side, and a picture that was laid out anew: what is in the middle stays there, also of what is gone to. */
static void
test_keep (void)
{
  PhViewport viewport = viewport_of (400, 300, 5000, 5000);

  ph_viewport_jump (&viewport, (PhView) { 100, 100, 2 });
  ph_viewport_go (&viewport, (PhView) { 300, 100, 1 }, 1000);
  ph_viewport_keep_middle (&viewport, 100);
  ph_viewport_set_window (&viewport, 300, 300);
  NEAR (viewport.at.x + 300 / 2 / viewport.at.zoom, 100 + 200 / 2.0);
  NEAR (ph_viewport_aim (&viewport).x + 150, 300 + 200);
  ph_viewport_shift (&viewport, 7, -9);
  NEAR (viewport.at.y, 91);
  NEAR (ph_viewport_aim (&viewport).y, 91);
  NEAR (ph_viewport_aim (&viewport).x, 300 + 50 + 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewport/coordinates", test_coordinates);
  g_test_add_func ("/viewport/limits", test_limits);
  g_test_add_func ("/viewport/zoom", test_zoom);
  g_test_add_func ("/viewport/fit", test_fit);
  g_test_add_func ("/viewport/show", test_show);
  g_test_add_func ("/viewport/beginning", test_beginning);
  g_test_add_func ("/viewport/animation", test_animation);
  g_test_add_func ("/viewport/glide", test_glide);
  g_test_add_func ("/viewport/keep", test_keep);
  return g_test_run ();
}
