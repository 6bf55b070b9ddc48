/* statements.c: compares the text of a snapshot with the one before it; see statements.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/statements.h"

#include <string.h>

#include "core/intern.h"

#define MAX_ROUNDS 8 /* what a change touches by way of statements without types is mostly near */

/* A statement; shared by all snapshots that hold it. */
typedef struct
{
  guint n_references;
  PhStatementKind kind;
  char *key;
  gsize n_key;
  const char *name;   /* (nullable) interned                                              */
  const char **reads; /* interned                                                         */
  guint n_reads;
  gboolean typed;
  guint n_nodes, n_outputs; /* that its last reading made; what reads it may ask for more outputs   */
  gboolean plain;           /* that is one node with one value of a known type                      */
} Statement;

typedef enum
{
  LEFT_OUT,
  STANDING, /* read as a value without operands */
  SAME,     /* read, as something reads it or as what it reads changed */
  CHANGED,
} Mark;

/* Where a statement stands in a text. */
typedef struct
{
  Statement *statement;
  const char *text;
  gsize size;
  guint line, n_lines, n_nodes, n_outputs; /* @line: from 0 */
  gboolean plain,
      flows; /* @flows: what reads its value is read again, as that is another one, or has other outputs or another type */
  Mark mark;
} Entry;

struct _PhStatements
{
  const PhStatementSyntax *syntax;
  GArray *entries;
  GHashTable *index; /* name -> index + 1 */
  guint n_lines, n_read;
  gboolean followed;    /* the names of its nodes are known */
  PhStatements *before; /* (nullable) while the text is taken apart */
  guint at;             /* where in @before the next statement is looked for first */
};

#define ENTRY(statements, i) (&g_array_index ((statements)->entries, Entry, i))

static void
statement_unref (Statement *statement)
{
  if (--statement->n_references > 0)
    return;
  g_free (statement->key);
  g_free (statement->reads);
  g_free (statement);
}

void
ph_statements_free (PhStatements *statements)
{
  for (guint i = 0; i < statements->entries->len; i++)
    statement_unref (ENTRY (statements, i)->statement);
  g_array_unref (statements->entries);
  g_hash_table_unref (statements->index);
  g_free (statements);
}

guint
ph_statements_n_read (const PhStatements *statements)
{
  return statements->n_read;
}

/* ── taking a text apart ────────────────────────────────────────────────────────────────────────────────────────── */

static guint
count_lines (const char *p, const char *end)
{
  guint n = 0;

  for (; p < end && (p = memchr (p, '\n', (gsize) (end - p))) != NULL; p++)
    n++;
  return n;
}

static gboolean
is_it (const Statement *statement, PhStatementKind kind, const char *key, gsize n_key)
{
  return statement->kind == kind && statement->n_key == n_key && memcmp (statement->key, key, n_key) == 0;
}

/* (nullable) */
static Entry *
find (const PhStatements *statements, const char *name)
{
  const guint found = GPOINTER_TO_UINT (g_hash_table_lookup (statements->index, name));

  return found > 0 ? ENTRY (statements, found - 1) : NULL;
}

/* Returns the same statement of the snapshot before. (nullable) */
static Statement *
share (PhStatements *statements, PhStatementKind kind, const char *key, gsize n_key, const char *name)
{
  PhStatements *before = statements->before;
  const Entry *entry;

  if (before == NULL)
    return NULL;
  entry = name != NULL ? find (before, name) : NULL;
  if (entry == NULL || !is_it (entry->statement, kind, key, n_key))
    return NULL;
  statements->at = (guint) (entry - ENTRY (before, 0)) + 1;
  return entry->statement;
}

/* (nullable) */
static Statement *
make (PhStatements *statements, PhStatementKind kind, const char *key, gsize n_key, const char *name)
{
  g_autoptr (GPtrArray) reads = g_ptr_array_new ();
  Statement *statement = g_new0 (Statement, 1);

  statement->kind = kind;
  statement->key = g_strndup (key, n_key);
  statement->n_key = n_key;
  statement->name = name;
  if (name != NULL && !statements->syntax->describe (statement->key, n_key, reads, &statement->typed))
    {
      statement->n_references = 1;
      statement_unref (statement);
      return NULL;
    }
  statement->n_reads = reads->len;
  statement->reads = g_memdup2 (reads->pdata, MAX (reads->len, 1) * sizeof (gpointer));
  return statement;
}

