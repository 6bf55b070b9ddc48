/* statements.c: of snapshots in TVM's, PyTorch's and MindSpore's texts only what a pass changed is read: random passes over random graphs lead to
 * what each snapshot read alone is.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/analyze/recording.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/io/torch/torch.h"
#include "core/splitmix.h"
#include "tests/unit/graph-hash.h"

#define N_OPS    150
#define N_PASSES 20

/* ── random graphs ──────────────────────────────────────────────────────────────────────────────────────────────── */

typedef enum
{
  UNARY,
  BINARY,
  NUMBER,  /* one operand is a number */
  CONST,   /* and here a constant     */
  UNTYPED, /* its type is not written */
  PAIR,    /* of two results the second is taken */
  N_KINDS
} Kind;

typedef struct _Op Op;
struct _Op
{
  Kind kind;
  guint which, name, number;
  Op *reads[2]; /* (nullable) NULL: the input */
};

typedef struct
{
  GPtrArray *ops; /* (element-type Op) */
  GPtrArray *all; /* owned */
  guint64 seed;
} Program;

static guint
random_below (Program *program, guint n)
{
  return (guint) (ph_splitmix (&program->seed) % n);
}

static Op *
random_source (Program *program, guint end)
{
  return end > 0 ? program->ops->pdata[end - 1 - random_below (program, MIN (end, 12))] : NULL;
}

static Op *
add_op (Program *program, guint at)
{
  Op *op = g_new0 (Op, 1);

  op->kind = (Kind) random_below (program, N_KINDS);
  op->which = random_below (program, 4);
  op->name = program->all->len;
  op->reads[0] = random_source (program, at);
  op->reads[1] = random_source (program, at);
  g_ptr_array_add (program->all, op);
  g_ptr_array_insert (program->ops, (int) at, op);
  return op;
}

static void
drop (Program *program, guint at)
{
  const Op *gone = program->ops->pdata[at];

  for (guint i = at + 1; i < program->ops->len; i++)
    for (guint k = 0; k < 2; k++)
      if (((Op *) program->ops->pdata[i])->reads[k] == gone)
        ((Op *) program->ops->pdata[i])->reads[k] = gone->reads[0];
  g_ptr_array_remove_index (program->ops, at);
}

/* What passes do: one operation goes, comes, becomes another, reads something else, or moves. */
static void
change (Program *program)
{
  const guint at = random_below (program, program->ops->len - 1);
  Op *op = program->ops->pdata[at], *next = program->ops->pdata[at + 1];

  switch (random_below (program, 6))
    {
    case 0: drop (program, at); break;
    case 1: op->reads[0] = add_op (program, at); break;
    case 2: op->which = (op->which + 1) % 4; break;
    case 3: op->reads[1] = random_source (program, at); break;
    case 4:
      if (next->reads[0] != op && next->reads[1] != op)
        {
          program->ops->pdata[at] = next;
          program->ops->pdata[at + 1] = op;
        }
      break;
    default: op->kind = (Kind) ((op->kind + 1) % N_KINDS); break;
    }
}

static const char *const binary[] = { "add", "multiply", "subtract", "maximum" };
static const char *const unary[] = { "relu", "tanh", "sigmoid", "exp" };

static char *
name_of (const Op *op)
{
  return op != NULL ? g_strdup_printf ("v%u", op->name) : g_strdup ("x");
}

