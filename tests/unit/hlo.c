/* hlo.c: HLO text becomes a model: every construct, both forms of operands, files without a module, what is refused and where.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/analyze/become.h"
#include "core/analyze/recording-xla.h"
#include "core/analyze/recording.h"
#include "core/io/choose.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/ops/verify.h"

static PhModel *
try_read (const char *text, GPtrArray *problems, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ph_format_read_bytes (ph_format_find ("hlo"), bytes, "x.hlo", problems, error);
}

/* The model as ONNX text. */
static char *
printed (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = try_read (text, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  return ph_onnx_text_print (model, 16);
}

static void
expect (const char *text, const char *wanted)
{
  if (strstr (text, wanted) == NULL)
    {
      g_test_message ("not found: %s\nin: %s", wanted, text);
      g_test_fail ();
    }
}

static char *
corpus (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz/corpus/hlo", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

static void
test_book (void)
{
  g_autofree char *file = corpus ("book.hlo"), *text = printed (file);
  static const char bare[]
      = "add {\n  x.53 = f32[] parameter(0)\n  y.54 = f32[] parameter(1)\n  ROOT add.55 = f32[] add(x.53, y.54)\n}\n";
  static const char *const heads[] = { "// a\n\nHloModule m\n", "ENTRY e {", bare, "%y = f32[4]{0} add(f32[4] %x, f32[4] %x)\n" };
  g_autofree char *other = printed (bare), *left_out = corpus ("elided-body.hlo"), *elided = printed (left_out);

  expect (text, "graph (float \"x.53\", float \"y.54\") => (float \"add.55\")");
  expect (text, "= hlo.add (\"x.53\", \"y.54\")");
  g_assert_cmpstr (text, ==, other);
  expect (elided, "= hlo.elided (\"x.53\", \"y.54\")");
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_autoptr (GBytes) head = g_bytes_new_static (heads[i], strlen (heads[i]));

      g_assert_true (ph_format_recognise (head, "dump.txt") == ph_format_find ("hlo"));
    }
}

static void
test_constructs (void)
{
  g_autofree char *file = corpus ("constructs.hlo"), *text = printed (file);
  /* clang-format off */
  static const char *const wanted[] = {
    /* tuples are taken apart; what get-tuple-element called it is its name */
    "graph (float[2,3] x, int32 k) => (float[2,3] fusion, int32 count)", "[loop] count, value = hlo.while <",
    "condition = cond (int32 i, float[2,3] \"state#1\") => (bool less)", "body = step (int32 \"i.1\", float[2,3] \"x.1\") => (int32 next, float[2,3] twice)",
    "\"feed#0\", \"feed#1\", \"feed#2\" = hlo.infeed (token)", "opaque(\"token[]\") \"feed#2\"",
    /* op_name is a scope, stack frames are places */
    "[\"jit(f)/while/twice\"] twice = hlo.add <peephole_where = [\"model.py:3:5\", \"model.py:40:1\"]>",
    /* what was left out is unknown */
    "big = hlo.constant ()", "float[3,3] c = {1, -2.5, 0.001, inf, -inf, nan, 0, 0.25, 3}", "complex64[2] z = {1, 2, 3, -4}",
    "opaque(\"f8e3m4[4]\") odd", "shape = \"f32[<=2,3]\"", "opaque(\"b(f32[2])\")", "layout = \"0,1:T(8,128)\"",
    "direction = \"LT\", type = \"SIGNED\"", "lhs_contracting_dims = [1], rhs_contracting_dims = [0], operand_precision = \"{highest,default}\"",
    "start_indices = [0, 0], limit_indices = [1, 3], strides = [1, 2]",
    "edge_padding_low = [1, 1], edge_padding_high = [1, 0], interior_padding = [0, 1]", "window_dimensions = [1, 3], padding = [0, 0, 0, 0]",
    "peephole_after = [\"e\"]", "kind = \"kLoop\", frontend_attributes = \"{a=\\\"b,c\\\"}\"", "branch_0 = id", "branch_1 = \"id.1\"",
    "replica_groups = \"[1,2]<=[2]T(0)\", dimensions = [0], channel_id = 1", "to_apply = \"inline.to_apply\" (float q) => (float r)",
    "backend_config = \"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"4\\\"}}\"",
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    expect (text, wanted[i]);
}

static void
test_several (void)
{
  g_autofree char *file = corpus ("several.hlo"), *text = printed (file);
  g_autofree char *line = corpus ("line.hlo"), *alone = printed (line);

  expect (text, "[\"first#1\"]");
  expect (text, "computation = e (float \"p#0\", int32[2] r, bool \"p#2\") => (int32[2] r)");
  expect (text, "computation = spare (float s) => (float s)");
  expect (alone, "graph (float[4] \"x.1\") => (float[4] \"y.2\")");
  expect (alone, "= hlo.multiply (\"x.1\", \"add#1\")");
}

static void
test_types (void)
{
  /* clang-format off */
  static const struct { const char *element, *literal, *wanted; } rows[] = {
    { "pred", "{true, 0}", "bool[2] c = {1, 0}" }, { "s4", "{-8, 7}", "int4[2] c = {-8, 7}" }, { "u4", "{0, 15}", "uint4[2] c = {0, 15}" },
    { "s8", "{-128, 127}", "int8[2] c = {-128, 127}" }, { "u64", "{18446744073709551615, 0}", "uint64[2] c = {18446744073709551615, 0}" },
    { "s64", "{-9223372036854775808, 1}", "int64[2] c = {-9223372036854775808, 1}" }, { "f16", "{0.5, -inf}", "float16[2] c = {0.5, -inf}" },
    { "bf16", "{1, nan}", "bfloat16[2] c = {1, nan}" }, { "f8e4m3fn", "{0.5, 2}", "float8e4m3fn[2] c = {0.5, 2}" },
    { "f8e5m2", "{0.5, 2}", "float8e5m2[2] c = {0.5, 2}" }, { "c128", "{(1, -1), 2}", "complex128[2] c = {1, -1, 2, 0}" },
    { "f64", "{...}", "c = hlo.constant ()" }, { "f8e4m3b11fnuz", "{1, 2}", "opaque(\"f8e4m3b11fnuz[2]\") c" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *file = g_strdup_printf ("ENTRY e { c = %s[2]{0} constant(%s) ROOT r = %s[2] copy(c) }", rows[i].element,
                                               rows[i].literal, rows[i].element);
      g_autofree char *text = printed (file);

      expect (text, rows[i].wanted);
    }
}

/* What XLA reads as well, though it does not write it. */
static void
test_lenient (void)
{
  /* clang-format off */
  static const struct { const char *text, *wanted; } rows[] = {
    { "HloModule m:\nENTRY e { c = f32[2,2] constant(3) ROOT r = f32[2,2] copy(c) }", "float[2,2] c = {3, 3, 3, 3}" },
    { "ENTRY e { c = bf16[3] constant({1, 2 3}) ROOT r = bf16[3] copy(c) }", "bfloat16[3] c = {1, 2, 3}" },
    { "ENTRY e { c = f32[1000000] constant(0) ROOT r = f32[] reduce(c), dimensions={0} }", "float[1000000] c" },
    { "ENTRY e { p = s32 [5,4] parameter(0) ROOT r = s32 [5,4] negate(p) }", "int32[5,4] p" },
    { "ENTRY e {\n p = s32[4] parameter(0)\n b = s32[4,2] broadcast(p), dimensions={0} q = s32[4] parameter(1)\n ROOT r = s32[4] add(p, q)\n}", "(int32[4] p, int32[4] q)" },
    { "ENTRY e {\n p = s32[4] parameter(0)\n ROOT r = s32[4] add(add(add(p, p), p), p)\n}", "r = hlo.add (\"add#" },
    { "b { x = (s32[], pred[]) parameter(0) ROOT y = (s32[], pred[]) copy(x) }\nENTRY e {\n i = s32[] parameter(0)\n p = pred[] parameter(1)\n"
      " t = tuple(i, p)\n w = while(t), body=b, condition=b\n ROOT r = pred[] get-tuple-element(w), index=1\n}", "r = hlo.while" },
    { "f { ROOT x = (s32[], pred[]) parameter(0) }\nENTRY e {\n i = (s32[], pred[]) parameter(0)\n c = call(i), to_apply=f\n"
      " ROOT r = pred[] get-tuple-element(c), index=1\n}", "r = hlo.call" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = printed (rows[i].text);

      expect (text, rows[i].wanted);
    }
}

/* What is recognised is what stands in a file, not how it is called, nor what its comments tell of. */
static void
test_recognised (void)
{
  /* clang-format off */
  static const struct { const char *head, *name, *format; } rows[] = {
    { "// CHECK: HloModule m\nmodule @m {\n", "a.mlir", "mlir" },
    { "HloModule m\n\nENTRY e {", "a.mlir", "hlo" },
    { "# comment\nhlo_module       {\n  name: \"main\"\n", "a.hlo", "hlo-proto" },
    { "\x0a\x30\x0a\x01m\x12\x01" "e\x1a\x28\x0a\x01" "e\x12\x23\x0a\x01" "a\x12\x08" "constant", "a.pb", "hlo-proto" },
    { "\x0a\x01m\x12\x01" "e\x1a\x28\x0a\x01" "e\x12\x23\x0a\x01" "a\x12\x08" "constant", "a.pb", "hlo-proto" },
    { "\x0a\x0d\x0a\x01" "a\x12\x08" "Identity", "a.pb", "tensorflow" },
    { "\x08\x01\x12\xdd\xa8\x02\x3a\xc3\x2e", "saved_model.pb", "tensorflow" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) head = g_bytes_new_static (rows[i].head, strlen (rows[i].head));
      const PhFormat *format = ph_format_recognise (head, rows[i].name);

      g_assert_nonnull (format);
      g_assert_cmpstr (format->name, ==, rows[i].format);
    }
}

static void
test_errors (void)
{
  g_autofree char *deep = g_strnfill (5000, '('), *nested = g_strconcat ("e { x = ", deep, NULL);
  /* clang-format off */
  const struct { const char *text, *message; } rows[] = {
    { "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] add(x, q)\n}", "x.hlo:4:3: 'y' uses 'q', which nothing above it in computation 'e' defines" },
    { "e {\n  x = f32[2] constant({1, 2, 3})\n}", "x.hlo:2:28: '}' is expected here, not ','" },
    { "e {\n  x = f32[1000000000] constant({1})\n}", "x.hlo:2:32: the constant has fewer elements than its shape" },
    { "e {\n  x = s8[] constant(300)\n}", "x.hlo:2:21: the number does not fit into int8" },
    { "e {\n  x = f32[] add(\n", "the text ends. Is the file complete?" },
    { "e {\n  x = f32[] parameter(0)\n  x = f32[] parameter(1)\n}", "x.hlo:3:3: 'x' is defined twice in computation 'e'" },
    { "e {\n  x = f32[] parameter(1)\n}", "parameter 1 of a computation with fewer parameters" },
    { "e {\n  x = f32[] call(), to_apply=e\n}", "x.hlo:2:3: computation 'e' calls itself, by 'x'" },
    { "e {\n  x = f32[] parameter(0)\n  y = f32[] get-tuple-element(x), index=1\n}", "x.hlo:3:3: 'y' takes element 1 of what has no such element" },
    { "e { x = f32[] parameter(0) }\ne { x = f32[] parameter(0) }", "x.hlo:2:1: computation 'e' is defined twice" },
    { "e {\n  /* x\n}", "x.hlo:2:3: a comment is not closed; close it with */" },
    { "?", "x.hlo:1:1: no module" },
    { nested, "nested more than 200 deep" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = try_read (rows[i].text, NULL, &error);

      g_assert_null (model);
      g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
      expect (error->message, rows[i].message);
    }
}

/* Every operator has its sentence; a fusion is drawn as the box of what it replaced. */
static void
test_dialect (void)
{
  g_autofree char *file = corpus ("constructs.hlo");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = try_read (file, NULL, &error);
  g_autoptr (PhModel) again = NULL;
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GPtrArray) nodes = NULL;
  PhNode *fusion;

  g_assert_no_error (error);
  nodes = ph_model_nodes (model);
  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];
      const PhForeignOp *op = ph_dialect_find_foreign (node->domain, node->op_type);

      g_assert_nonnull (op);
      g_assert_true (g_str_has_suffix (op->doc, "."));
    }
  fusion = ph_model_find_node_named (model, "fusion");
  g_assert_true (ph_node_is_fused (fusion));
  g_assert_cmpuint (ph_node_graph (fusion, "body")->n_nodes, ==, 2);
  written = ph_onnx_write (model, &error);
  g_assert_no_error (error);
  again = ph_onnx_read (written, "again", NULL, &error);
  g_assert_no_error (error);
  fusion = ph_model_find_node_named (again, "fusion");
  g_assert_true (ph_node_is_fused (fusion));
  g_assert_cmpuint (ph_node_graph (fusion, "body")->n_nodes, ==, 2);
}

/* Computations that call the next one twice stand for 2^40 instructions. */
static void
test_growth (void)
{
  g_autoptr (GString) text = g_string_new ("c0 { ROOT r = f32[] parameter(0) }\n");
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  for (guint i = 1; i < 40; i++)
    g_string_append_printf (
        text, "c%u { x = f32[] parameter(0) y = f32[] call(x), to_apply=c%u ROOT z = f32[] call(y), to_apply=c%u }\n", i, i - 1,
        i - 1);
  model = try_read (text->str, problems, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ph_model_n_nodes (model, TRUE), <, 200000);
  g_assert_cmpuint (problems->len, >, 0);
  expect (problems->pdata[0], "is called too often to be shown everywhere");
}

/* A call of what the file does not have is a problem, not an error: a part of a dump opens too. */
static void
test_missing (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = try_read (
      "e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] map(x), dimensions={0}, to_apply=%far.7\n}", problems, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = ph_onnx_text_print (model, 16);
  expect (text, "to_apply = \"far.7\"");
  expect (problems->pdata[0], "'r' calls the computation 'far.7', which the file does not have");
}

/* HloProto, HloModuleProto and protobuf's text of them are one model. */
static void
test_proto (void)
{
  static const char *const names[] = { "module.hlo.pb", "whole.hlo.pb", "text.pbtxt" };
  g_autofree char *first = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz/corpus/hlo-proto", names[i], NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      text = ph_onnx_text_print (model, 16);
      expect (text, "body = body (int32 \"b.i\", float[2] \"b.x\") => (int32 \"b.j\", float[2] \"b.y\")");
      expect (text, "float[2] w = {0.5, -2}");
      expect (text, "[\"jit(f)/b.y\"] \"b.y\" = hlo.add <peephole_where = [\"f.py:12\"]>");
      expect (text, "lhs_contracting_dims = [0], rhs_contracting_dims = [0]");
      if (first == NULL)
        first = g_steal_pointer (&text);
      else
        g_assert_cmpstr (first, ==, text);
    }
}

static void
test_damaged_proto (void)
{
  /* clang-format off */
  static const struct { const char *text, *message; } rows[] = {
    { "hlo_module { name: \"m\" }", "the module 'm' holds no computation" },
    { "hlo_module { computations { name: \"c\" id: 1 } }", "computation 'c' has no instructions" },
    { "hlo_module { computations { name: \"c\" id: 1 instructions { name: \"a\" opcode: \"add\" id: 3 operand_ids: 9 } } }",
      "'a' uses an instruction that is not defined before it" },
    { "hlo_module { computations ", "x.pbtxt:1:" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (rows[i].text, strlen (rows[i].text));
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("hlo-proto"), bytes, "x.pbtxt", NULL, &error);

      g_assert_null (model);
      expect (error->message, rows[i].message);
    }
}

static void
test_dump_names (void)
{
  /* clang-format off */
  static const struct { const char *name; gboolean is; PhXlaKind kind; guint64 module; gint64 order; const char *pipeline, *pass; } rows[] = {
    { "module_0065.pmap__f_.186875.before_optimizations.txt", TRUE, PH_XLA_BEFORE, 65, -1, NULL, NULL },
    { "1624325116260738.module_0003.jit_f.0012.simplification.after_algsimp.before_dce.txt", TRUE, PH_XLA_BETWEEN, 3, 12, "simplification", "algsimp" },
    { "module_0003.0000.a.after_pipeline-start.before_x.txt", TRUE, PH_XLA_BETWEEN, 3, 0, "a", "pipeline-start" },
    { "module_12345.jit_f.0007.fusion.step-1.txt", TRUE, PH_XLA_INSIDE, 12345, 7, NULL, "fusion.step-1" },
    { "module_0003.jit_f.sm_8.0_gpu_after_optimizations.txt", TRUE, PH_XLA_AFTER, 3, G_MAXINT64, NULL, NULL },
    { "module_0003.jit_f.cpu_after_optimizations-buffer-assignment.txt", TRUE, PH_XLA_OTHER, 3, 0, NULL, NULL },
    { "module_0003.jit_f.ir-with-opt.ll", TRUE, PH_XLA_OTHER, 3, 0, NULL, NULL },
    { "module_3.jit_f.before_optimizations.txt", FALSE, PH_XLA_OTHER, 0, 0, NULL, NULL },
    { "my_module_0003.before_optimizations.txt", FALSE, PH_XLA_OTHER, 0, 0, NULL, NULL },
    { "notes.txt", FALSE, PH_XLA_OTHER, 0, 0, NULL, NULL },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      PhXlaFile file;

      g_test_message ("%s", rows[i].name);
      g_assert_cmpint (ph_xla_parse_name (rows[i].name, &file), ==, rows[i].is);
      if (rows[i].is)
        {
          g_assert_cmpint (file.kind, ==, rows[i].kind);
          g_assert_cmpuint (file.module, ==, rows[i].module);
          g_assert_cmpint (file.order, ==, rows[i].order);
          g_assert_cmpstr (file.pipeline, ==, rows[i].pipeline);
          g_assert_cmpstr (file.pass, ==, rows[i].pass);
        }
      ph_xla_file_clear (&file);
    }
}

/* The last position of a dump is what its last file holds: nothing is left to be changed. */
static void
test_dump (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "console/data/xla", NULL);
  g_autofree char *path = g_build_filename (folder, "module_0003.jit_layer.cpu_after_optimizations.txt", NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) history = NULL, rest = ph_history_new ();
  g_autoptr (PhModel) model = ph_recording_open (folder, &history, problems, NULL, &error),
                      last = ph_io_open (path, NULL, NULL, &error);
  PhBecame counts = { 0 };

  g_assert_no_error (error);
  g_assert_cmpuint (history->steps->len, ==, 2);
  g_assert_cmpstr (g_array_index (history->steps, PhStep, 1).pass, ==, "optimization/fusion");
  model->journal = NULL;
  for (guint i = 0; i < history->edits->len; i++)
    ph_edit_apply (model, history->edits->pdata[i]);
  g_assert_true (ph_model_verify (model, &error));
  ph_history_begin_step (rest, model, "rest");
  ph_history_begin_rewrite (rest, "rest", PH_NO_ID, "");
  g_assert_true (ph_model_become (model, last, &counts, &error));
  g_assert_cmpuint (counts.added + counts.removed, ==, 0);
  g_assert_cmpuint (rest->edits->len, ==, 0);
  model->journal = NULL;
}

/* Makes the empty files @names in @folder, or removes them and it. */
static void
fill_folder (const char *folder, const char *const *names, gboolean filled)
{
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_true (filled ? g_file_set_contents (path, "", 0, NULL) : g_unlink (path) == 0);
    }
  g_assert_true (filled || g_rmdir (folder) == 0);
}