gboolean
ph_statements_add (PhStatements *statements, PhStatementKind kind, const char *text, const char *end, const char *key,
                   gsize n_key, const char *name, gsize n_name)
{
  const PhStatements *before = statements->before;
  Entry entry = { .text = text, .size = (gsize) (end - text), .line = statements->n_lines, .n_lines = count_lines (text, end) };

  if (before != NULL && statements->at < before->entries->len
      && is_it (ENTRY (before, statements->at)->statement, kind, key, n_key))
    entry.statement = ENTRY (before, statements->at++)->statement;
  else
    {
      const char *own = kind == PH_STATEMENT_VALUE   ? ph_intern_sized (name, n_name)
                        : kind == PH_STATEMENT_FRAME ? ph_intern_sized (key, n_key)
                                                     : NULL;

      entry.statement = share (statements, kind, key, n_key, own);
      if (entry.statement == NULL)
        entry.statement = make (statements, kind, key, n_key, own);
      if (entry.statement == NULL)
        return FALSE;
    }
  entry.statement->n_references++;
  g_array_append_val (statements->entries, entry);
  statements->n_lines += entry.n_lines;
  return entry.statement->name == NULL
         || g_hash_table_insert (statements->index, (gpointer) entry.statement->name,
                                 GUINT_TO_POINTER (statements->entries->len));
}

/* (nullable) */
static PhStatements *
statements_new (const PhStatementSyntax *syntax, const char *text, gsize size, PhStatements *before)
{
  g_autoptr (PhStatements) statements = g_new0 (PhStatements, 1);

  statements->syntax = syntax;
  statements->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  statements->index = g_hash_table_new (NULL, NULL);
  statements->before = before;
  if (memchr (text, '\0', size) != NULL || !syntax->split (statements, text, size))
    return NULL;
  statements->before = NULL;
  return g_steal_pointer (&statements);
}

/* ── comparing ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
next_fixed (const PhStatements *statements, guint *at)
{
  while (*at < statements->entries->len && ENTRY (statements, *at)->statement->kind != PH_STATEMENT_FIXED)
    ++*at;
  return *at < statements->entries->len;
}

static gboolean
same_fixed (const PhStatements *before, const PhStatements *after)
{
  guint i = 0, k = 0;

  for (;; i++, k++)
    {
      const gboolean more = next_fixed (before, &i);
      const Statement *statement = more ? ENTRY (before, i)->statement : NULL;

      if (next_fixed (after, &k) != more)
        return FALSE;
      if (!more)
        return TRUE;
      if (!is_it (ENTRY (after, k)->statement, PH_STATEMENT_FIXED, statement->key, statement->n_key))
        return FALSE;
    }
}

static gboolean
reads_changed (const PhStatements *before, const PhStatements *after, const Statement *statement)
{
  for (guint i = 0; i < statement->n_reads; i++)
    {
      const Entry *entry = find (after, statement->reads[i]);

      if (entry != NULL ? entry->flows : find (before, statement->reads[i]) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Marks what changed, and what was read by something that is gone and is not plain. */
static void
mark_changed (const PhStatements *before, PhStatements *after)
{
  for (guint i = 0; i < after->entries->len; i++)
    {
      Entry *entry = ENTRY (after, i);
      const Statement *statement = entry->statement;
      const Entry *old = statement->name != NULL ? find (before, statement->name) : NULL;

      if (statement->name != NULL && (old == NULL || old->statement != statement))
        entry->mark = CHANGED;
      else if (statement->kind == PH_STATEMENT_FRAME || statement->kind == PH_STATEMENT_FIXED)
        entry->mark = SAME;
      entry->flows = entry->mark == CHANGED;
    }
  for (guint i = 0; i < before->entries->len; i++)
    {
      const Statement *statement = ENTRY (before, i)->statement;
      const Entry *now = statement->name != NULL ? find (after, statement->name) : NULL;

      if (now != NULL && now->mark != CHANGED)
        continue;
      for (guint k = 0; k < statement->n_reads; k++)
        {
          Entry *read = find (after, statement->reads[k]);

          if (read != NULL && read->mark == LEFT_OUT && !read->statement->plain)
            {
              read->mark = SAME;
              read->flows = TRUE;
            }
        }
    }
}

/* Marks what reads something that changed or is gone. */
static void
mark_down (const PhStatements *before, PhStatements *after)
{
  for (guint i = 0; i < after->entries->len; i++)
    {
      Entry *entry = ENTRY (after, i);

      if (entry->mark == CHANGED || entry->flows || entry->statement->name == NULL
          || !reads_changed (before, after, entry->statement))
        continue;
      entry->mark = SAME;
      entry->flows = !entry->statement->plain;
    }
}

