/* engine.c: what the rule engine owes its rules, and rules that were made to be bad.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gio.h>

#include "core/io/infer.h"
#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/ops/verify.h"
#include "passes/pass.h"

static PhModel *
read_model (const char *body)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d, \"ai.onnx.preview.training\" : 1]>\n%s",
                                           PH_OPSET_NEWEST, body);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "test", &error);

  g_assert_no_error (error);
  ph_infer_model (model, TRUE, NULL, &error);
  g_assert_no_error (error);
  return model;
}

#define SUM "g (float[3] x, float[3] z) => (float[3] y) { a = Add(x, z) y = Tanh(a) }"

/* Runs @pass, which must fail with @code and name @rule, and leave everything as it was. */
static void
check_refused (const PhPass *pass, const char *body, PhError code, const char *rule)
{
  g_autoptr (PhModel) model = read_model (body);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autofree char *before = ph_onnx_text_print (model, G_MAXSIZE), *after = NULL;
  g_autoptr (GError) error = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.verify = TRUE;
  g_assert_false (ph_pass_run (pass, model, history, &options, &error));
  g_assert_error (error, PH_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, rule));
  g_assert_nonnull (strstr (error->message, pass->name));
  g_test_message ("%s", error->message);
  after = ph_onnx_text_print (model, G_MAXSIZE);
  g_assert_cmpstr (after, ==, before);
  g_assert_cmpuint (history->steps->len, ==, 0);
  g_assert_cmpuint (history->edits->len, ==, 0);
}

static const PhRule growing[] = { { "double-neg", P (Add, X, Y), P (Neg, P (Neg, P (Add, X, Y))), .why = "Never ends." } };
static const PhPass growing_pass = { .name = "growing", .rules = growing, .n_rules = 1 };
static const PhRule turning[] = { { "turn", P (Sub, X, Y), P (Sub, Y, X), .why = "Turns for ever." } };
static const PhPass turning_pass = { .name = "turning", .rules = turning, .n_rules = 1 };

static void
test_not_converging (void)
{
  check_refused (&growing_pass, SUM, PH_ERROR_NOT_CONVERGED, "double-neg");
  check_refused (&turning_pass, "g (float[3] x, float[3] z) => (float[3] y) { y = Sub(x, z) }", PH_ERROR_NOT_CONVERGED, "turn");
}

static PhValue *
build_integers (PhMatch *match, PhBuilder *b)
{
  return PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_INT32)), match->slot[0]);
}

static const PhRule retyping[] = { { "to-integers", P (Add, X, Y), .build = build_integers, .why = "Another element type." } };
static const PhPass retyping_pass = { .name = "retyping", .rules = retyping, .n_rules = 1 };
static const PhRule careless[] = { { "mul-zero-careless", P (Mul, X, NUM (0)), NUM (0), .why = "Forgets the shape." } };
static const PhPass careless_pass = { .name = "careless", .rules = careless, .n_rules = 1 };

static void
test_type_changing (void)
{
  check_refused (&retyping_pass, SUM, PH_ERROR_BAD_RULE, "to-integers");
  check_refused (&careless_pass, "g (float[3] x) => (float[3] y) <float k = {0}> { a = Mul(x, k) y = Tanh(a) }",
                 PH_ERROR_BAD_RULE, "mul-zero-careless");
}

static PhValue *
build_nothing_valid (PhMatch *match, PhBuilder *b)
{
  return PH_BUILD (b, Concat, match->slot[0], match->slot[1]); /* without its axis */
}

static const PhRule invalid[] = { { "no-axis", P (Add, X, Y), .build = build_nothing_valid, .why = "Lacks an attribute." } };
static const PhPass invalid_pass = { .name = "invalid", .rules = invalid, .n_rules = 1 };

static gboolean
break_graph (PhPassRun *run, GError **error)
{
  PhModel *model = ph_pass_run_model (run);

  if (!ph_pass_begin (run, "cut", model->graph->first, "Takes away what is needed."))
    return TRUE;
  ph_node_set_attr (model->graph->first, "axis", NULL, NULL);
  ph_pass_end (run);
  return TRUE;
}

static const PhPass breaking_pass = { .name = "breaking", .run = break_graph };

