/* dump.c: what LLVM's passes print (-print-after-all, -print-before-all, -print-changed, -print-changed=diff; the new and the legacy
 * pass manager, LLVM 14 to 19) as the states of one module.
 *
 * A dump shows a function, a loop, some functions or the module. What it does not show is as it was. Functions are kept as text:
 * what has the same text as before is not read again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/llvm/dump.h"

#include <string.h>

#include "core/io/llvm/import.h"

typedef enum
{
  AFTER,
  BEFORE,
  START,
  DELETED
} Kind;

/* One header of the dump and what stands below it. */
typedef struct
{
  Kind kind;
  char *pass, *on; /* "SROAPass on src"; the function, "" when it is not said */
  const char *text;
  gsize size;
  guint line;    /* of the text */
  gboolean more; /* of the same pass as the section before */
} Section;

/* A function as it is now. */
typedef struct
{
  char *text;
  gsize size;
  guint line;
  PhLlvmModule *module; /* (nullable) of the text, once it was read */
  gboolean told;        /* the last model was made of it            */
} Known;

typedef struct
{
  PhSource *source;
  GArray *sections;  /* (element-type Section) */
  GPtrArray *names;  /* (element-type utf8) of functions, in their order */
  GHashTable *known; /* name -> Known */
  GHashTable *types; /* names of types */
  char *shape;       /* (nullable) names of the functions of the last model */
} Dump;

static void
section_clear (gpointer data)
{
  Section *section = data;

  g_free (section->pass);
  g_free (section->on);
}

static void
known_free (gpointer data)
{
  Known *known = data;

  g_clear_pointer (&known->module, ph_llvm_module_free);
  g_free (known->text);
  g_free (known);
}

/* ── headers ── */

static const char *
line_end (const char *at, const char *end)
{
  const char *newline = memchr (at, '\n', (gsize) (end - at));

  return newline != NULL ? newline : end;
}

/* Behind "*** " of a header that begins at @at, NULL: it is none. */
static const char *
header (const char *at, const char *end)
{
  if (end - at > 2 && memcmp (at, "; ", 2) == 0)
    at += 2;
  return end - at > 8 && (memcmp (at, "*** IR ", 7) == 0) ? at + 4 : NULL;
}

/* Reads "IR Dump After SROAPass on src". FALSE: it is of no interest. */
static gboolean
read_header (const char *words, Section *section)
{
  /* clang-format off */
  static const struct { const char *begins; Kind kind; } kinds[] = {
    { "IR Dump At Start", START }, { "IR Dump After ", AFTER }, { "IR Dump Before ", BEFORE }, { "IR Deleted After ", DELETED },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (words, kinds[i].begins))
      {
        const char *pass = words + strlen (kinds[i].begins), *on, *function;

        if (g_str_has_suffix (words, " filtered out") || g_str_has_suffix (words, " ignored"))
          return FALSE;
        section->kind = kinds[i].kind;
        section->pass = g_strdup (pass);
        if (g_str_has_suffix (section->pass, " omitted because no change"))
          section->pass[strlen (section->pass) - strlen (" omitted because no change")] = '\0';
        on = g_strrstr (section->pass, " on ");
        function = g_strrstr (section->pass, " in function ");
        section->on = g_strdup (function != NULL ? function + strlen (" in function ") : on != NULL ? on + strlen (" on ") : "");
        return TRUE;
      }
  return FALSE;
}

static void
find_sections (Dump *dump, const char *text, gsize size)
{
  const char *end = text + size;
  Section *last = NULL;
  guint line = 1;

  for (const char *at = text; at < end; line++)
    {
      const char *stop = line_end (at, end), *words = header (at, stop);

      if (words != NULL)
        {
          const char *close = g_strstr_len (words, stop - words, " ***"), *after = close != NULL ? close + strlen (" ***") : stop;
          g_autofree char *said = g_strndup (words, (gsize) ((close != NULL ? close : stop) - words));
          Section section = { .text = after, .line = line };
          gboolean wanted;

          if (last != NULL && last->size == 0)
            last->size = (gsize) (at - last->text);
          last = NULL;
          if (g_str_has_prefix (said, "IR for function ") && dump->sections->len > 0)
            {
              const Section *before = &g_array_index (dump->sections, Section, dump->sections->len - 1);

              section.kind = before->kind;
              section.pass = g_strdup (before->pass);
              section.on = g_strdup (said + strlen ("IR for function "));
              section.more = wanted = TRUE;
            }
          else
            wanted = read_header (said, &section);
          if (wanted)
            {
              g_array_append_val (dump->sections, section);
              last = &g_array_index (dump->sections, Section, dump->sections->len - 1);
            }
        }
      at = stop < end ? stop + 1 : end;
    }
  if (last != NULL && last->size == 0)
    last->size = (gsize) (end - last->text);
}

