/* history-verdicts.c: the foot of the list of steps: verification, its progress and its result.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "views/hand-steps.h"
#include "views/history-private.h"
#include "views/tooltip.h"
#include "views/verify-cost.h"

typedef struct
{
  guint steps, known, different, unknown, proved;
  double worst;
} Tally;

static Tally
count (PhDocument *document)
{
  PhHistory *history = ph_document_get_history (document);
  Tally tally = { 0 };

  for (guint s = 0; history && s < history->steps->len; s++)
    {
      const PhProof *proof = ph_document_get_proof (document, s);
      if (g_array_index (history->steps, PhStep, s).n_rewrites == 0)
        continue;
      tally.steps++;
      if (!proof)
        continue;
      tally.known++;
      tally.unknown += proof->verdict == PH_VERDICT_NONE || proof->verdict == PH_VERDICT_NOTHING;
      tally.proved += proof->verdict == PH_VERDICT_PROVED;
      tally.different += proof->verdict == PH_VERDICT_DIFFERENT;
      tally.worst = MAX (tally.worst, proof->max_scaled_error);
    }
  return tally;
}

static char *
text_of (PhHistoryPanel *self, const Tally *tally)
{
  if (tally->different)
    return g_strdup_printf (ngettext ("%u step differs", "%u steps differ", tally->different), tally->different);
  if (tally->known < tally->steps && ph_document_get_proves (self->document))
    return g_strdup_printf (_ ("Verifying: %u of %u steps"), tally->known, tally->steps);
  if (!ph_document_get_proves (self->document) && tally->known == 0)
    {
      g_autofree char *why = ph_document_is_open (self->document) ? ph_verify_cost (ph_document_get_model (self->document))
                                                                  : NULL;
      return why ? g_steal_pointer (&why) : g_strdup ("");
    }
  if (tally->steps == 0)
    return g_strdup ("");
  if (tally->unknown == tally->steps)
    return g_strdup (_ ("No step can be compared"));
  if (tally->known < tally->steps)
    return g_strdup_printf (_ ("%u of %u steps verified"), tally->known, tally->steps);
  if (tally->proved == tally->steps)
    return g_strdup_printf (ngettext ("%u step proved", "All %u steps proved", tally->steps), tally->steps);
  if (tally->unknown)
    return g_strdup_printf (_ ("%u of %u steps verified, nothing is shown of %u"), tally->steps - tally->unknown, tally->steps,
                            tally->unknown);
  return g_strdup_printf (_ ("%u of %u steps proved, the others agree"), tally->proved, tally->steps);
}

static gboolean
compares (PhDocument *document)
{
  guint step;

  return ph_hand_steps_find_compare (document, &step);
}

void
ph_history_update_verdicts (PhHistoryPanel *self)
{
  gboolean open = self->document && ph_document_is_open (self->document);
  Tally tally = open ? count (self->document) : (Tally) { 0 };
  g_autofree char *text = open ? text_of (self, &tally) : g_strdup ("");

  gtk_label_set_text (self->verify_text, text);
  gtk_widget_set_visible (GTK_WIDGET (self->verify_text), *text != '\0');
  ph_tooltip_set (GTK_WIDGET (self->verify_text), *text ? text : NULL);
  if (tally.different)
    gtk_widget_add_css_class (GTK_WIDGET (self->verify_text), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->verify_text), "error");
  /* A comparison of two files offers a hunt even if the models are too large to be verified automatically. */
  gtk_widget_set_visible (self->hunt_button, tally.different > 0 || (tally.known < tally.steps && compares (self->document)));
  gtk_widget_set_sensitive (GTK_WIDGET (self->verify_switch), open);
  gboolean was = self->updating;
  self->updating = TRUE;
  gtk_switch_set_active (self->verify_switch, open && ph_document_get_proves (self->document));
  self->updating = was;
}

static void
on_switched (PhHistoryPanel *self)
{
  if (self->updating || !self->document)
    return;
  ph_document_set_proves (self->document, gtk_switch_get_active (self->verify_switch));
  ph_history_update_verdicts (self);
}

void
ph_history_make_verdicts (PhHistoryPanel *self)
{
  g_signal_connect_swapped (self->verify_switch, "notify::active", G_CALLBACK (on_switched), self);
}