static void
test_breaking (void)
{
  check_refused (&invalid_pass, SUM, PH_ERROR_BAD_RULE, "no-axis");
  check_refused (&breaking_pass, "g (float[3] x) => (float[6] y) { y = Concat<axis = 0>(x, x) }", PH_ERROR_BAD_RULE, "breaking");
}

static const PhRule negating[] = { { "relu-tanh", P (Tanh, X), P (Relu, X), .why = "For counting." } };
static const PhPass negating_pass = { .name = "counting", .rules = negating, .n_rules = 1 };

#define THREE "g (float[3] x) => (float[3] y) { a = Tanh(x) b = Tanh(a) y = Tanh(b) }"

static guint
count_rewrites (const PhPassOptions *options)
{
  g_autoptr (PhModel) model = read_model (THREE);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (ph_pass_run (&negating_pass, model, history, options, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (history->steps->len, ==, 1);
  return history->rewrites->len;
}

static void
test_options (void)
{
  static const char *const off[] = { "counting/relu-tanh", NULL };
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_cmpuint (count_rewrites (&options), ==, 3);
  options.limit = 2;
  g_assert_cmpuint (count_rewrites (&options), ==, 2);
  options.limit = G_MAXUINT;
  options.rules_off = off;
  g_assert_cmpuint (count_rewrites (&options), ==, 0);
}

static void
test_cancelled (void)
{
  g_autoptr (PhModel) model = read_model (THREE);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_cancellable_cancel (cancellable);
  options.cancellable = cancellable;
  g_assert_false (ph_pass_run (&negating_pass, model, history, &options, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_CANCELLED);
  g_assert_cmpuint (history->steps->len, ==, 0);
}

/* x => f(x): what the replacement is made from keeps the original, so there is no cycle. */
static const PhRule wrapping[] = { { "wrap", P (Tanh, X), P (Relu, P (Abs, X)), .why = "Fires once." } };
static const PhPass wrapping_pass = { .name = "wrapping", .rules = wrapping, .n_rules = 1 };

static void
test_names (void)
{
  g_autoptr (PhModel) model = read_model (THREE);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (ph_pass_run (&wrapping_pass, model, history, NULL, &error));
  g_assert_nonnull (ph_model_find_value_named (model, "a"));
  g_assert_nonnull (ph_model_find_value_named (model, "y"));
  g_assert_true (ph_model_verify (model, &error));
  g_assert_cmpuint (model->graph->n_nodes, ==, 6);
}

static const PhRule printed = { "factor", P (Add, P (Mul, X, Z), P (Mul, Y, NUM (0.5))), P (Mul, P (Add, X, Y), Z) };
static const PhRule printed_build = { "built", P (Div, X, CONST (1)), .becomes = "Mul(x, 1 / y)" };

static void
test_printing (void)
{
  g_autofree char *text = ph_rule_to_string (&printed), *other = ph_rule_to_string (&printed_build);

  g_assert_cmpstr (text, ==, "Add(Mul(x, z), Mul(y, 0.5)) => Mul(Add(x, y), z)");
  g_assert_cmpstr (other, ==, "Div(x, const y) => Mul(x, 1 / y)");
}

/* Every pass and rule can be shown: it has a name, a group, a sentence. */
static void
test_registry (void)
{
  guint n;
  const PhPass *const *passes = ph_pass_list (&n);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GHashTable) rules = g_hash_table_new (g_str_hash, g_str_equal);

      g_assert_true (g_hash_table_add (names, (gpointer) passes[i]->name));
      g_assert_nonnull (passes[i]->group);
      g_assert_nonnull (passes[i]->summary);
      g_assert_true (ph_pass_find (passes[i]->name) == passes[i]);
      g_assert_true (passes[i]->run != NULL || passes[i]->n_rules > 0);
      for (guint k = 0; k < passes[i]->n_rules; k++)
        {
          const PhRule *rule = &passes[i]->rules[k];
          g_autofree char *text = ph_rule_to_string (rule);

          g_assert_true (g_hash_table_add (rules, (gpointer) rule->name));
          if (rule->why == NULL || g_str_has_suffix (text, "..."))
            g_error ("%s/%s does not say why, or what it becomes", passes[i]->name, rule->name);
        }
    }
}

static void
test_pipelines (void)
{
  guint n;
  const PhPipeline *pipelines = ph_pipeline_list (&n);

  for (guint i = 0; i < n; i++)
    for (guint k = 0; pipelines[i].passes[k] != NULL; k++)
      if (ph_pass_find (pipelines[i].passes[k]) == NULL)
        g_error ("%s: no pass %s", pipelines[i].name, pipelines[i].passes[k]);
}

/* Equal values, but the derivative with respect to a is that of one factor, not of both. */
static void
test_gradient (void)
{
  static const char body[] = "g (float[3] x, float[3] z) => (float[3] d) { a = Mul(x, z) b = Mul(x, z) y = Mul(a, b) "
                             "d = ai.onnx.preview.training.Gradient <xs = [\"a\"], y = \"y\"> (a) }";
  g_autoptr (PhModel) model = read_model (body);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;

  check_refused (ph_pass_find ("cse"), body, PH_ERROR_UNSUPPORTED, "expand-gradient");
  check_refused (ph_pass_find ("dce"), body, PH_ERROR_UNSUPPORTED, "expand-gradient");
  ph_pass_run (ph_pass_find ("expand-gradient"), model, history, NULL, &error);
  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("dce"), model, history, NULL, &error);
  g_assert_no_error (error);
}