static void
write_tvm (const Program *program, GString *out)
{
  const char *type = ": R.Tensor((4,), dtype=\"float32\")";

  g_string_append_printf (
      out,
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main(x%s) -> R.Tensor((4,), dtype=\"float32\"):\n        with R.dataflow():\n",
      type);
  for (guint i = 0; i < program->ops->len; i++)
    {
      const Op *op = program->ops->pdata[i];
      g_autofree char *a = name_of (op->reads[0]), *b = name_of (op->reads[1]);

      if (op->kind == CONST && op->name % 2 == 0)
        g_string_append_printf (out, "            c%u = R.const(%u, \"float32\")\n", op->name, op->which / 2);
      g_string_append_printf (out, "            v%u%s = ", op->name, op->kind == UNTYPED || op->kind == PAIR ? "" : type);
      switch (op->kind)
        {
        case UNARY:
        case UNTYPED: g_string_append_printf (out, "R.nn.%s(%s)\n", unary[op->which], a); break;
        case BINARY: g_string_append_printf (out, "R.%s(%s, %s)\n", binary[op->which], a, b); break;
        case CONST:
          g_string_append_printf (out, "R.%s(%s, %s%u%s)\n", binary[op->which], a, op->name % 2 == 0 ? "c" : "R.const(",
                                  op->name % 2 == 0 ? op->name : op->which / 2, op->name % 2 == 0 ? "" : ", \"float32\")");
          break;
        case NUMBER: g_string_append_printf (out, "R.clip(%s,\n                min=0, max=%u)  # %s\n", a, op->which, b); break;
        default: g_string_append_printf (out, "R.split(%s, indices_or_sections=2)[%u]\n", a, op->which % 2); break;
        }
    }
  {
    g_autofree char *last = name_of (program->ops->pdata[program->ops->len - 1]);

    g_string_append_printf (out, "            R.output(%s)\n        return %s\n", last, last);
  }
}

static void
write_fx (const Program *program, GString *out)
{
  g_string_append (out, "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self, x: \"f32[4]\"):\n");
  for (guint i = 0; i < program->ops->len; i++)
    {
      const Op *op = program->ops->pdata[i];
      g_autofree char *a = name_of (op->reads[0]), *b = name_of (op->reads[1]);

      if (i % 5 == 0)
        g_string_append_printf (out, "\t         # File: net.py:%u in forward, code: x = f(y)\n\t        ", op->name + 1);
      else
        g_string_append (out, "\t        ");
      if (op->kind == PAIR)
        g_string_append_printf (out, "s%u = torch.ops.aten.split.Tensor(%s, 2)\n\t        ", op->name, a);
      g_string_append_printf (out, "v%u%s = ", op->name, op->kind == UNTYPED ? "" : ": \"f32[4]\"");
      switch (op->kind)
        {
        case UNARY:
        case UNTYPED: g_string_append_printf (out, "torch.ops.aten.%s.default(%s)", unary[op->which], a); break;
        case BINARY: g_string_append_printf (out, "torch.ops.aten.add.Tensor(%s, %s, alpha = %u)", a, b, op->which); break;
        case CONST:
        case NUMBER: g_string_append_printf (out, "torch.ops.aten.mul.Tensor(%s, %u)", a, op->which); break;
        default: g_string_append_printf (out, "s%u[%u];  s%u = None", op->name, op->which % 2, op->name); break;
        }
      g_string_append (out, i % 7 == 3 && op->kind != PAIR ? ";  gone = None\n" : "\n");
    }
  {
    g_autofree char *last = name_of (program->ops->pdata[program->ops->len - 1]);

    g_string_append_printf (out, "\t        return (%s,)\n\t        \n", last);
  }
}

static void
write_mindspore (const Program *program, GString *out)
{
  const char *type = "<Tensor[Float32], (4)>";

  g_string_append_printf (out,
                          "# IR entry: @main\n# Total subgraphs: 1\n# Total CNode: %u\n\n# Params:\n%%para1_x: %s\n\n"
                          "subgraph instance: main : 0x1\nsubgraph @main() {\n",
                          program->ops->len, type);
  for (guint i = 0; i < program->ops->len; i++)
    {
      Op *op = program->ops->pdata[i];

      op->number = i;
      g_string_append_printf (out, "  %%%u([CNode]%u) = %s(", i, op->name,
                              op->kind == UNARY || op->kind == UNTYPED ? unary[op->which] : binary[op->which]);
      for (guint k = 0; k < (op->kind == UNARY || op->kind == UNTYPED ? 1 : 2); k++)
        if (k == 1 && (op->kind == NUMBER || op->kind == CONST))
          g_string_append_printf (out, ", F32(%u)", op->which);
        else if (op->reads[k] == NULL)
          g_string_append_printf (out, "%s%%para1_x", k > 0 ? ", " : "");
        else
          g_string_append_printf (out, "%s%%%u", k > 0 ? ", " : "", op->reads[k]->number);
      g_string_append_printf (out, ") {instance name: %s, k: I64(%u)}\n", unary[op->which], op->which);
      if (op->kind != UNTYPED)
        g_string_append_printf (out, "      : (%s, %s) -> (%s)\n", type, type, type);
      g_string_append (out, "      #scope: (Default)\n");
    }
  g_string_append_printf (out, "  Return(%%%u)\n      : (%s)\n}\n", program->ops->len - 1, type);
}

/* ── tests ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  const char *format, *ending; /* of a snapshot's file; NULL: all are in a log */
  void (*write) (const Program *, GString *);
} Language;

