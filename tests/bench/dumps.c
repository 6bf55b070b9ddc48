/* dumps.c: how long long dumps of each kind take to open: see BENCHMARKS.md. It writes dumps of random passes over one function.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/analyze/recording.h"
#include "core/io/io.h"
#include "core/ops/builder.h"

#define BLOCK 50 /* instructions of a block of LLVM */

static int n_passes = 300, n_instructions = 5000, n_changes = 370;
static gboolean few;
static char *keep;

static const GOptionEntry options[] = {
  { "few", 0, 0, G_OPTION_ARG_NONE, &few, "Seven of ten passes change nothing, two 2 to 25, one the number of --changes", NULL },
  { "changes", 0, 0, G_OPTION_ARG_INT, &n_changes, "Changes of a pass (370)", "N" },
  { "passes", 0, 0, G_OPTION_ARG_INT, &n_passes, "Passes (300)", "N" },
  { "instructions", 0, 0, G_OPTION_ARG_INT, &n_instructions, "Instructions (5000)", "N" },
  { "keep", 0, 0, G_OPTION_ARG_FILENAME, &keep, "Write the dumps into this folder, which is left, and do not open them",
    "FOLDER" },
  { NULL },
};

/* ── programs ── */

typedef struct _Instruction Instruction;
struct _Instruction
{
  guint id, number; /* @number: its place, set when the program is written; the two inputs have 0 and 1 */
  guint op;
  gboolean removed; /* whoever reads it reads its first operand */
  gboolean ends;    /* a block of LLVM */
  Instruction *a, *b;
};

typedef struct
{
  GPtrArray *order; /* (element-type Instruction) two inputs first */
  GPtrArray *all;   /* owned */
  GRand *rand;
} Program;

static const char *const llvm_ops[] = { "fadd", "fmul", "fsub", "fdiv" };
static const char *const plain_ops[] = { "add", "multiply", "subtract", "divide" };
static const char *const mlir_ops[] = { "addf", "mulf", "subf", "divf" };
static const char *const aten_ops[] = { "add", "mul", "sub", "div" };
static const PhOp *const onnx_ops[] = { &ph_op_Add, &ph_op_Mul, &ph_op_Sub, &ph_op_Div };

static Instruction *
now (Instruction *i)
{
  while (i->removed)
    i = i->a;
  return i;
}

static Instruction *
pick (Program *program, guint before)
{
  const guint first = before > 40 && g_rand_int_range (program->rand, 0, 10) > 0 ? before - 40 : 0;

  return program->order->pdata[g_rand_int_range (program->rand, (gint) first, (gint) before)];
}

static Instruction *
make (Program *program, guint at)
{
  Instruction *made = g_new0 (Instruction, 1);

  made->id = program->all->len;
  g_ptr_array_add (program->all, made);
  made->op = (guint) g_rand_int_range (program->rand, 0, 4);
  if (at >= 2)
    {
      made->a = program->order->pdata[at - 1];
      made->b = pick (program, at);
    }
  g_ptr_array_insert (program->order, (gint) at, made);
  return made;
}

static Program *
program_new (void)
{
  Program *program = g_new (Program, 1);

  *program = (Program) { g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free), g_rand_new_with_seed (1) };
  for (guint i = 0; i < (guint) n_instructions + 2; i++)
    make (program, i)->ends = i > 0 && i % BLOCK == 0 && i + 2 < (guint) n_instructions;
  return program;
}

static void
program_free (Program *program)
{
  g_ptr_array_unref (program->order);
  g_ptr_array_unref (program->all);
  g_rand_free (program->rand);
  g_free (program);
}

