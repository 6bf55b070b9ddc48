/* hlo-dump.c: the history of a dump of XLA, of which only what each pass changed is parsed: random passes over random modules, and after
 * each the model is that of the file read whole.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/analyze/recording.h"
#include "core/io/hlo/lines.h"
#include "core/io/io.h"
#include "core/ops/verify.h"

/* ── modules ── */

typedef enum
{
  PARAMETER,
  CONSTANT,
  ADD,
  MULTIPLY,
  NEGATE,
  FUSION,
  LOOP,
  N_KINDS
} Kind;

typedef struct _Instruction Instruction;
struct _Instruction
{
  Kind kind;
  guint id, version;
  Instruction *a, *b;
};

typedef struct
{
  GPtrArray *order; /* (element-type Instruction) the last one is the root */
  GPtrArray *all;   /* owned                                                */
  guint next;
  GRand *rand;
} Module;

static const char *const names[] = { "p", "c", "add", "multiply", "negate", "fusion", "gte" };

static char *
name_of (const Instruction *instruction)
{
  return g_strdup_printf ("%%%s.%u", names[instruction->kind], instruction->id);
}

static Instruction *
new_instruction (Module *module, Kind kind, Instruction *a, Instruction *b)
{
  Instruction *instruction = g_new0 (Instruction, 1);

  *instruction = (Instruction) { kind, module->next++, 0, a, b };
  g_ptr_array_add (module->all, instruction);
  return instruction;
}

static Instruction *
pick (Module *module, guint before)
{
  return module->order->pdata[g_rand_int_range (module->rand, 0, (gint) before)];
}

static void
insert (Module *module, guint at)
{
  const Kind kind = g_rand_int_range (module->rand, CONSTANT, N_KINDS);

  g_ptr_array_insert (module->order, (gint) at, new_instruction (module, kind, pick (module, at), pick (module, at)));
}

static void
write_computations (const Instruction *i, GString *out)
{
  static const char *const ops[] = { "add", "subtract", "multiply" };

  if (i->kind == FUSION)
    g_string_append_printf (
        out,
        "%%fused_%u (x.%u: f32[4]) -> f32[4] {\n  %%x.%u = f32[4]{0} parameter(0)\n  ROOT %%y.%u = f32[4]{0} %s(%%x.%u, %%x.%u)\n}\n\n",
        i->id, i->id, i->id, i->id, ops[i->version % 3], i->id, i->id);
  if (i->kind == LOOP)
    {
      g_string_append_printf (
          out, "%%inner_%u (x: f32[4]) -> f32[4] {\n  %%x = f32[4]{0} parameter(0)\n  ROOT %%y = f32[4]{0} %s(%%x, %%x)\n}\n\n",
          i->id, ops[i->version % 3]);
      g_string_append_printf (
          out,
          "%%body_%u (s: (f32[4], f32[4])) -> (f32[4], f32[4]) {\n  %%s = (f32[4]{0}, f32[4]{0}) parameter(0)\n"
          "  %%u = f32[4]{0} get-tuple-element(%%s), index=0\n  %%v = f32[4]{0} get-tuple-element(%%s), index=1\n"
          "  %%w = f32[4]{0} call(%%u), to_apply=%%inner_%u\n  ROOT %%r = (f32[4]{0}, f32[4]{0}) tuple(%%w, %%v)\n}\n\n",
          i->id, i->id);
      g_string_append_printf (
          out,
          "%%cond_%u (s: (f32[4], f32[4])) -> pred[] {\n  %%s = (f32[4]{0}, f32[4]{0}) parameter(0)\n  ROOT %%t = pred[] constant(false)\n}\n\n",
          i->id);
    }
}

