/* number.c: numbers as text, the same in every locale.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/number.h"

#include <math.h>
#include <string.h>

void
ph_number_append (GString *out, const char *format, double value)
{
  char text[512]; /* of 1e308 with %f, and some digits */

  g_string_append (out, g_ascii_formatd (text, sizeof text, format, value));
}

char *
ph_number_to_string (const char *format, double value)
{
  GString *out = g_string_new (NULL);

  ph_number_append (out, format, value);
  return g_string_free (out, FALSE);
}

char *
ph_number_brief (double value)
{
  char *text;
  gsize n;

  if (!isfinite (value) || (value != 0 && (fabs (value) < 1e-3 || fabs (value) >= 1e6)))
    return ph_number_to_string ("%.3g", value);
  text = ph_number_to_string ("%.3f", value);
  for (n = strlen (text); text[n - 1] == '0'; n--)
    ;
  text[text[n - 1] == '.' ? n - 1 : n] = '\0';
  return text;
}

char *
ph_size_to_string (guint64 bytes)
{
  static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
  GString *out = g_string_new (NULL);
  double value = (double) bytes;
  guint unit = 0;

  if (bytes < 1024)
    g_string_append_printf (out, "%u bytes", (guint) bytes);
  else
    {
      for (value /= 1024; value >= 1024; value /= 1024)
        unit++;
      ph_number_append (out, "%.1f", value);
      g_string_append_printf (out, " %s", units[unit]);
    }
  return g_string_free (out, FALSE);
}
