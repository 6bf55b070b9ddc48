/* dump-blocks.c: completes the dump of a loop to the function that contains it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/dump.h"
#include "core/io/llvm/import.h"

static const char *
line_end (const char *at, const char *end)
{
  const char *newline = memchr (at, '\n', (gsize) (end - at));

  return newline != NULL ? newline : end;
}

/* Splits @text into blocks: label -> text of the block. Lines before the first label belong to "". */
static GHashTable *
split_blocks (const char *text, gsize size, GPtrArray *order)
{
  GHashTable *blocks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *block = g_string_new (NULL);
  const char *end = text + size;

  g_hash_table_insert (blocks, g_strdup (""), block);
  g_ptr_array_add (order, block);
  for (const char *p = text; p < end;)
    {
      const char *stop = line_end (p, end);
      char *label = ph_llvm_label_of (p, stop);

      /* The exit of a loop is printed once for each path to it. */
      if (label != NULL && g_hash_table_contains (blocks, label))
        {
          g_free (label);
          block = NULL;
        }
      else if (label != NULL)
        {
          block = g_string_new (NULL);
          g_ptr_array_add (order, block);
          g_hash_table_insert (blocks, label, block);
        }
      if (block != NULL)
        {
          g_string_append_len (block, p, stop - p);
          g_string_append_c (block, '\n');
        }
      p = stop < end ? stop + 1 : end;
    }
  return blocks;
}

static void
string_free (gpointer data)
{
  g_string_free (data, TRUE);
}

/* Adds the blocks that @block may branch to. */
static void
add_targets (GHashTable *blocks, const GString *block, GHashTable *reached, GQueue *next)
{
  for (const char *p = block->str; (p = strstr (p, "label %")) != NULL;)
    {
      const char *name = p + strlen ("label %"), *end = name;
      g_autofree char *label = NULL;
      gpointer to;

      if (*end == '"')
        for (end++; *end != '\0' && end[-1] != '\0' && (*end != '"'); end++)
          ;
      while (*end != '\0' && (g_ascii_isalnum (*end) || strchr ("-$._\"", *end) != NULL))
        end++;
      label = g_strndup (name, (gsize) (end - name));
      to = g_hash_table_lookup (blocks, label);
      if (to != NULL && g_hash_table_add (reached, to))
        g_queue_push_tail (next, to);
      p = end;
    }
}