/* A module is chosen by its whole number, with or without the number that XLA may write before it, and one that is missing is an error. */
static void
test_dump_modules (void)
{
  static const char *const names[] = { "module_1000.f.before_optimizations.txt",
                                       "module_10000.f.before_optimizations.txt",
                                       "module_10000.f.cpu_after_optimizations.txt",
                                       "1624325116260738.module_0007.f.before_optimizations.txt",
                                       "module_2000.f.ir-with-opt.ll",
                                       "module_utils.py",
                                       NULL };
  static const struct
  {
    const char *path;
    gboolean is, lacks;
  } rows[] = { { "", TRUE, FALSE },
               { "module_1000", TRUE, FALSE },
               { "module_10000.f", TRUE, FALSE },
               { "module_0007", TRUE, FALSE },
               { "1624325116260738.module_0007", TRUE, FALSE },
               { "module_100", FALSE, TRUE },
               { "1624325116260738.module_1000", FALSE, TRUE },
               { "notes", FALSE, FALSE } };
  g_autofree char *folder = g_dir_make_tmp ("hlo-XXXXXX", NULL);

  fill_folder (folder, names, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (folder, rows[i].path, NULL);
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", rows[i].path);
      g_assert_cmpint (ph_xla_is_dump (path), ==, rows[i].is);
      g_assert_cmpint (!rows[i].is && ph_xla_lacks_module (path, &error), ==, rows[i].lacks);
      g_assert_true (error == NULL || g_str_has_suffix (error->message, "It has module_0007, module_1000, module_10000"));
    }
  fill_folder (folder, names, FALSE);
}

