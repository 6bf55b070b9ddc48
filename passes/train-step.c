/* train-step.c: adds a training step, which moves each weight against its gradient.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/autodiff.h"

#include "core/ops/grad.h"
#include "core/ops/parameter.h"

/*   W ──► forward, backward ──► grad_W ──► Mul (learning_rate) ──► Sub (W, ..) ──► W_new
 *
 * Arguments: sgd, momentum or adam, then the default of learning_rate. For each weight W with a gradient `grad_W` among the outputs
 * (made by autodiff), W becomes an input with its value as the default, and W_new a new output. The state of the optimizer,
 * W_momentum or W_mean and W_square, becomes inputs with zeros as defaults, and outputs with the suffix _new. Feeding the outputs
 * NAME_new to the inputs NAME gives the next step. The result is plain ONNX.
 *
 *   sgd        w' = w - r g
 *   momentum   m' = 0.9 m + g              w' = w - r m'
 *   adam       m' = 0.9 m + 0.1 g          v' = 0.999 v + 0.001 g^2          t' = t + 1
 *              w' = w - r (m' / (1 - 0.9^t')) / (sqrt (v' / (1 - 0.999^t')) + 1e-8)                      */

typedef struct
{
  PhModel *model;
  PhBuilder b;
  PhValue *rate, *turn;
  PhId first_of_run;
} Step;

static PhValue *
number (Step *step, PhValue *like, double value)
{
  return ph_build_scalar (&step->b, like->type->dtype, value);
}

/* Adds an input of @tensor's type with it as the default. */
static PhValue *
add_input (Step *step, const char *name, PhTensor *tensor)
{
  return ph_graph_add_input (step->model->graph, ph_model_unique_name (step->model, name), ph_type_of_tensor (tensor), tensor,
                             G_MAXUINT, &step->b.error);
}

/* Adds an optimizer state for @weight, initially zeros. */
static PhValue *
add_state (Step *step, PhValue *weight, const char *what)
{
  g_autofree char *name = g_strconcat (weight->name, "_", what, NULL);
  g_autoptr (PhTensor) zeros = ph_tensor_new (weight->type->dtype, ph_tensor_rank (weight->tensor),
                                              ph_tensor_dims (weight->tensor));

  return add_input (step, name, zeros);
}

/* Makes @value the input @of of the next run. */
static void
add_next (Step *step, PhValue *of, PhValue *value)
{
  g_autofree char *name = g_strconcat (of->name, "_new", NULL);

  if (value == NULL || step->b.error != NULL)
    return;
  if (ph_autodiff_claim_name (step->model, value, name, step->first_of_run, &step->b.error))
    ph_graph_set_output (step->model->graph, step->model->graph->outputs->len, value, &step->b.error);
}

/* a x + b y */
static PhValue *
mix (Step *step, double a, PhValue *x, double b, PhValue *y)
{
  PhBuilder *builder = &step->b;

  if (x == NULL || y == NULL)
    return NULL;
  return PH_BUILD (builder, Add, PH_BUILD (builder, Mul, x, number (step, x, a)),
                   b == 1 ? y : PH_BUILD (builder, Mul, y, number (step, y, b)));
}

static PhValue *
move_by (Step *step, PhValue *weight, PhValue *direction)
{
  PhBuilder *b = &step->b;

  if (direction == NULL)
    return NULL;
  return PH_BUILD (b, Sub, weight, PH_BUILD (b, Mul, ph_build_as (b, step->rate, weight->type->dtype), direction));
}

static PhValue *
step_sgd (Step *step, PhValue *weight, PhValue *gradient)
{
  return move_by (step, weight, gradient);
}

static PhValue *
step_momentum (Step *step, PhValue *weight, PhValue *gradient)
{
  PhValue *momentum = add_state (step, weight, "momentum"), *next = mix (step, 0.9, momentum, 1, gradient);

  add_next (step, momentum, next);
  return move_by (step, weight, next);
}

/* Builds @value / (1 - decay^t), which corrects the bias towards the initial zeros. */
static PhValue *
unbias (Step *step, PhValue *value, double decay)
{
  PhBuilder *b = &step->b;

  if (value == NULL || step->turn == NULL)
    return NULL;
  PhValue *turn = ph_build_as (b, step->turn, value->type->dtype), *one = number (step, value, 1);

  return PH_BUILD (b, Div, value, PH_BUILD (b, Sub, one, PH_BUILD (b, Pow, number (step, value, decay), turn)));
}

static PhValue *
step_adam (Step *step, PhValue *weight, PhValue *gradient)
{
  PhBuilder *b = &step->b;
  PhValue *mean = add_state (step, weight, "mean"), *square = add_state (step, weight, "square");
  PhValue *next_mean = mix (step, 0.9, mean, 0.1, gradient);
  PhValue *next_square = mix (step, 0.999, square, 0.001, PH_BUILD (b, Mul, gradient, gradient));
  PhValue *root = PH_BUILD (b, Sqrt, unbias (step, next_square, 0.999));
  PhValue *direction = PH_BUILD (b, Div, unbias (step, next_mean, 0.9),
                                 root != NULL ? PH_BUILD (b, Add, root, number (step, root, 1e-8)) : NULL);

  add_next (step, mean, next_mean);
  add_next (step, square, next_square);
  return move_by (step, weight, direction);
}