/* ── text of functions ── */

/* "f" of "define i32 @f(i32 %x) {", "" when there is none. */
static char *
name_of (const char *define, const char *stop)
{
  const char *at = memchr (define, '@', (gsize) (stop - define)), *end;

  if (at == NULL)
    return g_strdup ("");
  at++;
  if (at < stop && *at == '"')
    {
      end = memchr (at + 1, '"', (gsize) (stop - at - 1));
      return end != NULL ? g_strndup (at + 1, (gsize) (end - at - 1)) : g_strdup ("");
    }
  end = memchr (at, '(', (gsize) (stop - at));
  return end != NULL ? g_strndup (at, (gsize) (end - at)) : g_strdup ("");
}

/* The next function at or behind *@at: its text, and *@at behind it. NULL: there is none. Lines before it count for @line. */
static const char *
next_function (Dump *dump, const char **at, const char *end, gsize *size, guint *line)
{
  const char *begin = NULL;
  guint passed = 0;

  for (const char *p = *at; p < end;)
    {
      const char *stop = line_end (p, end);

      if (begin == NULL && end - p > 7 && memcmp (p, "define ", 7) == 0)
        {
          begin = p;
          *line += passed;
          passed = 0;
        }
      else if (begin == NULL && *p == '%' && g_strstr_len (p, stop - p, " = type ") != NULL)
        {
          const char *name_end = memchr (p, ' ', (gsize) (stop - p));

          g_hash_table_add (dump->types, g_strndup (p + 1, (gsize) (name_end - p - 1)));
        }
      if (begin != NULL && stop > p && stop[-1] == '}'
          && (stop == p + 1 || (p == begin && g_strstr_len (p, stop - p, "{") != NULL)))
        {
          *size = (gsize) (stop - begin);
          *at = stop < end ? stop + 1 : end;
          return begin;
        }
      passed++;
      p = stop < end ? stop + 1 : end;
    }
  *at = end;
  return NULL;
}

/* TRUE: the function was not so before. */
static gboolean
set_function (Dump *dump, const char *name, const char *text, gsize size, guint line)
{
  Known *known = g_hash_table_lookup (dump->known, name);

  if (known != NULL && known->size == size && memcmp (known->text, text, size) == 0)
    return FALSE;
  if (known == NULL)
    g_ptr_array_add (dump->names, g_strdup (name));
  known = g_new0 (Known, 1);
  *known = (Known) { g_strndup (text, size), size, line, NULL, FALSE };
  g_hash_table_insert (dump->known, g_strdup (name), known);
  return TRUE;
}

static gboolean
drop_function (Dump *dump, const char *name)
{
  guint at;

  if (!g_ptr_array_find_with_equal_func (dump->names, name, g_str_equal, &at))
    return FALSE;
  g_hash_table_remove (dump->known, name);
  g_ptr_array_remove_index (dump->names, at);
  return TRUE;
}

/* Text as lines of blocks: label -> all of the block. What stands before the first label is called "". */
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

      /* An exit of a loop is printed once for each way to it. */
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

/* Adds the blocks to which @block may go. */
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

/* The function, where the header says it, or that which has the loop. (nullable) */
static const char *
function_with_loop (Dump *dump, const char *on)
{
  g_autofree char *label = g_strdup_printf ("\n%s:", on);

  if (g_hash_table_contains (dump->known, on))
    return on;
  for (guint i = 0; i < dump->names->len; i++)
    if (strstr (((Known *) g_hash_table_lookup (dump->known, dump->names->pdata[i]))->text, label) != NULL)
      return dump->names->pdata[i];
  return NULL;
}