/* Files of one number are of several modules where two of them are of one place in the order; else a pass gave the module another name. */
static void
test_dump_runs (void)
{
  static const struct
  {
    const char *names[6], *modules, *chosen[2][2]; /* what is asked for, the first and last file that is opened */
  } rows[] = {
    { { "1700.module_0001.f.before_optimizations.txt", "1700.module_0001.f.sm_8.0_gpu_after_optimizations.txt",
        "1800.module_0001.f.before_optimizations.txt", "1800.module_0001.f.cpu_after_optimizations.txt",
        "1800.module_0001.f.0003.a.after_x.before_y.txt" },
      "1700.module_0001.f 1800.module_0001.f",
      { { "1800.module_0001", "1800.module_0001.f" }, { "1700.module_0001.f", "1700.module_0001.f" } } },
    { { "module_0001.f.before_optimizations.txt", "module_0001.f.2.before_optimizations.txt",
        "module_0001.f.2.0001.a.after_x.before_y.txt", "module_0001.f.sm_8.0_gpu_after_optimizations.txt",
        "module_0001.f.2.sm_8.0_gpu_after_optimizations.txt" },
      "module_0001.f module_0001.f.2",
      { { "module_0001.f", "module_0001.f" }, { "module_0001", "module_0001.f.2" } } },
    { { "module_0001.f.before_optimizations.txt", "module_0001.g.0001.a.after_x.before_y.txt",
        "module_0001.0002.a.after_y.before_z.txt", "module_0002.f.before_optimizations.txt" },
      "module_0001 module_0002",
      { { "module_0001", "module_0001" }, { "module_0002.f", "module_0002" } } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("hlo-XXXXXX", NULL), *joined = NULL;
      g_autoptr (GPtrArray) modules = NULL;

      fill_folder (folder, rows[i].names, TRUE);
      modules = ph_recording_list_modules (folder);
      g_ptr_array_add (modules, NULL);
      joined = g_strjoinv (" ", (char **) modules->pdata);
      g_assert_cmpstr (joined, ==, rows[i].modules);
      for (gsize k = 0; k < 2; k++)
        {
          g_autoptr (GArray) files = ph_xla_list_files (folder, rows[i].chosen[k][0]);

          ph_xla_choose_module (files, folder, rows[i].chosen[k][0], NULL);
          for (guint f = 0; f < files->len; f++)
            {
              const PhXlaFile *file = &g_array_index (files, PhXlaFile, f);
              g_autofree char *base = g_path_get_basename (file->path);

              g_assert_true (g_str_has_prefix (base, rows[i].chosen[k][1]));
              g_assert_true (f == 0 || file[-1].order < file->order);
            }
          g_assert_cmpuint (files->len, >, 0);
        }
      fill_folder (folder, rows[i].names, FALSE);
    }
}

/* XLA's own files, where they are. */
static void
test_foreign (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR"), "foreign/hlo", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("the files are not there: set PEEPHOLE_DATA_DIR to a folder whose foreign/hlo has them");
      return;
    }
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    if (g_str_has_suffix (name, ".hlo"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        g_autoptr (GError) error = NULL;
        g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);

        g_assert_no_error (error);
        g_assert_true (ph_model_verify (model, &error));
        n++;
      }
  g_test_message ("%u files opened", n);
  g_assert_cmpuint (n, >, 0);
}

