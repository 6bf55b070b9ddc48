/* theme.h: the colours of a picture, light, dark and in high contrast.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/diff.h"
#include "core/scene/face.h"

G_BEGIN_DECLS

typedef enum
{
  PH_THEME_LIGHT,
  PH_THEME_DARK,
  PH_THEME_HIGH_CONTRAST,
  PH_THEME_HIGH_CONTRAST_DARK
} PhTheme;

typedef struct
{
  double red, green, blue, alpha;
} PhColor;

#define PH_CONTRAST 4.5 /* that text has at least with what it stands on (WCAG 2, level AA) */

double ph_contrast (PhColor a, PhColor b);
/* @ink, or as much darker or lighter than that as it must be to be read on @on. */
PhColor ph_readable (PhColor ink, PhColor on);
PhColor ph_theme_background (PhTheme theme);
PhColor ph_theme_accent (PhTheme theme);
PhColor ph_theme_text (PhTheme theme);
PhColor ph_theme_change (PhTheme theme, PhChange change);
PhColor ph_family_color (PhFamily family, PhTheme theme);
PhColor ph_heat_color (float heat, PhTheme theme); /* 0 cold to 1 hot */
PhColor ph_name_color (guint name, PhTheme theme); /* tells names apart; the first eight differ */
PhColor ph_none_color (PhTheme theme);             /* nothing is known */

G_END_DECLS