static const PhRule bits[] = { { "as-bits", P (Add, X, Y), P (BitwiseAnd, X, Y), .why = "There is none of floats." } };
static const PhPass bits_pass = { .name = "bits", .rules = bits, .n_rules = 1 };

/* A rule that makes an operator that does not take such elements does not apply; to others it does. */
static void
test_element_types (void)
{
  /* clang-format off */
  static const struct { const char *body; guint fires; } cases[] = {
    { SUM, 0 }, { "g (int32[3] x, int32[3] z) => (int32[3] y) { a = Add(x, z) y = Neg(a) }", 1 },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PhModel) model = read_model (cases[i].body);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GError) error = NULL;

      ph_pass_run (&bits_pass, model, history, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (history->rewrites->len, ==, cases[i].fires);
      ph_model_verify (model, &error);
      g_assert_no_error (error);
    }
}

/* A node that hands nothing out is dead, where it is known what it does. */
static void
test_no_outputs (void)
{
  g_autoptr (PhModel) model = read_model ("g (int64 n, bool c, float[3] x) => (float[3] y) { y = Tanh(x) }");
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;
  PhValue *inputs[] = { g_ptr_array_index (model->graph->inputs, 0), g_ptr_array_index (model->graph->inputs, 1) };
  PhNode *loop = ph_graph_add_node (model->graph, &(PhNodeSpec) { .op = &ph_op_Loop, .inputs = inputs, .n_inputs = 2 }, &error);

  g_assert_no_error (error);
  ph_node_add_graph (loop, "body", "body", &error);
  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("dce"), model, history, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->n_nodes, ==, 1);
}