static const Language languages[]
    = { { "tvmscript", "py", write_tvm }, { "fx", NULL, write_fx }, { "mindspore-ir", "ir", write_mindspore } };

/* What a value is, with its type. */
static gpointer
typed (GHashTable *values, const PhValue *value)
{
  return GSIZE_TO_POINTER (
      graph_hash_mix (GPOINTER_TO_SIZE (g_hash_table_lookup (values, value)), GPOINTER_TO_SIZE (value->type)));
}

/* Compares the structure, and the types of values that have one in @whole: what a node that stays is not told, it keeps. */
static gboolean
is_same (const PhModel *model, const PhModel *whole)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL), of_whole = g_hash_table_new (NULL, NULL),
                         types = g_hash_table_new (NULL, NULL);
  gboolean same = model->graph->n_nodes == whole->graph->n_nodes
                  && graph_hash (model->graph, values) == graph_hash (whole->graph, of_whole);

  PH_FOREACH_NODE (node, model->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      g_hash_table_add (types, typed (values, node->outputs->pdata[i]));
  PH_FOREACH_NODE (node, whole->graph)
    for (guint i = 0; same && i < node->outputs->len; i++)
      same = ph_node_output (node, i)->type == NULL || g_hash_table_contains (types, typed (of_whole, node->outputs->pdata[i]));
  return same;
}

static PhModel *
read_state (const Language *language, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_format_read_bytes (ph_format_find (language->format), bytes, "state", NULL, &error);

  g_assert_no_error (error);
  return model;
}

/* Reads @states one after another. Returns how many were read in part. */
static guint
count_in_part (const Language *language, const GPtrArray *states)
{
  const PhStatementSyntax *syntax = ph_format_find (language->format)->statements;
  g_autoptr (PhStatements) statements = NULL;
  guint n = 0;

  for (guint i = 0; i < states->len; i++)
    {
      g_auto (PhSource) source = { 0 };
      GPtrArray *parts = NULL;
      PhModel *model;

      ph_source_init (&source, "state", NULL);
      model = ph_statements_read (syntax, &statements, &source, states->pdata[i], strlen (states->pdata[i]), 1, &parts, NULL);
      g_assert_nonnull (model);
      n += statements != NULL && ph_statements_n_read (statements) != G_MAXUINT;
      g_clear_pointer (&parts, g_ptr_array_unref);
      ph_model_free (model);
    }
  return n;
}

static Program *
program_new (guint64 seed)
{
  Program *program = g_new0 (Program, 1);

  *program = (Program) { g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free), seed };
  for (guint i = 0; i < N_OPS; i++)
    add_op (program, i);
  return program;
}

static void
program_free (Program *program)
{
  g_ptr_array_unref (program->ops);
  g_ptr_array_unref (program->all);
  g_free (program);
}

static void
write_states (const Language *language, const GPtrArray *states, const char *folder)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autofree char *log_path = g_build_filename (folder, "dump.log", NULL);

  for (guint i = 0; i < states->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("%03u_p.%s", i, language->ending), *path = g_build_filename (folder, name, NULL);

      g_string_append_printf (log,
                              "V0516 11:47:27.920000 1397 torch/_inductor/a.py:1] {\"artifact\": {\"name\": \"after_p%u_graph\", "
                              "\"encoding\": \"string\"}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}\n%s",
                              i, (char *) states->pdata[i]);
      if (language->ending != NULL)
        g_assert_true (g_file_set_contents (path, states->pdata[i], -1, NULL));
    }
  if (language->ending == NULL)
    g_assert_true (g_file_set_contents (log_path, log->str, -1, NULL));
}

/* The snapshots of random passes. (transfer full) (element-type utf8) */
static GPtrArray *
random_states (const Language *language, guint64 seed)
{
  GPtrArray *states = g_ptr_array_new_with_free_func (g_free);
  Program *program = program_new (seed);

  for (guint pass = 0; pass <= N_PASSES; pass++)
    {
      GString *state = g_string_new (NULL);

      for (guint n = pass > 0 ? random_below (program, 6) : 0; n > 0; n--)
        change (program);
      language->write (program, state);
      g_ptr_array_add (states, g_string_free (state, FALSE));
    }
  program_free (program);
  return states;
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
}

