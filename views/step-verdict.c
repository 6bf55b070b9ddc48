/* step-verdict.c: the verdict on a step as an icon and a line.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/step-verdict.h"

#include <glib/gi18n.h>

typedef struct
{
  const char *icon, *style;
} Look;

static const Look *
look_of (const PhProof *proof)
{
  static const Look looks[] = {
    [PH_VERDICT_NONE] = { "ph-not-compared-symbolic", "dim-label" },
    [PH_VERDICT_PROVED] = { "emblem-ok-symbolic", "success" },
    [PH_VERDICT_SAME] = { "emblem-ok-symbolic", "success" },
    [PH_VERDICT_CLOSE] = { "ph-approximately-symbolic", "success" },
    [PH_VERDICT_DIFFERENT] = { "dialog-warning-symbolic", "error" },
    [PH_VERDICT_NOTHING] = { "ph-nothing-shown-symbolic", "dim-label" },
  };

  return &looks[proof->verdict];
}

const char *
ph_verdict_icon (const PhProof *proof)
{
  return look_of (proof)->icon;
}

void
ph_verdict_style (GtkWidget *widget, const PhProof *proof)
{
  static const char *const styles[] = { "dim-label", "success", "error" };

  const char *style = proof ? look_of (proof)->style : NULL;

  /* Adding or removing a class makes GTK lay out the widget again. */
  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    if (g_strcmp0 (styles[i], style) != 0 && gtk_widget_has_css_class (widget, styles[i]))
      gtk_widget_remove_css_class (widget, styles[i]);
  if (style && !gtk_widget_has_css_class (widget, style))
    gtk_widget_add_css_class (widget, style);
}

char *
ph_verdict_text (const PhProof *proof)
{
  switch (proof->verdict)
    {
    case PH_VERDICT_PROVED: return g_strdup (_ ("Proved"));
    case PH_VERDICT_SAME: return g_strdup (_ ("The same on all that was tried"));
    case PH_VERDICT_CLOSE: return g_strdup (_ ("Equal but for rounding"));
    case PH_VERDICT_NOTHING: return g_strdup (_ ("Nothing is shown"));
    case PH_VERDICT_DIFFERENT: return g_strdup (_ ("The results differ"));
    default: return g_strdup (_ ("Not compared"));
    }
}

const char *
ph_exactness_text (PhExactness exactness)
{
  static const char *const texts[] = { N_ ("Bit-exact"), N_ ("Exact but for −0, NaN and infinities"), N_ ("Rounding may differ"),
                                       N_ ("Lossy by design") };

  return _ (texts[exactness]);
}