/* Removes, inserts and alters instructions. */
static void
change (Program *program, guint n)
{
  for (guint k = 0; k < n; k++)
    {
      guint at = (guint) g_rand_int_range (program->rand, 3, (gint) program->order->len - 1);
      Instruction *i = program->order->pdata[at];

      if (i->ends && k % 3 == 0)
        i = program->order->pdata[--at];

      switch (k % 3)
        {
        case 0:
          i->removed = TRUE;
          g_ptr_array_remove_index (program->order, at);
          break;
        case 1: make (program, at); break;
        default:
          i->b = pick (program, at);
          i->op = (i->op + 1) % 4;
          break;
        }
    }
}

static guint
changes_of (Program *program)
{
  const int dice = g_rand_int_range (program->rand, 0, 10);

  return !few || dice == 9 ? (guint) n_changes : dice < 7 ? 0 : (guint) g_rand_int_range (program->rand, 2, 26);
}

static void
number (Program *program)
{
  for (guint i = 0; i < program->order->len; i++)
    {
      Instruction *each = program->order->pdata[i];

      each->number = i;
      if (each->a != NULL)
        {
          each->a = now (each->a);
          each->b = now (each->b);
        }
    }
}

#define FOREACH(program, i)                               \
  for (guint at_ = 2; at_ < (program)->order->len; at_++) \
    for (const Instruction *i = (program)->order->pdata[at_]; i != NULL; i = NULL)

static guint
last_id (const Program *program)
{
  return ((Instruction *) program->order->pdata[program->order->len - 1])->id;
}

/* ── texts ── */

static void
write_llvm (const Program *program, GString *out)
{
  g_string_append (out, "define float @f(float %v0, float %v1) {\nb0:\n");
  FOREACH (program, i)
  {
    g_string_append_printf (out, "  %%v%u = %s float %%v%u, %%v%u\n", i->id, llvm_ops[i->op], i->a->id, i->b->id);
    if (i->ends)
      g_string_append_printf (out, "  br label %%b%u\n\nb%u:                                               ; preds = %%b%u\n",
                              i->id, i->id, i->id - BLOCK);
  }
  g_string_append_printf (out, "  ret float %%v%u\n}\n", last_id (program));
}

static void
write_mlir (const Program *program, GString *out)
{
  g_string_append (out, "module {\n  func.func @f(%0: f32, %1: f32) -> f32 {\n");
  FOREACH (program, i)
  g_string_append_printf (out, "    %%%u = arith.%s %%%u, %%%u : f32\n", i->number, mlir_ops[i->op], i->a->number, i->b->number);
  g_string_append_printf (out, "    return %%%u : f32\n  }\n}\n\n", program->order->len - 1);
}

static void
write_hlo (const Program *program, GString *out)
{
  g_string_append (out, "HloModule jit_f, entry_computation_layout={(f32[4]{0}, f32[4]{0})->f32[4]{0}}\n\n"
                        "ENTRY %main (v.0: f32[4], v.1: f32[4]) -> f32[4] {\n"
                        "  %v.0 = f32[4]{0} parameter(0)\n  %v.1 = f32[4]{0} parameter(1)\n");
  FOREACH (program, i)
  g_string_append_printf (out,
                          "  %s%%v.%u = f32[4]{0} %s(f32[4]{0} %%v.%u, f32[4]{0} %%v.%u), "
                          "metadata={op_name=\"jit(f)/%s\" source_file=\"f.py\" source_line=%u}\n",
                          i->number == program->order->len - 1 ? "ROOT " : "", i->id, plain_ops[i->op], i->a->id, i->b->id,
                          plain_ops[i->op], i->id);
  g_string_append (out, "}\n");
}

static void
write_tvm (const Program *program, GString *out)
{
  g_string_append (out,
                   "# from tvm.script import ir as I\n# from tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
                   "    @R.function\n    def main(v0: R.Tensor((4,), dtype=\"float32\"), v1: R.Tensor((4,), dtype=\"float32\")) "
                   "-> R.Tensor((4,), dtype=\"float32\"):\n        with R.dataflow():\n");
  FOREACH (program, i)
  g_string_append_printf (out, "            v%u: R.Tensor((4,), dtype=\"float32\") = R.%s(v%u, v%u)\n", i->id, plain_ops[i->op],
                          i->a->id, i->b->id);
  g_string_append_printf (out, "            R.output(v%u)\n        return v%u\n", last_id (program), last_id (program));
}