/* Returns how many snapshots were read in part. */
static guint
check_dump (const Language *language, guint64 seed)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *log = g_build_filename (folder, "dump.log", NULL);
  g_autoptr (GPtrArray) states = random_states (language, seed), problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  write_states (language, states, folder);
  model = ph_recording_open (language->ending == NULL ? log : folder, &history, problems, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < problems->len; i++)
    g_error ("%s, seed %" G_GUINT64_FORMAT ": %s", language->format, seed, (char *) problems->pdata[i]);
  g_assert_cmpuint (history->steps->len, ==, N_PASSES);
  history->position = (PhPosition) { 0, 0 }; /* where the model is */
  for (guint step = 0; step <= N_PASSES; step++)
    {
      g_autoptr (PhModel) whole = read_state (language, states->pdata[step]);

      g_assert_true (ph_history_go (history, model, (PhPosition) { step, 0 }, &error));
      if (!is_same (model, whole))
        g_error ("%s, seed %" G_GUINT64_FORMAT ", after step %u: not what the snapshot says", language->format, seed, step);
    }
  remove_folder (folder);
  return count_in_part (language, states);
}

static void
test_random (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (languages); k++)
    {
      guint n = 0;

      for (guint64 seed = 1; seed <= 12; seed++)
        n += check_dump (&languages[k], seed);
      g_test_message ("%s: %u of %u snapshots were read in part", languages[k].format, n, 12 * N_PASSES);
      g_assert_cmpuint (4 * n, >, 3 * 12 * N_PASSES);
    }
}

static gsize
line_at (const GString *text, gsize at)
{
  while (at > 0 && text->str[at - 1] != '\n')
    at--;
  return at;
}

/* Other digits, bytes and lines in a copy of @text. (transfer full) */
static char *
mutate (guint64 seed, const char *text)
{
  static const char bytes[] = "vs01 =:;,.()[]#\"%_\n\t+x";
  GString *out = g_string_new (text);

  for (guint n = 1 + (guint) (ph_splitmix (&seed) % 3); n > 0; n--)
    {
      const gsize at = ph_splitmix (&seed) % out->len, from = line_at (out, ph_splitmix (&seed) % out->len);
      g_autofree char *line = g_strndup (out->str + from, strcspn (out->str + from, "\n") + 1);
      const guint which = (guint) (ph_splitmix (&seed) % 8);

      if (which == 0)
        out->str[at] = bytes[ph_splitmix (&seed) % (sizeof bytes - 1)];
      else if (which == 1)
        g_string_erase (out, (gssize) from, (gssize) strlen (line));
      else if (which == 2)
        g_string_insert (out, (gssize) line_at (out, at), line);
      else
        {
          char *digit = out->str + at + strcspn (out->str + at, "0123456789");

          if (*digit != '\0')
            *digit = (char) ('0' + ph_splitmix (&seed) % 10);
        }
    }
  return g_string_free (out, FALSE);
}

/* Whether a log takes all of @text for one snapshot: each line is indented. */
static gboolean
is_payload (const char *text)
{
  for (const char *p = text; p != NULL && *p != '\0'; p = strchr (p, '\n') != NULL ? strchr (p, '\n') + 1 : NULL)
    if (*p != '\t')
      return FALSE;
  return TRUE;
}

/* A damaged snapshot leads to what it is alone, or is left out. Returns FALSE if it is. */
static gboolean
check_mutated (const Language *language, guint64 seed)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *log = g_build_filename (folder, "dump.log", NULL);
  g_autoptr (GPtrArray) states = g_ptr_array_new_with_free_func (g_free), problems = g_ptr_array_new_with_free_func (g_free);
  Program *program = program_new (seed);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (PhModel) model = NULL, whole = NULL;
  gboolean taken;
  g_autoptr (GBytes) bytes = NULL;

  language->write (program, text);
  program_free (program);
  g_ptr_array_add (states, g_strdup (text->str));
  g_ptr_array_add (states, mutate (seed, text->str));
  write_states (language, states, folder);
  model = ph_recording_open (language->ending == NULL ? log : folder, &history, problems, NULL, NULL);
  bytes = g_bytes_new_static (states->pdata[1], strlen (states->pdata[1]));
  whole = ph_format_read_bytes (ph_format_find (language->format), bytes, "state", NULL, NULL);
  taken = model != NULL && history != NULL && whole != NULL && (language->ending != NULL || is_payload (states->pdata[1]));
  if (taken)
    {
      history->position = (PhPosition) { 0, 0 };
      g_assert_true (ph_history_go (history, model, (PhPosition) { 1, 0 }, NULL));
      if (!is_same (model, whole))
        g_error ("%s, seed %" G_GUINT64_FORMAT ": not what the damaged snapshot says", language->format, seed);
    }
  remove_folder (folder);
  return taken;
}

