/* hunt.c: from "the optimised model is wrong" to the guilty rewrite and the smallest model that shows it: each pass runs in turn.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/hunt-private.h"

#include "core/prove/hunt/runner.h"

#define REPEATS 3

PhHuntStage *
ph_hunt_stage_new (const PhPass *pass, const char *const *arguments)
{
  PhHuntStage *stage = g_new0 (PhHuntStage, 1);

  stage->pass = pass;
  stage->arguments = g_strdupv ((char **) arguments);
  return stage;
}

void
ph_hunt_stage_free (PhHuntStage *stage)
{
  g_strfreev (stage->arguments);
  g_free (stage);
}

static void
free_step (gpointer data)
{
  g_free (((PhHuntStep *) data)->name);
  g_free (data);
}

void
ph_hunt_free (PhHunt *hunt)
{
  g_ptr_array_unref (hunt->steps);
  g_clear_pointer (&hunt->nodes, g_ptr_array_unref);
  g_clear_pointer (&hunt->others, g_ptr_array_unref);
  g_clear_pointer (&hunt->reduced, ph_reduced_free);
  g_free (hunt->pass);
  g_free (hunt->command);
  g_free (hunt->file);
  g_free (hunt->rule);
  g_free (hunt->why);
  g_free (hunt->optimizer);
  g_free (hunt->rewrite);
  g_free (hunt->note);
  g_free (hunt);
}

gboolean
ph_hunting_is_over (PhHunting *self)
{
  self->hunt->stopped |= g_cancellable_is_cancelled (self->options->cancellable);
  if (*self->error != NULL || self->hunt->stopped)
    return TRUE;
  self->hunt->out_of_time |= self->deadline > 0 && g_get_monotonic_time () > self->deadline;
  return self->hunt->out_of_time;
}

void
ph_hunting_say (PhHunting *self, double fraction, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (self->options->progress == NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  self->options->progress (text, fraction, self->options->data);
}

PhFaultPass
ph_hunting_pass (PhHunting *self, const PhHuntStage *stage)
{
  return (PhFaultPass) { .pass = stage->pass,
                         .arguments = stage->arguments,
                         .allow = self->options->allow,
                         .folder = self->options->folder,
                         .rules_off = self->options->rules_off,
                         .limit = G_MAXUINT,
                         .seed = self->options->seed,
                         .runner = self->options->runner,
                         .furthest = self->furthest,
                         .closely = self->closely,
                         .cancellable = self->options->cancellable };
}

/* ── the hunt ── */

/* Repeats the comparison: it is important to know if a fault only appears one time in three before its cause is searched in the graph. */
static void
repeat (PhHunting *self, const PhHuntStage *stage)
{
  PhHunt *hunt = self->hunt;

  for (guint i = 0; hunt->reduced != NULL && !stage->only_once && i < REPEATS && !ph_hunting_is_over (self); i++)
    {
      PhFaultPass pass = ph_hunting_pass (self, stage);
      g_autoptr (PhFault) fault = ph_fault_find (&pass, hunt->reduced->model, hunt->reduced->fault->witness, FALSE, self->error);

      hunt->n_repeated++;
      hunt->n_agreeing += fault != NULL && fault->kind == hunt->kind;
    }
  if (hunt->n_agreeing == hunt->n_repeated)
    return;
  g_free (hunt->note);
  hunt->note = g_strdup_printf ("it flickers: the same model again is wrong %u times of %u", hunt->n_agreeing, hunt->n_repeated);
}

/* A program computes: is it the pass, or the program's kernel? */
static void
judge_runner (PhHunting *self)
{
  const PhReduced *reduced = self->hunt->reduced;
  g_autoptr (PhRunnerReport) report = NULL;

  if (self->options->runner == NULL || self->hunt->note != NULL || reduced->fault->after == NULL)
    return;
  report = ph_runner_judge (self->options->runner, reduced->model, reduced->fault->after, reduced->fault->witness,
                            self->options->seed, self->options->cancellable, NULL);
  if (report != NULL)
    self->hunt->note = g_strdup (report->sentence);
}

static PhHunting
hunting_new (PhModel *model, const PhHuntOptions *options, GError **error)
{
  PhHunting self = { .options = options,
                     .hunt = g_new0 (PhHunt, 1),
                     .model = model,
                     .history = ph_history_new (),
                     .furthest = PH_SAMPLE_DENSE,
                     .start = g_get_monotonic_time (),
                     .error = error };

  self.deadline = options->seconds > 0 ? self.start + (gint64) (options->seconds * G_USEC_PER_SEC) : 0;
  self.hunt->steps = g_ptr_array_new_with_free_func (free_step);
  return self;
}

static PhHunt *
hunting_end (PhHunting *self, GError *own, GError **error)
{
  g_clear_pointer (&self->values, g_hash_table_unref);
  ph_model_free (self->model);
  ph_history_free (self->history);
  self->hunt->stopped |= g_cancellable_is_cancelled (self->options->cancellable);
  self->hunt->seconds = (double) (g_get_monotonic_time () - self->start) / G_USEC_PER_SEC;
  if (own == NULL || self->hunt->found || self->hunt->stopped)
    {
      g_clear_error (&own);
      return self->hunt;
    }
  g_propagate_error (error, own);
  ph_hunt_free (self->hunt);
  return NULL;
}

static PhHuntStep *
add_step (PhHunting *self, const PhHuntStage *stage)
{
  PhHuntStep *step = g_new0 (PhHuntStep, 1);
  g_autofree char *arguments = stage->arguments == NULL  ? NULL
                               : stage->pass->takes_file ? g_path_get_basename (stage->arguments[0])
                                                         : g_strjoinv (" ", stage->arguments);

  step->name = arguments != NULL && stage->pass->takes_file ? g_strdup (arguments)
               : arguments != NULL                          ? g_strdup_printf ("%s %s", stage->pass->name, arguments)
                                                            : g_strdup (stage->pass->name);
  g_ptr_array_add (self->hunt->steps, step);
  return step;
}

PhHunt *
ph_hunt (PhModel *model, const PhHuntOptions *options, GError **error)
{
  GError *own = NULL;
  PhHunting self = hunting_new (model, options, &own);

  for (guint i = 0; i < options->stages->len && !self.hunt->found && !ph_hunting_is_over (&self); i++)
    {
      const PhHuntStage *stage = options->stages->pdata[i];
      const gint64 start = g_get_monotonic_time ();
      PhHuntStep *step = add_step (&self, stage);

      ph_hunting_say (&self, (double) i / options->stages->len, "pass %u of %u: %s", i + 1, options->stages->len, step->name);
      g_clear_pointer (&self.values, g_hash_table_unref);
      if (!ph_hunting_run_stage (&self, stage, step))
        break;
      step->seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
      if (self.hunt->found && self.hunt->reduced != NULL)
        {
          ph_hunting_name (&self, stage);
          repeat (&self, stage);
          judge_runner (&self);
        }
    }
  return hunting_end (&self, own, error);
}