static void
write_fx (const Program *program, GString *out)
{
  g_string_append (out, "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self, v0: \"f32[4]\", v1: \"f32[4]\"):\n");
  FOREACH (program, i)
  g_string_append_printf (out, "\t        v%u: \"f32[4]\" = torch.ops.aten.%s.Tensor(v%u, v%u)\n", i->id, aten_ops[i->op],
                          i->a->id, i->b->id);
  g_string_append_printf (out, "\t        return (v%u,)\n", last_id (program));
}

static void
write_mindspore (const Program *program, GString *out)
{
  g_string_append (out, "# IR entry: @main\n# Total subgraphs: 0\n\n# Total params: 2\n# Params:\n"
                        "%para1_v0: <Tensor[Float32], (4)>\n%para2_v1: <Tensor[Float32], (4)>\n\n"
                        "subgraph instance: main : 0x1\nsubgraph @main() {\n");
  FOREACH (program, i)
  {
    const Instruction *const of[] = { i->a, i->b };

    g_string_append_printf (out, "  %%%u(v%u) = %s(", i->number - 2, i->id, onnx_ops[i->op]->name);
    for (guint k = 0; k < 2; k++)
      if (of[k]->number < 2)
        g_string_append_printf (out, "%s%%para%u_v%u", k > 0 ? ", " : "", of[k]->number + 1, of[k]->number);
      else
        g_string_append_printf (out, "%s%%%u", k > 0 ? ", " : "", of[k]->number - 2);
    g_string_append (out, ")\n      : (<Tensor[Float32], (4)>, <Tensor[Float32], (4)>) -> (<Tensor[Float32], (4)>)\n"
                          "      #scope: (Default)\n");
  }
  g_string_append_printf (out, "  Return(%%%u)\n      : (<Tensor[Float32], (4)>)\n}\n", program->order->len - 3);
}

static PhModel *
make_onnx (const Program *program)
{
  PhModel *model = ph_model_new ();
  g_autofree PhValue **values = g_new (PhValue *, program->order->len);

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  for (guint i = 0; i < 2; i++)
    values[i] = ph_graph_add_input (model->graph, i == 0 ? "v0" : "v1", ph_type_static (PH_FLOAT, 1, (gint64[]) { 4 }), NULL,
                                    G_MAXUINT, NULL);
  FOREACH (program, i)
  {
    g_autofree char *output = g_strdup_printf ("v%u", i->id),
                    *name = g_strdup_printf ("/net/%s_%u", onnx_ops[i->op]->name, i->id);
    PhNodeSpec spec = { .op = onnx_ops[i->op],
                        .name = name,
                        .inputs = (PhValue *[]) { values[i->a->number], values[i->b->number] },
                        .n_inputs = 2,
                        .output_names = (const char *[]) { output },
                        .n_outputs = 1 };

    values[i->number] = ph_node_output (ph_graph_add_node (model->graph, &spec, NULL), 0);
  }
  ph_graph_set_output (model->graph, 0, values[program->order->len - 1], NULL);
  return model;
}

/* ── dumps ── */

typedef struct
{
  const char *name, *file;                    /* of a single file, or the pattern of the files in a folder: number, number + 1 */
  const char *header, *unchanged;             /* (nullable) of a section; of one that is left out since nothing changed */
  void (*write) (const Program *, GString *); /* (nullable) NULL: as ONNX's own file */
} Kind;