/* A constant in the place of a computed shape tells the shapes of all that follows, in bodies too, and undoing untells them. */
static void
test_types_are_current (void)
{
  g_autoptr (PhModel) model = read_model (
      "g (float[2, 3] x, bool c) => (float[M, K] y, float[P, Q] z) <int64[2] s = {3, 2}, int64[2] one = {1, 1}> "
      "{ t = Mul(s, one) r = Reshape(x, t) y = Tanh(r) "
      "z = If (c) <then_branch = a () => (float[P, Q] p) { i = Neg(r) p = Exp(i) }, "
      "else_branch = b () => (float[P, Q] e) { j = Abs(r) e = Sin(j) }> }");
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;
  PhValue *y = ph_model_find_value_named (model, "y"), *inner = ph_model_find_value_named (model, "j");
  const PhType *wanted = ph_type_static (PH_FLOAT, 2, (gint64[]) { 3, 2 });

  /* Forget what reading found, as where a producer could not be computed then. */
  for (guint i = 0; i < 3; i++)
    ph_value_set_type (ph_model_find_value_named (model, ((const char *[]) { "y", "r", "j" })[i]), ph_type_unranked (PH_FLOAT),
                       NULL);
  ph_pass_run (ph_pass_find ("fold-constants"), model, history, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (y->type == wanted);
  g_assert_true (inner->type == wanted);
  ph_history_go (history, model, (PhPosition) { 0, 0 }, &error);
  g_assert_no_error (error);
  g_assert_true (y->type == ph_type_unranked (PH_FLOAT));
}

/* Types that a file declares against what follows, and nodes that cannot work, are its problems: no pass may stop at them. */
static void
test_declared (void)
{
  static const char *const graphs[] = {
    "g (float[2,4] x) => (float[2,4] y) <bool c = {1}> {\n"
    "  y = If <then_branch = t () => (float[2,4] a) { s = ReduceSum <keepdims = 1> (x) a = Tanh (s) },\n"
    "          else_branch = e () => (float[2,4] b) { b = Relu (x) }> (c)\n}",
    "g (int64 n, float a, float[2] b, float r) => (float y) {\n"
    "  y = Loop (n, \"\", r) <body = l (int64 i, bool ci, float s) => (bool co, float so) {\n"
    "    co = Identity (ci) t = Transpose <perm = [0, 1]> (a) u = Softmax <axis = 4> (b)\n"
    "    p = ReduceSum <keepdims = 0> (t) q = ReduceSum <keepdims = 0> (u) w = Add (p, q) so = Add (s, w) }>\n}",
  };
  const PhPipeline *o3 = ph_pipeline_find ("O3");

  for (guint g = 0; g < G_N_ELEMENTS (graphs); g++)
    {
      g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d]>\n%s", PH_OPSET_NEWEST, graphs[g]);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "declared", &error);

      g_assert_no_error (error);
      ph_io_infer (model, NULL);
      for (guint i = 0; o3->passes[i] != NULL; i++)
        {
          ph_pass_run (ph_pass_find (o3->passes[i]), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
          g_assert_no_error (error);
        }
    }
}

static guint n_asked;

static gboolean
asks (PhMatch *match)
{
  n_asked++;
  return FALSE;
}

static const PhOp *const products[] = { &ph_op_Mul, NULL };
static const PhRule in_turn[] = {
  { "product", P (Abs, P (Mul, X, Y)), P (Neg, P (Mul, X, Y)), .why = "It wants a product." },
  { "sum", P (Add, X, Y), P (Mul, X, Y), .why = "It makes a product." },
  { "any", .needs = products, .when = asks, .why = "It is asked where there is a product." },
};
static const PhPass in_turn_pass = { .name = "in-turn", .rules = in_turn, .n_rules = 3 };

/* A rule whose operators the model lacks is not tried, and is from the rewrite on that makes them. */
static void
test_lacking (void)
{
  static const struct
  {
    const char *body;
    gboolean made;
  } cases[] = { { "g (float[3] x, float[3] z) => (float[3] y) { a = Sub(x, z) y = Abs(a) }", FALSE },
                { "g (float[3] x, float[3] z) => (float[3] y) { a = Add(x, z) y = Abs(a) }", TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PhModel) model = read_model (cases[i].body);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GError) error = NULL;

      n_asked = 0;
      g_assert_true (ph_pass_run (&in_turn_pass, model, history, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpint (ph_model_has_op (model, &ph_op_Neg), ==, cases[i].made);
      g_assert_cmpint (n_asked > 0, ==, cases[i].made);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/engine/not-converging", test_not_converging);
  g_test_add_func ("/passes/engine/type-changing", test_type_changing);
  g_test_add_func ("/passes/engine/breaking", test_breaking);
  g_test_add_func ("/passes/engine/element-types", test_element_types);
  g_test_add_func ("/passes/engine/no-outputs", test_no_outputs);
  g_test_add_func ("/passes/engine/types-are-current", test_types_are_current);
  g_test_add_func ("/passes/engine/declared", test_declared);
  g_test_add_func ("/passes/engine/lacking", test_lacking);
  g_test_add_func ("/passes/engine/options", test_options);
  g_test_add_func ("/passes/engine/cancelled", test_cancelled);
  g_test_add_func ("/passes/engine/names", test_names);
  g_test_add_func ("/passes/engine/printing", test_printing);
  g_test_add_func ("/passes/engine/registry", test_registry);
  g_test_add_func ("/passes/engine/gradient", test_gradient);
  g_test_add_func ("/passes/engine/pipelines", test_pipelines);
  return g_test_run ();
}
