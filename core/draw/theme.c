/* theme.c: the colours of the picture, light, dark and in high contrast.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw.h"

#include <math.h>

static PhColor
rgb (guint hex, double alpha)
{
  return (PhColor) { (hex >> 16 & 255) / 255.0, (hex >> 8 & 255) / 255.0, (hex & 255) / 255.0, alpha };
}

static gboolean
is_dark (PhTheme theme)
{
  return theme == PH_THEME_DARK || theme == PH_THEME_HIGH_CONTRAST_DARK;
}

static gboolean
is_contrast (PhTheme theme)
{
  return theme >= PH_THEME_HIGH_CONTRAST;
}

/* Returns the relative luminance, as defined by WCAG. */
static double
light_of (PhColor color)
{
  const double parts[] = { color.red, color.green, color.blue }, weights[] = { 0.2126, 0.7152, 0.0722 };
  double light = 0;

  for (int i = 0; i < 3; i++)
    light += weights[i] * (parts[i] <= 0.04045 ? parts[i] / 12.92 : pow ((parts[i] + 0.055) / 1.055, 2.4));
  return light;
}

double
ph_contrast (PhColor a, PhColor b)
{
  const double x = light_of (a) + 0.05, y = light_of (b) + 0.05;

  return MAX (x, y) / MIN (x, y);
}

PhColor
ph_readable (PhColor ink, PhColor on)
{
  const double end = light_of (on) > 0.179 ? 0 : 1; /* black or white, whichever contrasts more */
  PhColor color = ink;

  for (int i = 0; i < 3; i++)
    {
      double *part = i == 0 ? &color.red : i == 1 ? &color.green : &color.blue;
      const double below = i == 0 ? on.red : i == 1 ? on.green : on.blue;

      *part = below + ink.alpha * (*part - below);
    }
  color.alpha = 1;
  for (int i = 0; i < 50 && ph_contrast (color, on) < PH_CONTRAST; i++)
    {
      color.red += 0.12 * (end - color.red);
      color.green += 0.12 * (end - color.green);
      color.blue += 0.12 * (end - color.blue);
    }
  return color;
}

PhColor
ph_theme_background (PhTheme theme)
{
  switch (theme)
    {
    case PH_THEME_DARK: return rgb (0x1d1d20, 1);
    case PH_THEME_HIGH_CONTRAST: return rgb (0xffffff, 1);
    case PH_THEME_HIGH_CONTRAST_DARK: return rgb (0x000000, 1);
    case PH_THEME_LIGHT:
    default: return rgb (0xfafafb, 1);
    }
}

PhColor
ph_theme_text (PhTheme theme)
{
  if (is_contrast (theme))
    return is_dark (theme) ? rgb (0xffffff, 1) : rgb (0x000000, 1);
  return is_dark (theme) ? rgb (0xffffff, 0.92) : rgb (0x26262b, 1);
}

PhColor
ph_theme_accent (PhTheme theme)
{
  return is_dark (theme) ? rgb (0x78aeed, 1) : rgb (0x1c71d8, 1);
}

/* Returns the colour of a change, which always comes with a sign +, - or ~ too. */
PhColor
ph_theme_change (PhTheme theme, PhChange change)
{
  const gboolean dark = is_dark (theme);

  switch (change)
    {
    case PH_CHANGE_ADDED: return dark ? rgb (0x57e389, 1) : rgb (0x1a7946, 1);
    case PH_CHANGE_REMOVED: return dark ? rgb (0xff7b72, 1) : rgb (0xc01c28, 1);
    case PH_CHANGE_CHANGED: return dark ? rgb (0xf5c211, 1) : rgb (0x8f5b00, 1);
    case PH_CHANGE_NONE:
    default: return ph_theme_text (theme);
    }
}

PhColor
ph_family_color (PhFamily family, PhTheme theme)
{
  /* clang-format off */
  static const guint light[PH_N_FAMILIES] = {
    [PH_FAMILY_OTHER] = 0x6c6a75, [PH_FAMILY_LINEAR] = 0x2f6fc4, [PH_FAMILY_ACTIVATION] = 0x8a4fb3, [PH_FAMILY_NORM] = 0x18828f,
    [PH_FAMILY_POOL] = 0x9c6b35, [PH_FAMILY_ARITHMETIC] = 0x5560b8, [PH_FAMILY_MOVEMENT] = 0x6b7480, [PH_FAMILY_CONSTANT] = 0x76747f,
    [PH_FAMILY_CONTROL] = 0x7d5036, [PH_FAMILY_FUSED] = 0x4d4b57, [PH_FAMILY_IO] = 0x3a8265 };
  static const guint dark[PH_N_FAMILIES] = {
    [PH_FAMILY_OTHER] = 0x77757f, [PH_FAMILY_LINEAR] = 0x3b76c3, [PH_FAMILY_ACTIVATION] = 0x935fbb, [PH_FAMILY_NORM] = 0x1f818c,
    [PH_FAMILY_POOL] = 0x996d3c, [PH_FAMILY_ARITHMETIC] = 0x656fc3, [PH_FAMILY_MOVEMENT] = 0x6c7682, [PH_FAMILY_CONSTANT] = 0x76747e,
    [PH_FAMILY_CONTROL] = 0x92654a, [PH_FAMILY_FUSED] = 0x63616d, [PH_FAMILY_IO] = 0x388366 };
  /* clang-format on */

  return rgb (is_dark (theme) ? dark[family] : light[family], 1);
}

/* Returns a colour from dark blue to bright orange: ordered for colour-blind users too, and white text is readable on each. */
PhColor
ph_heat_color (float heat, PhTheme theme)
{
  static const guint light[] = { 0x3b5697, 0x5a4f9e, 0x86459c, 0xb03a80, 0xcc4157, 0xc2541b };
  static const guint dark[] = { 0x4a67ab, 0x695eb0, 0x9553ab, 0xbe498f, 0xc74b5e, 0xba5a25 };
  const guint *steps = is_dark (theme) ? dark : light;
  const float at = CLAMP (heat, 0, 1) * (G_N_ELEMENTS (light) - 1);
  const int low = MIN ((int) at, (int) G_N_ELEMENTS (light) - 2);
  const PhColor a = rgb (steps[low], 1), b = rgb (steps[low + 1], 1);
  const double t = at - low;

  return (PhColor) { a.red + t * (b.red - a.red), a.green + t * (b.green - a.green), a.blue + t * (b.blue - a.blue), 1 };
}

PhColor
ph_name_color (guint name, PhTheme theme)
{
  static const guint light[] = { 0x2f6fc4, 0xb3541e, 0x2d8558, 0x8a4fb3, 0xb0356b, 0x18828f, 0x7d6a1d, 0x5560b8 };
  static const guint dark[] = { 0x3b76c3, 0xb45f2c, 0x34845c, 0x935fbb, 0xc04a7d, 0x1f818c, 0x877529, 0x656fc3 };

  return rgb (is_dark (theme) ? dark[name % G_N_ELEMENTS (dark)] : light[name % G_N_ELEMENTS (light)], 1);
}

PhColor
ph_none_color (PhTheme theme)
{
  return is_dark (theme) ? rgb (0x55555c, 1) : rgb (0x757480, 1);
}
