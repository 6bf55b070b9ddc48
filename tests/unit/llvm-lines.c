/* llvm-lines.c: of a large function in a dump of LLVM only the instructions that a pass changed are read: random passes over random functions lead
 * to what each snapshot read alone is.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/analyze/recording.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/splitmix.h"
#include "tests/unit/graph-hash.h"

#define N_BLOCKS 4
#define N_OPS    80 /* of a block */
#define N_PASSES 25

/* ── random functions ───────────────────────────────────────────────────────────────────────────────────────────── */

typedef enum
{
  ADD,
  NUMBER, /* reads a constant               */
  CALL,   /* has an effect                  */
  LOAD,
  STORE, /* makes nothing                    */
  PHI,   /* reads the value before, and one of the end of the function, which is behind it */
  N_KINDS
} Kind;

typedef struct _Op Op;
struct _Op
{
  Kind kind;
  guint version, id;
  Op *reads[2]; /* (nullable) NULL: a parameter */
  char name[24];
};

typedef struct
{
  GPtrArray *blocks[N_BLOCKS]; /* (element-type Op) */
  GPtrArray *all;
  guint64 seed;
  gboolean numbers; /* registers are counted, as without names */
  gboolean turned;  /* the second block goes elsewhere         */
} Code;

static guint
below (Code *code, guint n)
{
  return (guint) (ph_splitmix (&code->seed) % n);
}

/* A value of the block before @at, or of the first block. (nullable) */
static Op *
source (Code *code, guint block, guint at)
{
  for (guint tries = 0; tries < 8; tries++)
    {
      GPtrArray *ops = at > 0 && tries < 6 ? code->blocks[block] : code->blocks[0];
      const guint n = ops == code->blocks[block] ? at : ops->len;
      Op *op = n > 0 ? ops->pdata[n - 1 - below (code, MIN (n, 12))] : NULL;

      if (op != NULL && op->kind != STORE)
        return op;
    }
  return NULL;
}

static Op *
new_op (Code *code, guint block, guint at)
{
  static guint next;
  Op *op = g_new0 (Op, 1);

  op->kind = below (code, PHI);
  op->id = next++;
  op->reads[0] = source (code, block, at);
  op->reads[1] = source (code, block, at);
  g_ptr_array_add (code->all, op);
  return op;
}

static void
make_code (Code *code)
{
  code->all = g_ptr_array_new_with_free_func (g_free);
  for (guint b = 0; b < N_BLOCKS; b++)
    {
      code->blocks[b] = g_ptr_array_new ();
      for (guint i = 0; i < N_OPS; i++)
        g_ptr_array_add (code->blocks[b], new_op (code, b, i));
      if (b > 0)
        ((Op *) code->blocks[b]->pdata[0])->kind = PHI;
    }
}

static void
clear_code (Code *code)
{
  for (guint b = 0; b < N_BLOCKS; b++)
    g_ptr_array_unref (code->blocks[b]);
  g_ptr_array_unref (code->all);
}

static const char *
name_of (const Op *op)
{
  return op != NULL ? op->name : "%x";
}

/* The last value of the block. */
static const Op *
last_of (const GPtrArray *ops)
{
  for (guint i = ops->len; i-- > 0;)
    if (((Op *) ops->pdata[i])->kind != STORE)
      return ops->pdata[i];
  return NULL;
}

static void
print_op (GString *out, const Code *code, guint block, const Op *op)
{
  const char *a = name_of (op->reads[0]), *b = name_of (op->reads[1]);

  switch (op->kind)
    {
    case ADD: g_string_append_printf (out, "  %s = %s i32 %s, %s\n", op->name, op->version % 2 ? "sub" : "add", a, b); break;
    case NUMBER: g_string_append_printf (out, "  %s = mul nsw i32 %s, %u\n", op->name, a, op->version % 3); break;
    case CALL: g_string_append_printf (out, "  %s = tail call i32 @g(i32 %s, i32 %u)\n", op->name, a, op->version); break;
    case LOAD: g_string_append_printf (out, "  %s = load i32, ptr %%p, align %u\n", op->name, 4 + 4 * (op->version % 2)); break;
    case STORE: g_string_append_printf (out, "  store i32 %s, ptr %%p, align %u\n", a, 4 + 4 * (op->version % 2)); break;
    case PHI:
    case N_KINDS:
    default:
      g_string_append_printf (out, "  %s = phi i32 [ %s, %%b%u ], [ %s, %%b%u ]\n", op->name,
                              name_of (last_of (code->blocks[block - 1])), block - 1,
                              name_of (last_of (code->blocks[N_BLOCKS - 1])), N_BLOCKS - 1);
    }
}

static void
print_code (GString *out, Code *code)
{
  guint count = 0;

  for (guint b = 0; b < N_BLOCKS; b++)
    for (guint i = 0; i < code->blocks[b]->len; i++)
      {
        Op *op = code->blocks[b]->pdata[i];

        g_snprintf (op->name, sizeof op->name, code->numbers ? "%%%u" : "%%v%u", code->numbers ? count : op->id);
        count += op->kind != STORE;
      }
  g_string_append (out, "define i32 @f(i32 %x, ptr %p, i1 %c) {\n");
  for (guint b = 0; b < N_BLOCKS; b++)
    {
      g_string_append_printf (out, b > 0 ? "\nb%u:                        ; preds = %%b0\n" : "b%u:\n", b);
      for (guint i = 0; i < code->blocks[b]->len; i++)
        print_op (out, code, b, code->blocks[b]->pdata[i]);
      if (b + 1 == N_BLOCKS)
        g_string_append_printf (out, "  ret i32 %s\n}\n", name_of (last_of (code->blocks[b])));
      else if (b == 1)
        g_string_append_printf (out, "  br i1 %%c, label %%b%u, label %%b%u\n", code->turned ? 3 : 2, code->turned ? 2 : 1);
      else
        g_string_append_printf (out, "  br label %%b%u\n", b + 1);
    }
}