/* Marks what the marked ones read, and what they stand below. Returns FALSE if something is read that stands below. @more: (out) what reads one of
 * these has to be marked, too. */
static gboolean
mark_up (PhStatements *after, gboolean *more)
{
  gboolean below = FALSE;

  *more = FALSE;
  for (guint i = after->entries->len; i-- > 0;)
    {
      Entry *entry = ENTRY (after, i);
      const Statement *statement = entry->statement;

      if (statement->kind == PH_STATEMENT_ABOVE && below)
        {
          entry->mark = SAME;
          below = FALSE;
        }
      if (entry->mark < SAME || statement->name == NULL)
        continue;
      below = TRUE;
      for (guint k = 0; k < statement->n_reads; k++)
        {
          Entry *read = find (after, statement->reads[k]);

          if (read != NULL && read > entry)
            return FALSE;
          if (read == NULL || read == entry || read->mark != LEFT_OUT)
            continue;
          read->mark = read->statement->plain ? STANDING : SAME;
          read->flows = read->mark == SAME;
          *more = *more || read->flows;
        }
    }
  return TRUE;
}

/* The name of the node @index of a statement; no name of a text has a line break. */
static const char *
node_name (const Statement *statement, guint index)
{
  g_autofree char *name = index > 0 ? g_strdup_printf ("%s\n%u", statement->name, index) : NULL;

  return name != NULL ? ph_intern (name) : statement->name;
}

static void
add_names (GPtrArray *names, const Statement *statement)
{
  for (guint i = 0; i < statement->n_nodes; i++)
    g_ptr_array_add (names, (gpointer) node_name (statement, i));
}

static void
tell (const PhStatements *before, PhStatements *after, PhTextPart *part)
{
  for (guint i = 0; i < before->entries->len; i++)
    {
      const Statement *statement = ENTRY (before, i)->statement;
      const Entry *now = statement->name != NULL ? find (after, statement->name) : NULL;

      if (statement->name != NULL && (now == NULL || now->mark == CHANGED))
        add_names (part->gone, statement);
    }
  for (guint i = 0; i < after->entries->len; i++)
    {
      const Entry *entry = ENTRY (after, i);

      if (entry->statement->name != NULL && (entry->mark == SAME || entry->mark == STANDING))
        add_names (entry->mark == SAME ? part->same : part->standing, entry->statement);
    }
}

static GString *
write_marked (PhStatements *statements)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < statements->entries->len; i++)
    {
      const Entry *entry = ENTRY (statements, i);

      if (entry->mark == STANDING)
        statements->syntax->stand (entry->text, entry->size, out);
      else if (entry->mark > STANDING)
        g_string_append_len (out, entry->text, (gssize) entry->size);
      else
        for (guint k = 0; k < entry->n_lines; k++)
          g_string_append_c (out, '\n');
      statements->n_read += entry->mark > LEFT_OUT && entry->statement->name != NULL ? 1 : 0;
    }
  return out;
}

/* ── whose nodes are which ── */

/* Returns the statement whose line made @node. (nullable) */
static Entry *
entry_of (const PhStatements *statements, const PhNode *node, guint first_line)
{
  const PhWhere *where = node->where;
  guint low = 0, high = statements->entries->len;

  while (where != NULL && !where->own)
    where = where->outer;
  if (where == NULL || where->line < first_line || where->line - first_line >= statements->n_lines + 1)
    return NULL;
  while (high - low > 1)
    {
      const guint middle = low + (high - low) / 2;

      if (ENTRY (statements, middle)->line > where->line - first_line)
        high = middle;
      else
        low = middle;
    }
  return high > low ? ENTRY (statements, low) : NULL;
}

