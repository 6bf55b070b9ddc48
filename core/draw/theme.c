/* theme.c: the colours of the picture, light, dark and in high contrast.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw.h"

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

/* Never the only sign: each comes with +, - or ~. */
PhColor
ph_theme_change (PhTheme theme, PhChange change)
{
  const gboolean dark = is_dark (theme);

  switch (change)
    {
    case PH_CHANGE_ADDED: return dark ? rgb (0x57e389, 1) : rgb (0x1f8f53, 1);
    case PH_CHANGE_REMOVED: return dark ? rgb (0xff7b72, 1) : rgb (0xc01c28, 1);
    case PH_CHANGE_CHANGED: return dark ? rgb (0xf5c211, 1) : rgb (0xb57400, 1);
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
    [PH_FAMILY_POOL] = 0x9c6b35, [PH_FAMILY_ARITHMETIC] = 0x5560b8, [PH_FAMILY_MOVEMENT] = 0x6b7480, [PH_FAMILY_CONSTANT] = 0x85838f,
    [PH_FAMILY_CONTROL] = 0x7d5036, [PH_FAMILY_FUSED] = 0x4d4b57, [PH_FAMILY_IO] = 0x3d8a6b };
  static const guint dark[PH_N_FAMILIES] = {
    [PH_FAMILY_OTHER] = 0x77757f, [PH_FAMILY_LINEAR] = 0x3f7fd2, [PH_FAMILY_ACTIVATION] = 0x9a63c4, [PH_FAMILY_NORM] = 0x23929e,
    [PH_FAMILY_POOL] = 0xab7a43, [PH_FAMILY_ARITHMETIC] = 0x6b76cf, [PH_FAMILY_MOVEMENT] = 0x75808d, [PH_FAMILY_CONSTANT] = 0x8c8a96,
    [PH_FAMILY_CONTROL] = 0x92654a, [PH_FAMILY_FUSED] = 0x63616d, [PH_FAMILY_IO] = 0x3f9473 };
  /* clang-format on */

  return rgb (is_dark (theme) ? dark[family] : light[family], 1);
}

/* Dark and blue to bright and orange: in order for the colour-blind too, and white text is read on each. */
PhColor
ph_heat_color (float heat, PhTheme theme)
{
  static const guint light[] = { 0x3b5697, 0x5a4f9e, 0x86459c, 0xb03a80, 0xcc4157, 0xcf5a1d };
  static const guint dark[] = { 0x4a67ab, 0x695eb0, 0x9553ab, 0xbe498f, 0xd85166, 0xdb6a2b };
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
  static const guint light[] = { 0x2f6fc4, 0xb3541e, 0x2f8a5b, 0x8a4fb3, 0xb0356b, 0x18828f, 0x7d6a1d, 0x5560b8 };
  static const guint dark[] = { 0x3f7fd2, 0xc0662f, 0x3c9769, 0x9a63c4, 0xc04a7d, 0x23929e, 0x8d7a2b, 0x6b76cf };

  return rgb (is_dark (theme) ? dark[name % G_N_ELEMENTS (dark)] : light[name % G_N_ELEMENTS (light)], 1);
}

PhColor
ph_none_color (PhTheme theme)
{
  return is_dark (theme) ? rgb (0x55555c, 1) : rgb (0x9a99a3, 1);
}
