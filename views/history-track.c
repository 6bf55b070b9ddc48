/* history-track.c: maps the positions of a history to a line.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/history-track.h"

#include <glib/gi18n.h>

#define UNCHANGED       0.35 /* most length of a step without effect; together they take no more than the others */
#define LEAST_UNCHANGED 0.04
#define LEAST           1e-4 /* that is seen at most enlarged: a rewrite of 100,000 still has some pixels */

gboolean
ph_step_changed (const PhStep *step)
{
  return step->n_rewrites > 0 || step->n_added + step->n_removed + step->n_changed > 0;
}

static const PhStep *
step_at (PhHistory *history, guint step)
{
  return &g_array_index (history->steps, PhStep, step);
}

double
ph_history_track_length (const PhHistoryTrack *track)
{
  return track->ends != NULL ? track->ends[track->n_steps] : 0;
}

void
ph_history_track_read (PhHistoryTrack *track, PhHistory *history)
{
  const double old = ph_history_track_length (track);
  const gboolean whole = track->from <= 0 && track->to >= old;
  guint changed = 0;

  g_free (track->ends);
  track->n_steps = history != NULL ? history->steps->len : 0;
  track->ends = g_new0 (double, track->n_steps + 1);
  for (guint s = 0; s < track->n_steps; s++)
    changed += ph_step_changed (step_at (history, s));
  const double unchanged = CLAMP (changed / (double) MAX (track->n_steps - changed, 1), LEAST_UNCHANGED, UNCHANGED);
  for (guint s = 0; s < track->n_steps; s++)
    track->ends[s + 1] = track->ends[s] + (ph_step_changed (step_at (history, s)) ? 1 : unchanged);
  if (whole || track->from >= ph_history_track_length (track))
    {
      track->from = 0;
      track->to = ph_history_track_length (track);
    }
  track->to = MIN (track->to, ph_history_track_length (track));
}

void
ph_history_track_clear (PhHistoryTrack *track)
{
  g_clear_pointer (&track->ends, g_free);
  *track = (PhHistoryTrack) {
    NULL,
  };
}

double
ph_history_track_place (const PhHistoryTrack *track, PhHistory *history, PhPosition position)
{
  if (position.step >= track->n_steps)
    return ph_history_track_length (track);

  const guint n = step_at (history, position.step)->n_rewrites;
  const double start = track->ends[position.step];

  return n == 0 ? start : start + (track->ends[position.step + 1] - start) * position.rewrite / n;
}

guint
ph_history_track_step (const PhHistoryTrack *track, double place)
{
  guint low = 0, high = track->n_steps > 0 ? track->n_steps - 1 : 0;

  while (low < high)
    {
      const guint middle = (low + high) / 2;

      if (track->ends[middle + 1] <= place)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

PhPosition
ph_history_track_find (const PhHistoryTrack *track, PhHistory *history, double place, gboolean by_rewrite)
{
  if (track->n_steps == 0 || place <= 0)
    return (PhPosition) { 0, 0 };
  if (place >= ph_history_track_length (track))
    return (PhPosition) { track->n_steps, 0 };

  const guint step = ph_history_track_step (track, place), n = by_rewrite ? MAX (step_at (history, step)->n_rewrites, 1) : 1;
  const double inside = (place - track->ends[step]) / (track->ends[step + 1] - track->ends[step]);
  const guint rewrite = (guint) (inside * n + 0.5);

  return rewrite >= n ? (PhPosition) { step + 1, 0 } : (PhPosition) { step, rewrite };
}

void
ph_history_track_zoom (PhHistoryTrack *track, double place, double factor)
{
  const double length = ph_history_track_length (track), seen = track->to - track->from;
  const double wanted = CLAMP (seen / factor, MIN (LEAST, length), length);

  if (seen <= 0)
    return;
  track->from = place - (place - track->from) * wanted / seen;
  track->to = track->from + wanted;
  ph_history_track_pan (track, 0);
}

void
ph_history_track_pan (PhHistoryTrack *track, double by)
{
  const double length = ph_history_track_length (track), seen = track->to - track->from;

  track->from = CLAMP (track->from + by, 0, MAX (length - seen, 0));
  track->to = MIN (track->from + seen, length);
}

char *
ph_history_describe (PhHistory *history, PhPosition position, gboolean more)
{
  if (history == NULL || (position.step == 0 && position.rewrite == 0))
    return g_strdup (_ ("File"));

  const PhStep *step = step_at (history, MIN (position.rewrite > 0 ? position.step : position.step - 1, history->steps->len - 1));
  g_autofree char *at = ph_position_to_string (position);
  GString *text = g_string_new (NULL);

  g_string_printf (text, "%s %s", at, step->pass);
  if (more && position.rewrite > 0 && position.rewrite <= step->n_rewrites)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + position.rewrite - 1);

      g_string_append_printf (text, _ (", rewrite %u of %u: %s\n%s"), position.rewrite, step->n_rewrites, rewrite->rule,
                              rewrite->why);
    }
  else if (more && ph_step_changed (step))
    g_string_append_printf (text, ngettext ("\n+%u −%u ~%u in %u rewrite", "\n+%u −%u ~%u in %u rewrites", step->n_rewrites),
                            step->n_added, step->n_removed, step->n_changed, step->n_rewrites);
  else if (more)
    g_string_append (text, _ ("\nchanged nothing"));
  return g_string_free (text, FALSE);
}

PhPosition
ph_history_track_next_changed (PhHistory *history, PhPosition at, gboolean forward)
{
  PhPosition to = at;

  do
    {
      at = to;
      to = forward ? ph_history_next (history, at, FALSE) : ph_history_previous (history, at, FALSE);
    }
  while (ph_position_compare (at, to) != 0
         && !ph_step_changed (
             &g_array_index (history->steps, PhStep, MIN (forward ? to.step - 1 : to.step, history->steps->len - 1))));
  return to;
}