static const Kind kinds[] = {
  { "llvm-changed", "dump.txt", "*** IR Dump After P%uPass on f ***\n",
    "*** IR Dump After P%uPass on f omitted because no change ***\n", write_llvm },
  { "llvm-all", "dump.txt", "; *** IR Dump After P%uPass on f ***\n", NULL, write_llvm },
  { "mlir", "dump.txt", "// -----// IR Dump After P%u (p) //----- //\n", NULL, write_mlir },
  { "xla", "module_0001.jit_f.%04u.pipeline.after_p%u.before_q.txt", NULL, NULL, write_hlo },
  { "tvm", "%03u_P%u.py", NULL, NULL, write_tvm },
  { "torch-trace", "dump.log",
    "V0516 11:47:27.920000 1397 torch/_inductor/a.py:1] {\"artifact\": {\"name\": \"after_p%u_graph\", \"encoding\": \"string\"}, "
    "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": \"0\"}\n",
    NULL, write_fx },
  { "mindspore", "%u_p_%04u.ir", NULL, NULL, write_mindspore },
  { "onnx", "%03u_p%u.onnx", NULL, NULL, NULL },
};

static gboolean
is_folder (const Kind *kind)
{
  return kind->header == NULL;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void
write_dump (const Kind *kind, const char *folder)
{
  Program *program = program_new ();
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint pass = 0; pass < (guint) n_passes; pass++)
    {
      const guint n = pass > 0 ? changes_of (program) : 1;
      g_autofree char *name = g_strdup_printf (kind->file, pass, pass), *path = g_build_filename (folder, name, NULL);

      if (pass > 0)
        change (program, n);
      number (program);
      if (kind->header != NULL)
        g_string_append_printf (out, n == 0 && kind->unchanged != NULL ? kind->unchanged : kind->header, pass);
      if (kind->write != NULL && (n > 0 || kind->unchanged == NULL))
        kind->write (program, out);
      if (kind->write == NULL)
        {
          g_autoptr (PhModel) model = make_onnx (program);

          ph_io_save (model, path, NULL, &error);
        }
      else if (is_folder (kind) || pass + 1 == (guint) n_passes)
        g_file_set_contents (path, out->str, (gssize) out->len, &error);
      if (error != NULL)
        g_error ("%s", error->message);
      if (is_folder (kind))
        g_string_truncate (out, 0);
    }
  program_free (program);
}

static double
processor (void)
{
  return (double) clock () / CLOCKS_PER_SEC;
}

static void
open_dump (const Kind *kind, const char *folder)
{
  g_autofree char *file = !is_folder (kind) ? g_build_filename (folder, kind->file, NULL) : NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  const double began = processor ();
  const gint64 time = g_get_monotonic_time ();
  PhHistory *history = NULL;
  PhModel *model = ph_recording_open (file != NULL ? file : folder, &history, problems, NULL, &error);
  struct rusage usage;

  if (model == NULL)
    g_error ("%s", error->message);
  getrusage (RUSAGE_SELF, &usage);
  g_print ("%-14s %6.2f %6.2f %6ld %6u %8u %s\n", kind->name, processor () - began,
           (double) (g_get_monotonic_time () - time) / 1e6, usage.ru_maxrss / 1024, history->steps->len, history->edits->len,
           problems->len > 0 ? (char *) problems->pdata[0] : "");
  ph_history_free (history);
  ph_model_free (model);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[KIND...]");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  g_print ("%-14s %6s %6s %6s %6s %8s   (s, s, MB)\n", "kind", "proc.", "clock", "memory", "steps", "edits");
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const Kind *kind = &kinds[i];
      g_autofree char *folder = NULL;

      if (argc > 1 && !g_strv_contains ((const char *const *) argv + 1, kind->name))
        continue;
      folder = keep != NULL ? g_build_filename (keep, kind->name, NULL) : g_dir_make_tmp ("dumps-XXXXXX", NULL);
      g_mkdir_with_parents (folder, 0700);
      write_dump (kind, folder);
      if (keep != NULL)
        continue;
      open_dump (kind, folder);
      remove_folder (folder);
    }
  return 0;
}