/* Blocks of a loop, which take the places of those of the same names in the function; what is not reached any more is gone. */
static gboolean
merge_blocks (Dump *dump, const Section *section)
{
  const char *name = function_with_loop (dump, section->on);
  const Known *known = name != NULL ? g_hash_table_lookup (dump->known, name) : NULL;
  g_autoptr (GPtrArray) order = g_ptr_array_new_with_free_func (string_free), new = g_ptr_array_new_with_free_func (string_free);
  g_autoptr (GHashTable) blocks = NULL, fresh = NULL, reached = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GQueue) next = g_queue_new ();

  if (known == NULL)
    return FALSE;
  blocks = split_blocks (known->text, known->size - 1, order); /* without its brace */
  fresh = split_blocks (section->text, section->size, new);
  if (new->len < 2)
    return FALSE;
  for (guint i = 1; i < new->len; i++)
    {
      GString *block = new->pdata[i], *old;
      char *label = ph_llvm_label_of (block->str, block->str + block->len);

      old = g_hash_table_lookup (blocks, label);
      if (old != NULL)
        {
          g_string_assign (old, block->str);
          g_free (label);
          continue;
        }
      old = g_string_new (block->str);
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
  for (guint i = 0; i < order->len; i++)
    if (g_hash_table_contains (reached, order->pdata[i]))
      g_string_append (text, ((GString *) order->pdata[i])->str);
  g_string_append_c (text, '}');
  return set_function (dump, name, text->str, text->len, section->line);
}

/* One side of a diff: the body of a function, every line of it. (transfer full) */
static GString *
side_of (const Section *section, char without)
{
  GString *text = g_string_new (NULL);
  const char *end = section->text + section->size;

  for (const char *p = section->text; p < end;)
    {
      const char *stop = line_end (p, end);

      if (stop > p && *p != without)
        {
          g_string_append_len (text, p + 1, stop - p - 1);
          g_string_append_c (text, '\n');
        }
      p = stop < end ? stop + 1 : end;
    }
  return text;
}

/* What a pass over the module prints does not say which function it is: that which was so before. (nullable) */
static const char *
function_of (Dump *dump, const Section *section)
{
  g_autoptr (GString) before = NULL;

  if (!g_str_equal (section->on, "[module]"))
    return section->on;
  before = side_of (section, '+');
  for (guint i = 0; i < dump->names->len; i++)
    {
      const Known *known = g_hash_table_lookup (dump->known, dump->names->pdata[i]);
      const char *body = memchr (known->text, '\n', known->size);

      if (body != NULL && strlen (body + 1) == before->len + 1 && memcmp (body + 1, before->str, before->len) == 0)
        return dump->names->pdata[i];
    }
  return NULL;
}

static gboolean
take_side (Dump *dump, const Section *section, char without)
{
  const char *name = function_of (dump, section);
  g_autoptr (GString) body = NULL;
  g_autofree char *text = NULL;

  if (name == NULL)
    return FALSE;
  body = side_of (section, without);
  text = g_strdup_printf ("define " PH_LLVM_UNKNOWN_HEADER " @\"%s\"(...) {\n%s}", name, body->str);
  return set_function (dump, name, text, strlen (text), section->line);
}

/* Each line begins with a blank, a plus or a minus; code that is no diff has labels at the beginning of lines. */
static gboolean
is_diff (const Section *section)
{
  const char *end = section->text + section->size;
  gboolean any = FALSE;

  for (const char *p = section->text; p < end;)
    {
      const char *stop = line_end (p, end);

      if (stop > p && strchr (" +-", *p) == NULL)
        return FALSE;
      any = any || stop > p + 1;
      p = stop < end ? stop + 1 : end;
    }
  return any;
}

/* @only_new: of functions that are not yet known. TRUE: something is not as it was. */
static gboolean
apply (Dump *dump, const Section *section, gboolean only_new)
{
  const char *at = section->text, *end = section->text + section->size, *text;
  gboolean changed = FALSE, whole = g_strstr_len (section->text, (gssize) MIN (section->size, 400), "; ModuleID") != NULL,
           any = FALSE;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint line = section->line;
  gsize size;

  if (section->kind == DELETED)
    return !only_new && drop_function (dump, section->on);
  if (is_diff (section) && *section->on != '\0')
    {
      if (only_new && (g_hash_table_contains (dump->known, section->on) || g_str_equal (section->on, "[module]")))
        return FALSE;
      return take_side (dump, section, only_new ? '+' : '-');
    }
  while ((text = next_function (dump, &at, end, &size, &line)) != NULL)
    {
      char *name = name_of (text, line_end (text, end));

      any = TRUE;
      if (!only_new || !g_hash_table_contains (dump->known, name))
        changed = set_function (dump, name, text, size, line) || changed;
      for (const char *p = text; p < text + size; p++)
        line += *p == '\n';
      line++;
      g_hash_table_add (seen, name);
    }
  if (!any && !only_new && section->size > 1)
    return merge_blocks (dump, section);
  for (guint i = dump->names->len; whole && any && !only_new && i-- > 0;)
    if (!g_hash_table_contains (seen, dump->names->pdata[i]))
      changed = drop_function (dump, dump->names->pdata[i]) || changed;
  return changed;
}