/* What passes do: an instruction goes, comes, becomes another, reads something else or moves; seldom a block leads elsewhere. */
static void
change (Code *code)
{
  const guint b = below (code, N_BLOCKS);
  GPtrArray *ops = code->blocks[b];
  const guint at = 1 + below (code, ops->len - 2);
  Op *op = ops->pdata[at], *next = ops->pdata[at + 1];

  switch (below (code, 40) == 0 ? 7 : below (code, 6))
    {
    case 0:
      if (op->kind == PHI || op->reads[0] == NULL)
        break;
      for (guint i = 0; i < code->all->len; i++)
        for (guint k = 0; k < 2; k++)
          if (((Op *) code->all->pdata[i])->reads[k] == op)
            ((Op *) code->all->pdata[i])->reads[k] = op->reads[0];
      g_ptr_array_remove_index (ops, at);
      break;
    case 1:
      g_ptr_array_insert (ops, (int) at, new_op (code, b, at));
      if (((Op *) ops->pdata[at])->kind != STORE)
        op->reads[0] = ops->pdata[at];
      break;
    case 2: op->version++; break;
    case 3: op->reads[0] = source (code, b, at); break;
    case 4:
      if (next->reads[0] != op && next->reads[1] != op && next->kind != PHI)
        {
          ops->pdata[at] = next;
          ops->pdata[at + 1] = op;
        }
      break;
    case 5: op->kind = op->kind == ADD ? NUMBER : op->kind == NUMBER ? CALL : op->kind; break;
    default: code->turned = !code->turned; break;
    }
}

/* ── tests ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Each state alone, as text (element-type char*), and all of them as a dump. A second function stays as it is. */
static GString *
random_dump (guint64 seed, GPtrArray *states)
{
  static const char other[] = "define i32 @h(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";
  Code code = { .seed = seed, .numbers = seed % 2 == 0 };
  GString *dump = g_string_new (NULL);

  make_code (&code);
  for (guint pass = 0; pass <= N_PASSES; pass++)
    {
      GString *state = g_string_new (NULL);
      const guint n = below (&code, 5);

      for (guint i = 0; pass > 0 && i < n; i++)
        change (&code);
      print_code (state, &code);
      if (pass == 0)
        g_string_append_printf (dump, "*** IR Dump At Start ***\n; ModuleID = 'm'\n%s%s", state->str, other);
      else
        g_string_append_printf (dump, "*** IR Dump After p%u on f ***\n%s", pass, state->str);
      g_string_append (state, other);
      g_ptr_array_add (states, g_string_free (state, FALSE));
    }
  clear_code (&code);
  return dump;
}

/* Steps of which the graph holds only a part: (few, all). */
static gboolean
count_few (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  guint *counts = data;

  counts[0] += model == NULL || model->graph->n_nodes < N_OPS;
  counts[1]++;
  g_clear_pointer (&parts, g_ptr_array_unref);
  g_clear_pointer (&model, ph_model_free);
  return TRUE;
}

static void
assert_same (const PhModel *model, const PhModel *whole, guint64 seed, guint step)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL), of_whole = g_hash_table_new (NULL, NULL);

  if (model->graph->n_nodes != whole->graph->n_nodes || graph_hash (model->graph, values) != graph_hash (whole->graph, of_whole))
    g_error ("seed %" G_GUINT64_FORMAT ": after step %u it is not what the snapshot says: %u nodes, not %u", seed, step,
             model->graph->n_nodes, whole->graph->n_nodes);
}

static void
check_dump (guint64 seed, guint counts[2])
{
  g_autoptr (GPtrArray) states = g_ptr_array_new_with_free_func (g_free), problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) dump = random_dump (seed, states);
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *path = g_build_filename (folder, "dump.txt", NULL);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  ph_format_record_text (ph_format_find ("llvm-dump"), dump->str, "dump.txt", count_few, counts, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, dump->str, -1, NULL));
  model = ph_recording_open (path, &history, problems, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < problems->len; i++)
    g_error ("%s", (char *) problems->pdata[i]);
  g_assert_cmpuint (history->steps->len, ==, N_PASSES);
  history->position = (PhPosition) { 0, 0 }; /* where the model is */
  for (guint step = 0; step <= N_PASSES; step++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (states->pdata[step], strlen (states->pdata[step]));
      g_autoptr (PhModel) whole = ph_format_read_bytes (ph_format_find ("llvm"), bytes, "state.ll", NULL, &error);

      g_assert_no_error (error);
      g_assert_true (ph_history_go (history, model, (PhPosition) { step, 0 }, &error));
      assert_same (model, whole, seed, step);
    }
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_random (void)
{
  guint counts[2] = { 0, 0 };

  for (guint64 seed = 1; seed <= 12; seed++)
    check_dump (seed, counts);
  g_test_message ("%u of %u steps were read in part", counts[0], counts[1]);
  g_assert_cmpuint (4 * counts[0], >, 3 * counts[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/llvm-lines/random", test_random);
  return g_test_run ();
}