/* Finds the next line at or after *@at that is not empty, without its trailing comment. Returns FALSE if there is none. */
static gboolean
next_words (const char **at, const char *end, const char **from, gsize *size)
{
  while (*at < end)
    {
      const char *stop = line_end (*at, end), *comment;

      *from = *at;
      *at = stop < end ? stop + 1 : end;
      comment = memchr (*from, '"', (gsize) (stop - *from)) == NULL ? memchr (*from, ';', (gsize) (stop - *from)) : NULL;
      stop = comment != NULL ? comment : stop;
      while (stop > *from && g_ascii_isspace (stop[-1]))
        stop--;
      *size = (gsize) (stop - *from);
      if (*size > 0)
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if two lines are equal except for the numbers of attribute groups and metadata ("#4", "!12"). */
static gboolean
same_words (const char *a, gsize size_a, const char *b, gsize size_b)
{
  const char *end_a = a + size_a, *end_b = b + size_b;
  gboolean quoted = FALSE;

  if (size_a == size_b && memcmp (a, b, size_a) == 0)
    return TRUE;
  while (a < end_a && b < end_b && *a == *b)
    {
      const gboolean number = !quoted && (*a == '#' || *a == '!');

      quoted = quoted != (*a == '"');
      a++;
      b++;
      while (number && a < end_a && g_ascii_isdigit (*a))
        a++;
      while (number && b < end_b && g_ascii_isdigit (*b))
        b++;
    }
  return a == end_a && b == end_b;
}

gboolean
ph_llvm_same_text (const char *a, gsize size_a, const char *b, gsize size_b)
{
  const char *at_a = a, *at_b = b, *end_a = a + size_a, *end_b = b + size_b, *line_a, *line_b;
  gboolean more_a, more_b;

  do
    {
      more_a = next_words (&at_a, end_a, &line_a, &size_a);
      more_b = next_words (&at_b, end_b, &line_b, &size_b);
    }
  while (more_a && more_b && same_words (line_a, size_a, line_b, size_b));
  return !more_a && !more_b;
}

/* Reads the number N of "%N" or "N:" at @at. Returns FALSE if there is a name. */
static gboolean
read_number (const char *at, const char *stop, char after, guint64 *number)
{
  const char *p = at;

  while (p < stop && g_ascii_isdigit (*p))
    p++;
  *number = p > at ? g_ascii_strtoull (at, NULL, 10) : 0;
  return p > at && p < stop && *p == after;
}

/* LLVM numbers arguments, blocks and registers without names in the order in which they stand. Returns whether those of a function do. */
static gboolean
numbers_follow (const GString *text)
{
  const char *end = text->str + text->len, *stop = line_end (text->str, end);
  guint64 next = 0, number;
  gboolean first = TRUE;

  for (const char *p = text->str; p < stop; p++)
    if (*p == '%' && read_number (p + 1, stop, *(p + 1 + strspn (p + 1, "0123456789")), &number))
      next = MAX (next, number + 1);
  for (const char *p = stop < end ? stop + 1 : end; p < end; p = stop < end ? stop + 1 : end)
    {
      stop = line_end (p, end);
      if (p == stop || *p == ';' || *p == '}')
        continue;
      if (first && *p == ' ')
        next++; /* the entry, whose number is not printed */
      first = FALSE;
      if (read_number (p, stop, ':', &number)
          || (stop - p > 3 && memcmp (p, "  %", 3) == 0 && read_number (p + 3, stop, ' ', &number)))
        if (number != next++)
          return FALSE;
    }
  return TRUE;
}

/* Whether there is an instruction in the lines before the first label. */
static gboolean
has_code (const GString *block)
{
  return g_str_has_prefix (block->str, "  ") || strstr (block->str, "\n  ") != NULL;
}

GString *
ph_llvm_merge_blocks (const char *text, gsize size, const char *fresh_text, gsize fresh_size)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new_with_free_func (string_free), new = g_ptr_array_new_with_free_func (string_free);
  g_autoptr (GPtrArray) printed = g_ptr_array_new ();
  g_autoptr (GHashTable) blocks = NULL, fresh = NULL, reached = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) merged = g_string_new (NULL);
  g_autoptr (GQueue) next = g_queue_new ();

  blocks = split_blocks (text, size - 1, order); /* without its brace */
  fresh = split_blocks (fresh_text, fresh_size, new);
  if (new->len < 2)
    return NULL;
  /* What has no label is the entry: below the line that declares the function. */
  if (has_code (new->pdata[0]))
    {
      GString *entry = order->pdata[0];

      g_string_truncate (entry, (gsize) (line_end (entry->str, entry->str + entry->len) - entry->str));
      g_string_append_printf (entry, "\n%s", ((GString *) new->pdata[0])->str);
    }
  for (guint i = 1; i < new->len; i++)
    {
      GString *block = new->pdata[i], *old;
      char *label = ph_llvm_label_of (block->str, block->str + block->len);

      old = g_hash_table_lookup (blocks, label);
      if (old != NULL)
        {
          g_ptr_array_add (printed, old);
          if (!ph_llvm_same_text (old->str, old->len, block->str, block->len))
            g_string_assign (old, block->str);
          g_free (label);
          continue;
        }
      old = g_string_new (block->str);
      g_ptr_array_add (printed, old);
      g_ptr_array_add (order, old);
      g_hash_table_insert (blocks, label, old);
    }
  for (guint i = 0; i < MIN (2, order->len); i++) /* the header, and the entry where that has a label */
    {
      g_hash_table_add (reached, order->pdata[i]);
      g_queue_push_tail (next, order->pdata[i]);
    }
  for (GString *block; (block = g_queue_pop_head (next)) != NULL;)
    add_targets (blocks, block, reached, next);
  /* A block that nothing leads to was led to by what was not printed. */
  for (guint i = 0; i < printed->len; i++)
    if (!g_hash_table_contains (reached, printed->pdata[i]))
      return NULL;
  for (guint i = 0; i < order->len; i++)
    if (g_hash_table_contains (reached, order->pdata[i]))
      g_string_append (merged, ((GString *) order->pdata[i])->str);
  g_string_append_c (merged, '}');
  return numbers_follow (merged) ? g_steal_pointer (&merged) : NULL;
}