/* ── states ── */

/* Functions that are as they were in the last model are as before. */
static PhModel *
make_model (Dump *dump, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new ();
  g_autoptr (GHashTable) same = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) shape = g_string_new (NULL);
  PhModel *model;

  for (guint i = 0; i < dump->names->len; i++)
    {
      Known *known = g_hash_table_lookup (dump->known, dump->names->pdata[i]);

      if (known->module == NULL)
        known->module = ph_llvm_parse (dump->source, known->text, known->size, known->line, dump->types, error);
      if (known->module == NULL)
        return NULL;
      if (known->module->functions->len == 0)
        continue;
      g_ptr_array_add (functions, known->module->functions->pdata[0]);
      g_string_append_printf (shape, "%s\n", (const char *) dump->names->pdata[i]);
      if (known->told)
        g_hash_table_add (same, known->module->functions->pdata[0]);
    }
  model = ph_llvm_model (dump->source, functions, g_strcmp0 (shape->str, dump->shape) == 0 ? same : NULL, error);
  if (model == NULL)
    return NULL;
  for (guint i = 0; i < dump->names->len; i++)
    ((Known *) g_hash_table_lookup (dump->known, dump->names->pdata[i]))->told = TRUE;
  g_free (dump->shape);
  dump->shape = g_string_free (g_steal_pointer (&shape), FALSE);
  return model;
}

/* Without anything that was printed after a pass, what was printed before the next one is what it made. */
static gboolean
only_before (Dump *dump)
{
  for (guint i = 0; i < dump->sections->len; i++)
    if (g_array_index (dump->sections, Section, i).kind == AFTER)
      return FALSE;
  return TRUE;
}

static gboolean
tell_states (Dump *dump, PhRecordFunc each, gpointer data, GError **error)
{
  const gboolean shifted = only_before (dump);
  const char *pass = NULL;
  gboolean changed = FALSE;

  for (guint i = 0; i < dump->sections->len; i++)
    apply (dump, &g_array_index (dump->sections, Section, i), TRUE);
  if (dump->names->len == 0)
    return ph_source_fail (dump->source, error, PH_ERROR_INVALID, NULL,
                           "no function is printed in this dump: opt's -print-after-all or -print-changed does");
  PhModel *first = make_model (dump, error);
  if (first == NULL || !each (NULL, first, NULL, data, error))
    return FALSE;
  for (guint i = 0; i <= dump->sections->len; i++)
    {
      const Section *section = i < dump->sections->len ? &g_array_index (dump->sections, Section, i) : NULL;

      if (section != NULL && (section->kind == START || (section->kind == BEFORE && !shifted)))
        {
          apply (dump, section, FALSE); /* what came from elsewhere since is nobody's change */
          continue;
        }
      if (section != NULL && shifted)
        changed = apply (dump, section, FALSE);
      if (pass != NULL && (section == NULL || !section->more))
        {
          g_autoptr (GError) reason = NULL;
          PhModel *model = changed ? make_model (dump, &reason) : NULL;

          if (reason != NULL)
            ph_source_problem (dump->source, "What was printed after %s cannot be read: %s", pass, reason->message);
          if ((section != NULL || !shifted) && !each (pass, model, NULL, data, error))
            return FALSE;
          changed = FALSE;
        }
      if (section != NULL && !shifted)
        changed = apply (dump, section, FALSE) || changed;
      pass = section != NULL ? section->pass : NULL;
    }
  return TRUE;
}

gboolean
ph_llvm_dump_read (PhSource *source, const char *text, gsize size, PhRecordFunc each, gpointer data, GError **error)
{
  g_autoptr (GArray) sections = g_array_new (FALSE, FALSE, sizeof (Section));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free),
                         types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Dump dump = { source, sections, names, known, types, NULL };
  gboolean ok;

  g_array_set_clear_func (sections, section_clear);
  find_sections (&dump, text, size);
  ok = tell_states (&dump, each, data, error);
  if (ok && ph_llvm_is_cut (text, size))
    ph_source_problem (source, "The dump ends within a function, which was left out: was it cut off?");
  g_free (dump.shape);
  return ok;
}