/* A path that names a module is there while its file or folder is; it is called by both. */
static void
test_module_paths (void)
{
  static const struct
  {
    const char *path, *file, *name;
  } rows[] = {
    { "modules.hlo", "modules.hlo", "modules.hlo" },
    { "modules.hlo/second", "modules.hlo", "modules.hlo/second" },
    { "modules.hlo/a/b", "modules.hlo", "modules.hlo/a/b" },
    { "xla/module_0004", "xla", "xla/module_0004" },
    { "xla/module_0009", NULL, "module_0009" },
    { "nothing.hlo/second", NULL, "second" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "console", "data", rows[i].path, NULL);
      g_autofree char *file = ph_io_file_of (path), *name = ph_io_display_name (path);
      g_autofree char *expected = rows[i].file != NULL
                                      ? g_test_build_filename (G_TEST_DIST, "console", "data", rows[i].file, NULL)
                                      : NULL;

      g_assert_cmpstr (file, ==, expected);
      g_assert_cmpstr (name, ==, rows[i].name);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hlo/book", test_book);
  g_test_add_func ("/hlo/constructs", test_constructs);
  g_test_add_func ("/hlo/several", test_several);
  g_test_add_func ("/hlo/types", test_types);
  g_test_add_func ("/hlo/lenient", test_lenient);
  g_test_add_func ("/hlo/recognised", test_recognised);
  g_test_add_func ("/hlo/errors", test_errors);
  g_test_add_func ("/hlo/dialect", test_dialect);
  g_test_add_func ("/hlo/growth", test_growth);
  g_test_add_func ("/hlo/missing", test_missing);
  g_test_add_func ("/hlo/proto", test_proto);
  g_test_add_func ("/hlo/damaged-proto", test_damaged_proto);
  g_test_add_func ("/hlo/dump-names", test_dump_names);
  g_test_add_func ("/hlo/dump", test_dump);
  g_test_add_func ("/hlo/dump-modules", test_dump_modules);
  g_test_add_func ("/hlo/dump-runs", test_dump_runs);
  g_test_add_func ("/hlo/foreign", test_foreign);
  g_test_add_func ("/hlo/module-paths", test_module_paths);
  return g_test_run ();
}