static void
write_instruction (const Instruction *i, gboolean root, guint line, GString *out)
{
  g_autofree char *name = name_of (i), *a = i->a != NULL ? name_of (i->a) : NULL, *b = i->b != NULL ? name_of (i->b) : NULL;
  const char *mark = root ? "ROOT " : "";

  switch (i->kind)
    {
    case PARAMETER: g_string_append_printf (out, "  %s%s = f32[4]{0} parameter(%u)", mark, name, i->id); break;
    case CONSTANT:
      g_string_append_printf (out, "  %s%s = f32[4]{0} constant({1, 2, %u, %u})", mark, name, i->id, i->version);
      break;
    case FUSION:
      g_string_append_printf (out, "  %s%s = f32[4]{0} fusion(%s), kind=kLoop, calls=%%fused_%u", mark, name, a, i->id);
      break;
    case LOOP:
      g_string_append_printf (out, "  %%t.%u = (f32[4]{0}, f32[4]{0}) tuple(%s, %s)\n", i->id, a, b);
      g_string_append_printf (out, "  %%w.%u = (f32[4]{0}, f32[4]{0}) while(%%t.%u), condition=%%cond_%u, body=%%body_%u\n",
                              i->id, i->id, i->id, i->id);
      g_string_append_printf (out, "  %s%s = f32[4]{0} get-tuple-element(%%w.%u), index=%u", mark, name, i->id, i->version % 2);
      break;
    case NEGATE: g_string_append_printf (out, "  %s%s = f32[4]{0} negate(%s)", mark, name, a); break;
    case ADD:
    case MULTIPLY:
    case N_KINDS:
    default: g_string_append_printf (out, "  %s%s = f32[4]{0} %s(%s, %s)", mark, name, names[i->kind], a, b); break;
    }
  g_string_append_printf (out, ", metadata={op_name=\"jit(f)/%s\" source_file=\"f.py\" source_line=%u}\n", names[i->kind], line);
}

static char *
write_module (Module *module)
{
  GString *out = g_string_new ("HloModule m, is_scheduled=true\n\n");

  for (guint i = 0; i < module->order->len; i++)
    write_computations (module->order->pdata[i], out);
  g_string_append (out, "ENTRY %main (p.0: f32[4], p.1: f32[4]) -> f32[4] {\n");
  for (guint i = 0; i < module->order->len; i++)
    write_instruction (module->order->pdata[i], i + 1 == module->order->len, i, out);
  g_string_append (out, "}\n\n");
  return g_string_free (out, FALSE);
}

static guint
place_of (Module *module, const Instruction *instruction)
{
  guint at = 0;

  g_assert_true (g_ptr_array_find (module->order, instruction, &at));
  return at;
}

static void
read_instead (Module *module, const Instruction *was, Instruction *is)
{
  for (guint i = place_of (module, is) + 1; i < module->order->len; i++)
    {
      Instruction *reader = module->order->pdata[i];

      reader->a = reader->a == was ? is : reader->a;
      reader->b = reader->b == was ? is : reader->b;
    }
}

/* One change of those that a pass makes. */
static void
change (Module *module)
{
  const guint n = module->order->len, at = (guint) g_rand_int_range (module->rand, 2, (gint) n);
  Instruction *instruction = module->order->pdata[at];

  switch (g_rand_int_range (module->rand, 0, 7))
    {
    case 0: instruction->a = instruction->kind != CONSTANT ? pick (module, at) : NULL; break;
    case 1:
      insert (module, at);
      read_instead (module, pick (module, at), module->order->pdata[at]);
      break;
    case 2:
      if (at + 1 == n || instruction->kind == CONSTANT)
        break;
      read_instead (module, instruction, instruction->a);
      g_ptr_array_remove_index (module->order, at);
      break;
    case 3: instruction->version++; break;
    case 4: instruction->id = module->next++; break; /* a new name */
    case 5:                                          /* another order */
      {
        Instruction *next = at + 1 < n - 1 ? module->order->pdata[at + 1] : NULL;

        if (next != NULL && next->a != instruction && next->b != instruction)
          {
            module->order->pdata[at] = next;
            module->order->pdata[at + 1] = instruction;
          }
        break;
      }
    default:
      instruction->kind = instruction->kind == ADD ? MULTIPLY : instruction->kind == MULTIPLY ? ADD : instruction->kind;
      break;
    }
}