static const struct
{
  const char *name, *why;
  PhValue *(*build) (Step *step, PhValue *weight, PhValue *gradient);
  double rate;
} optimizers[] = {
  { "sgd", "The loss falls against the gradient, so the weight moves that way, scaled by the learning rate.", step_sgd, 0.01 },
  { "momentum", "Momentum sums the steps, so directions that persist add up and directions that change cancel.", step_momentum,
    0.01 },
  { "adam", "Adam divides the mean gradient by its root mean square, so each element moves by about the learning rate.",
    step_adam, 0.001 },
};

/* Returns the graph output that is the gradient with respect to @weight. */
static PhValue *
find_gradient (PhModel *model, const PhValue *weight)
{
  g_autofree char *name = g_strconcat ("grad_", weight->name, NULL);
  PhValue *value = ph_model_find_value_named (model, name);

  return value != NULL && value->n_output_uses > 0 ? value : NULL;
}

/* Makes the constant @weight an input of its name, so that the next run can begin with another. */
static PhValue *
open_weight (Step *step, PhValue *weight)
{
  g_autofree char *name = g_strdup (weight->name), *old = g_strconcat (weight->name, "_old", NULL);
  PhValue *input;

  if (!ph_value_rename (weight, ph_model_unique_name (step->model, old), &step->b.error))
    return NULL;
  input = add_input (step, name, weight->tensor);
  if (input == NULL || !ph_value_replace_uses (weight, input, &step->b.error) || !ph_graph_remove_value (weight, &step->b.error))
    return NULL;
  return input;
}

static gboolean
run_train_step (PhPassRun *run, GError **error)
{
  const char *const *arguments = ph_pass_run_options (run)->arguments;
  PhModel *model = ph_pass_run_model (run);
  Step step = { .model = model, .b = { .graph = model->graph, .role = PH_ROLE_BACKWARD }, .first_of_run = model->next_id };
  g_autoptr (GPtrArray) weights = g_ptr_array_new ();
  guint chosen = 0;
  double rate;

  while (arguments != NULL && arguments[0] != NULL && chosen < G_N_ELEMENTS (optimizers)
         && !g_str_equal (optimizers[chosen].name, arguments[0]))
    chosen++;
  if (arguments == NULL || arguments[0] == NULL || chosen == G_N_ELEMENTS (optimizers))
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_USAGE,
                           "train-step needs an optimizer: train-step sgd, momentum or adam, and then the learning rate");
      return FALSE;
    }
  rate = optimizers[chosen].rate;
  if (arguments[1] != NULL)
    {
      char *end;

      rate = g_ascii_strtod (arguments[1], &end);
      if (*end != '\0' || end == arguments[1])
        {
          g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "train-step: '%s' is not a learning rate: give a number", arguments[1]);
          return FALSE;
        }
    }
  for (guint i = 0; i < model->graph->constants->len; i++)
    if (ph_value_is_parameter (model->graph->constants->pdata[i])
        && find_gradient (model, model->graph->constants->pdata[i]) != NULL)
      g_ptr_array_add (weights, model->graph->constants->pdata[i]);
  if (weights->len == 0)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                           "train-step: no weight has a gradient among the outputs: `grad LOSS` first");
      return FALSE;
    }

  if (!ph_pass_begin (run, "learning-rate", NULL, "The learning rate is an input, so that each run can change it."))
    return TRUE;
  g_autoptr (PhTensor) rate_tensor = ph_tensor_new_scalar (PH_FLOAT, rate), zero = ph_tensor_new_scalar (PH_FLOAT, 0);
  step.rate = add_input (&step, "learning_rate", rate_tensor);
  if (optimizers[chosen].build == step_adam && step.b.error == NULL)
    {
      PhValue *done = add_input (&step, "steps_done", zero);

      step.b.name = "steps_done_new";
      step.turn = done != NULL ? PH_BUILD (&step.b, Add, done, number (&step, done, 1)) : NULL;
      if (done != NULL)
        add_next (&step, done, step.turn);
    }
  for (guint i = 0; i <= weights->len; i++)
    {
      if (!ph_pass_close (run, ph_builder_finish (&step.b, error)))
        return FALSE;
      if (i == weights->len)
        break;

      PhValue *weight = weights->pdata[i], *gradient = find_gradient (model, weight);
      g_autofree char *name = g_strconcat (weight->name, "_step", NULL);

      if (!ph_pass_begin (run, optimizers[chosen].name, gradient->producer, optimizers[chosen].why))
        return TRUE;
      step.b.name = name;
      weight = open_weight (&step, weight);
      if (weight != NULL)
        add_next (&step, weight, optimizers[chosen].build (&step, weight, gradient));
    }
  return TRUE;
}

/* clang-format off */
const PhPass ph_pass_train_step = {
  .name            = "train-step",
  .group           = "autodiff",
  .keeps_values    = TRUE,
  .summary         = "Appends a training step to the gradient: weights become inputs, and outputs NAME_new, by sgd, momentum or adam",
  .elsewhere = "torch.optim, optax; ONNX's ai.onnx.preview.training, whose operators few runtimes have",
  .trap = "the optimizer's moments are part of the training state: without them, Adam starts again from zero.",
  .run             = run_train_step,
  .exactness       = PH_EXACT,
  .needs_arguments = TRUE,
};
/* clang-format on */