/* Returns FALSE if it is not known of each node which statement made it, or if more than its statement says what it is. */
static gboolean
name_nodes (PhStatements *statements, const PhModel *model, guint first_line, PhTextPart *part)
{
  for (guint i = 0; i < model->graph->constants->len; i++)
    if (ph_value_n_uses (model->graph->constants->pdata[i]) != 1)
      return FALSE;
  part->owned = TRUE;
  PH_FOREACH_NODE (node, model->graph)
    {
      Entry *entry = entry_of (statements, node, first_line);

      if (entry == NULL || entry->statement->name == NULL || (entry->mark == LEFT_OUT && !part->whole)
          || (node->control != NULL && node->control->len > 0) || (node->graphs != NULL && node->graphs->len > 0)
          || (statements->syntax->is_ordered != NULL && statements->syntax->is_ordered (node)))
        return FALSE;
      g_ptr_array_add (part->names, (gpointer) node_name (entry->statement, entry->n_nodes++));
      entry->n_outputs += node->outputs->len;
      entry->plain = entry->n_nodes == 1 && node->outputs->len == 1 && ph_node_output (node, 0)->type != NULL
                     && entry->statement->typed && entry->statement->kind == PH_STATEMENT_VALUE;
    }
  for (guint i = 0; i < statements->entries->len; i++)
    {
      const Entry *entry = ENTRY (statements, i);

      if ((entry->mark == STANDING && !entry->plain)
          || (entry->mark == SAME
              && (entry->n_nodes != entry->statement->n_nodes || entry->n_outputs != entry->statement->n_outputs)))
        return FALSE;
    }
  for (guint i = 0; i < statements->entries->len; i++)
    {
      const Entry *entry = ENTRY (statements, i);

      if (!part->whole && entry->mark < SAME)
        continue;
      entry->statement->n_nodes = entry->n_nodes;
      entry->statement->n_outputs = entry->n_outputs;
      entry->statement->plain = entry->plain;
    }
  return TRUE;
}

/* ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns the model of what changed. NULL: all has to be read. */
static PhModel *
read_changes (PhStatements *before, PhStatements *after, PhSource *source, guint line, PhTextPart *part)
{
  g_autoptr (GString) text = NULL;
  PhModel *model;
  const guint n_problems = source->problems != NULL ? source->problems->len : 0;
  gboolean more = TRUE;

  if (!same_fixed (before, after))
    return NULL;
  mark_changed (before, after);
  for (guint round = 0; more; round++)
    {
      mark_down (before, after);
      if (round == MAX_ROUNDS || !mark_up (after, &more))
        return NULL;
    }
  text = write_marked (after);
  tell (before, after, part);
  model = after->syntax->read (source, text->str, text->len, line, NULL);
  after->followed = model != NULL && name_nodes (after, model, line, part);
  if (after->followed)
    return model;
  g_clear_pointer (&model, ph_model_free);
  if (source->problems != NULL)
    g_ptr_array_set_size (source->problems, (gint) n_problems);
  return NULL;
}

static void
unmark (PhStatements *statements)
{
  for (guint i = 0; i < statements->entries->len; i++)
    {
      Entry *entry = ENTRY (statements, i);

      entry->mark = LEFT_OUT;
      entry->n_nodes = entry->n_outputs = 0;
      entry->plain = entry->flows = FALSE;
    }
}

/* (nullable) */
static PhModel *
read_all (const PhStatementSyntax *syntax, PhStatements *statements, PhSource *source, const char *text, gsize size, guint line,
          PhTextPart *part, GError **error)
{
  PhModel *model = syntax->read (source, text, size, line, error);

  if (statements == NULL || model == NULL)
    return model;
  unmark (statements);
  statements->n_read = G_MAXUINT;
  statements->followed = name_nodes (statements, model, line, part);
  return model;
}

PhModel *
ph_statements_read (const PhStatementSyntax *syntax, PhStatements **before, PhSource *source, const char *text, gsize size,
                    guint line, GPtrArray **parts, GError **error)
{
  PhStatements *after = statements_new (syntax, text, size, *before);
  PhTextPart *part = ph_text_part_new (NULL, FALSE);
  PhModel *model = NULL;

  *parts = NULL;
  if (after != NULL && *before != NULL && (*before)->followed)
    model = read_changes (*before, after, source, line, part);
  if (model == NULL)
    {
      ph_text_part_free (part);
      part = ph_text_part_new (NULL, TRUE);
      model = read_all (syntax, after, source, text, size, line, part, error);
    }
  part->apart = TRUE;
  if (model != NULL && after != NULL && after->followed)
    {
      *parts = g_ptr_array_new_with_free_func (ph_text_part_free);
      g_ptr_array_add (*parts, part);
    }
  else
    ph_text_part_free (part);
  if (model == NULL) /* the next snapshot is compared with the last one that was read */
    {
      g_clear_pointer (&after, ph_statements_free);
      return NULL;
    }
  if (after != NULL)
    unmark (after);
  g_clear_pointer (before, ph_statements_free);
  *before = after;
  return model;
}