/* ── what a graph computes ── */

static guint64
mix (guint64 hash, guint64 part)
{
  return (hash ^ part) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + (hash >> 29);
}

/* Of all its nodes and its outputs, whatever they are called. */
static guint64
shape_of (const PhGraph *graph)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  guint64 all = graph->n_nodes;

  for (guint i = 0; i < graph->inputs->len; i++)
    g_hash_table_insert (values, graph->inputs->pdata[i], GSIZE_TO_POINTER (mix (17, i)));
  for (guint i = 0; i < graph->constants->len; i++)
    g_hash_table_insert (values, graph->constants->pdata[i],
                         GSIZE_TO_POINTER (mix (19, ph_tensor_hash (((PhValue *) graph->constants->pdata[i])->tensor))));
  PH_FOREACH_NODE (node, graph)
    {
      guint64 hash = mix (g_str_hash (node->op_type), node->outputs->len), attrs = 0;

      for (guint i = 0; i < node->attrs->len; i++)
        attrs += ph_attr_hash (node->attrs->pdata[i]);
      for (guint i = 0; i < node->inputs->len; i++)
        hash = mix (hash, GPOINTER_TO_SIZE (g_hash_table_lookup (values, node->inputs->pdata[i])));
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        attrs += shape_of (node->graphs->pdata[i]) * (1 + g_str_hash (((PhGraph *) node->graphs->pdata[i])->attr));
      hash = mix (hash, attrs);
      all += hash;
      for (guint i = 0; i < node->outputs->len; i++)
        g_hash_table_insert (values, node->outputs->pdata[i], GSIZE_TO_POINTER (mix (hash, i)));
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    all = mix (all, GPOINTER_TO_SIZE (g_hash_table_lookup (values, graph->outputs->pdata[i])));
  return mix (all, graph->constants->len);
}

/* ── tests ── */

static Module
new_module (guint32 seed, guint n)
{
  Module module = { g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free), 0, g_rand_new_with_seed (seed) };

  for (guint i = 0; i < 2; i++)
    g_ptr_array_add (module.order, new_instruction (&module, PARAMETER, NULL, NULL));
  for (guint i = 2; i < n; i++)
    insert (&module, i);
  g_ptr_array_add (module.order, new_instruction (&module, ADD, pick (&module, n), pick (&module, n)));
  return module;
}

static void
clear_module (Module *module)
{
  g_ptr_array_unref (module->order);
  g_ptr_array_unref (module->all);
  g_rand_free (module->rand);
}

/* Names without "%", as XLA writes them for its own tests. */
static void
without_marks (char *text)
{
  char *to = text;

  for (const char *p = text; *p != '\0'; p++)
    if (*p != '%')
      *to++ = *p;
  *to = '\0';
}

static void
try_dump (guint32 seed, guint n, guint n_passes, gboolean bare)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free), problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (PhModel) model = NULL;
  Module module = new_module (seed, n);

  for (guint p = 0; p < n_passes; p++)
    {
      g_autofree char *name = g_strdup_printf ("module_0001.f.%04u.all.after_p%u.before_p%u.txt", p, p, p + 1),
                      *text = write_module (&module);

      if (bare)
        without_marks (text);

      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
      g_assert_true (g_file_set_contents (paths->pdata[p], text, -1, NULL));
      for (guint k = (guint) g_rand_int_range (module.rand, 0, 4); k > 0; k--)
        change (&module);
    }
  model = ph_recording_open (folder, &history, problems, NULL, &error);
  g_assert_no_error (error);
  if (problems->len > 0)
    g_error ("seed %u: %s", seed, (char *) problems->pdata[0]);
  g_assert_cmpuint (history->steps->len, ==, n_passes - 1);
  model->journal = NULL;
  for (guint s = 0; s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      g_autoptr (PhModel) whole = ph_io_open (paths->pdata[s + 1], NULL, NULL, &error);

      g_assert_no_error (error);
      for (guint r = step->first_rewrite; r < step->first_rewrite + step->n_rewrites; r++)
        {
          const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, r);

          for (guint e = rewrite->first_edit; e < rewrite->first_edit + rewrite->n_edits; e++)
            ph_edit_apply (model, history->edits->pdata[e]);
        }
      g_assert_true (ph_model_verify (model, &error));
      if (shape_of (model->graph) != shape_of (whole->graph))
        g_error ("seed %u: after %s the model is not that of its file", seed, (char *) paths->pdata[s + 1]);
    }
  for (guint p = 0; p < paths->len; p++)
    g_unlink (paths->pdata[p]);
  g_rmdir (folder);
  clear_module (&module);
}