static void
test_mutated (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (languages); k++)
    {
      guint n = 0;

      for (guint64 seed = 1; seed <= 40; seed++)
        n += check_mutated (&languages[k], seed) ? 1 : 0;
      g_test_message ("%s: %u of 40 were taken", languages[k].format, n);
      g_assert_cmpuint (n, >, 10);
    }
}

/* Of a graph as long as one likes, a step reads the changed operation, what reads it and what those read. */
static void
test_only_changes (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (languages); k++)
    for (guint n_changes = 1; n_changes <= 3; n_changes++)
      {
        Program program = { g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free), 1 };
        g_autoptr (PhStatements) statements = NULL;

        for (guint i = 0; i < 1000; i++)
          {
            Op *op = add_op (&program, i);

            op->kind = BINARY;
            op->reads[0] = i > 0 ? program.ops->pdata[i - 1] : NULL;
            op->reads[1] = i > 1 ? program.ops->pdata[i - 2] : NULL;
          }
        for (guint pass = 0; pass < 2; pass++)
          {
            g_autoptr (GString) text = g_string_new (NULL);
            g_auto (PhSource) source = { 0 };
            g_autoptr (GPtrArray) parts = NULL;
            g_autoptr (PhModel) model = NULL;

            for (guint i = 0; pass > 0 && i < n_changes; i++)
              drop (&program, 200 + 200 * i);
            languages[k].write (&program, text);
            ph_source_init (&source, "state", NULL);
            model = ph_statements_read (ph_format_find (languages[k].format)->statements, &statements, &source, text->str,
                                        text->len, 1, &parts, NULL);
            g_assert_nonnull (model);
            g_assert_nonnull (parts);
          }
        /* What read the one that went (2), what that reads (3); TVM's and MindSpore's ends, and what they return. */
        g_assert_cmpuint (ph_statements_n_read (statements), <=, 5 * n_changes + 3);
        g_ptr_array_unref (program.ops);
        g_ptr_array_unref (program.all);
      }
}

/* Where each of many statements leads on to the next one, all is read. */
static void
test_zigzag (void)
{
  Program program = { g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free), 1 };
  g_autoptr (PhStatements) statements = NULL;

  for (guint i = 0; i < 200; i++)
    {
      Op *op = add_op (&program, i);

      *op = (Op) { .kind = i < 100 ? UNTYPED : BINARY, .which = 0, .name = op->name };
      op->reads[0] = i >= 100 ? program.ops->pdata[i - 100] : NULL;
      op->reads[1] = i >= 100 ? program.ops->pdata[MIN (i - 99, 99)] : NULL;
    }
  for (guint pass = 0; pass < 2; pass++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_auto (PhSource) source = { 0 };
      g_autoptr (GPtrArray) parts = NULL;
      g_autoptr (PhModel) model = NULL;

      ((Op *) program.ops->pdata[100])->which = pass;
      write_tvm (&program, text);
      ph_source_init (&source, "state", NULL);
      model = ph_statements_read (ph_format_find ("tvmscript")->statements, &statements, &source, text->str, text->len, 1, &parts,
                                  NULL);
      g_assert_nonnull (model);
      g_assert_nonnull (parts);
    }
  g_assert_cmpuint (ph_statements_n_read (statements), ==, G_MAXUINT);
  g_ptr_array_unref (program.ops);
  g_ptr_array_unref (program.all);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/statements/random", test_random);
  g_test_add_func ("/statements/mutated", test_mutated);
  g_test_add_func ("/statements/only-changes", test_only_changes);
  g_test_add_func ("/statements/zigzag", test_zigzag);
  return g_test_run ();
}