static void
test_random (void)
{
  for (guint32 seed = 0; seed < 60; seed++)
    try_dump (seed, 30 + seed % 7 * 10, 12, seed % 3 == 0);
}

/* What is parsed is what a pass changed and what stands around it, not the module. */
static void
test_work (gconstpointer data)
{
  const gboolean bare = data != NULL;
  Module module = new_module (7, 2000);
  g_autoptr (PhHloLines) before = NULL;
  g_autofree char *first = write_module (&module);
  guint n_parsed = 0;

  if (bare)
    without_marks (first);
  before = ph_hlo_lines_new (first, strlen (first), NULL);
  g_assert_nonnull (before);
  for (guint p = 0; p < 50; p++)
    {
      g_autofree char *text = NULL;
      g_autoptr (PhHloLines) after = NULL;
      g_autoptr (PhHloDelta) delta = NULL;

      ((Instruction *) module.order->pdata[100 + 30 * p])->id = module.next++;
      text = write_module (&module);
      if (bare)
        without_marks (text);
      after = ph_hlo_lines_new (text, strlen (text), before);
      g_assert_nonnull (after);
      delta = ph_hlo_lines_compare (before, after);
      g_assert_nonnull (delta);
      n_parsed += delta->n_parsed;
      ph_hlo_lines_free (before);
      before = g_steal_pointer (&after);
    }
  g_test_message ("%u instructions parsed of %u", n_parsed, 50 * module.order->len);
  g_assert_cmpuint (n_parsed, <, 50 * 100);
  clear_module (&module);
}

static void
test_layout (void)
{
  static const char *const others[]
      = { "",
          "ENTRY %e {\n  %a = f32[] parameter(0)\n}\n",
          "HloModule m\n\nENTRY %e {\n  a b = f32[] parameter(0)\n}\n",
          "HloModule m\n\nENTRY e {\n  %a = f32[] parameter(0)\n  ROOT %b = f32[] negate(%a), control-predecessors={%a}\n}\n",
          "HloModule m\n\nENTRY %e {\n  %a = f32[]",
          "HloModule m\n\nENTRY %e {\n  %a = f32[]\n" };
  static const char constant[]
      = "HloModule m\n\nENTRY %e () -> f32[2,2] {\n  ROOT %c = f32[2,2]{1,0} constant({\n { 1, 2 },\n { 3, 4 }\n  })\n}\n";
  g_autoptr (PhHloLines) lines = ph_hlo_lines_new (constant, strlen (constant), NULL),
                         again = ph_hlo_lines_new (constant, strlen (constant), lines);
  g_autoptr (PhHloDelta) delta = ph_hlo_lines_compare (lines, again);

  g_assert_null (delta->text);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr (PhHloLines) other = ph_hlo_lines_new (others[i], strlen (others[i]), NULL);

      g_assert_null (other);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hlo-dump/random", test_random);
  g_test_add_data_func ("/hlo-dump/work", NULL, test_work);
  g_test_add_data_func ("/hlo-dump/work-without-marks", "bare", test_work);
  g_test_add_func ("/hlo-dump/layout", test_layout);
  return g_test_run ();
}
