/* dump.c: reads the output of LLVM's passes (-print-after-all, -print-before-all, -print-changed, -print-changed=diff; the new and the
 * legacy pass manager, LLVM 14 to 19) as successive states of one module. A section shows a function, a loop, some functions or the whole
 * module; everything else is unchanged. Functions are kept as text, and equal text is not parsed again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/llvm/dump.h"

#include <string.h>

#include "core/io/llvm/import.h"
#include "core/io/llvm/lines.h"

typedef enum
{
  AFTER,
  BEFORE,
  START,
  DELETED
} Kind;

/* A header of the dump with the text below it. */
typedef struct
{
  Kind kind;
  char *pass, *on; /* "SROAPass on src"; the function, "" if not given */
  const char *text;
  gsize size;
  guint line;    /* of the text */
  gboolean more; /* of the same pass as the section before */
} Section;

/* The current state of a function. */
typedef struct
{
  char *text;
  gsize size;
  guint line;
  PhLlvmModule *module; /* (nullable) parsed from @text, or only from its changed part */
  gboolean told, part;  /* the last model contains it; @module is only a part of it                    */
  PhLlvmLines *lines;   /* (nullable) of the text that the last model was made from                    */
  GHashTable *standing; /* (nullable) of @module                                                       */
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
  g_clear_pointer (&known->lines, ph_llvm_lines_free);
  g_clear_pointer (&known->standing, g_hash_table_unref);
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

/* Returns the text after "*** " of a header at @at, or NULL if there is no header. */
static const char *
header (const char *at, const char *end)
{
  if (end - at > 2 && memcmp (at, "; ", 2) == 0)
    at += 2;
  return end - at > 8 && (memcmp (at, "*** IR ", 7) == 0) ? at + 4 : NULL;
}

/* Reads "IR Dump After SROAPass on src". Returns FALSE if the section is of no interest. */
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

/* Returns "f" for "define i32 @f(i32 %x) {", or "". */
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

/* Returns the text of the next function at or after *@at and moves *@at past it; NULL if there is none. Lines before it are added to
 * @line. */
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

/* Sets the text of a function. Returns TRUE if it changed. */
static gboolean
set_function (Dump *dump, const char *name, const char *text, gsize size, guint line)
{
  Known *known = g_hash_table_lookup (dump->known, name);
  PhLlvmLines *lines = NULL;

  if (known != NULL
      && ((known->size == size && memcmp (known->text, text, size) == 0)
          || ph_llvm_same_text (known->text, known->size, text, size)))
    return FALSE;
  if (known == NULL)
    g_ptr_array_add (dump->names, g_strdup (name));
  else
    lines = g_steal_pointer (&known->lines);
  known = g_new0 (Known, 1);
  *known = (Known) { .text = g_strndup (text, size), .size = size, .line = line, .lines = lines };
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

/* Returns the function named by the header, or the one that contains the loop. (nullable) */
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

/* Blocks of a loop, which take the places of those of the same names in the function. */
static gboolean
merge_blocks (Dump *dump, const Section *section)
{
  const char *name = function_with_loop (dump, section->on);
  const Known *known = name != NULL ? g_hash_table_lookup (dump->known, name) : NULL;
  g_autoptr (GString) text = known != NULL ? ph_llvm_merge_blocks (known->text, known->size, section->text, section->size) : NULL;

  if (text == NULL && known != NULL && g_strstr_len (section->text, (gssize) section->size, "; Loop:") != NULL)
    ph_source_problem (dump->source,
                       "Of a pass over a loop LLVM printed the loop alone: what it changed stands at the next pass over the "
                       "function. -print-module-scope prints all of it");
  return text != NULL && set_function (dump, name, text->str, text->len, section->line);
}

/* Returns one side of a diff: the complete body of a function. (transfer full) */
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

/* Returns the function that a section shows. A module pass does not name it: then it is the one with the same text as before. (nullable) */
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

/* Returns TRUE if each line begins with a blank, a plus or a minus; in plain code labels begin in the first column. */
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

/* Applies @section to the state; with @only_new just for functions not seen before. Returns TRUE if anything changed. */
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

/* Parses only the text that differs from the last model. Returns FALSE if the function must be parsed whole. */
static gboolean
read_changes (Dump *dump, const char *name, Known *known, GPtrArray *parts)
{
  g_autoptr (PhLlvmLines) lines = known->lines != NULL ? ph_llvm_lines_new (name, known->text, known->size) : NULL;
  g_autoptr (GHashTable) standing = g_hash_table_new (NULL, NULL);
  PhTextPart *part = NULL;
  g_autoptr (GString) text = lines != NULL ? ph_llvm_lines_compare (known->lines, lines, standing, &part) : NULL;
  PhLlvmModule *module = text != NULL ? ph_llvm_parse (dump->source, text->str, text->len, known->line, dump->types, NULL) : NULL;

  if (module == NULL || module->functions->len != 1)
    {
      g_clear_pointer (&module, ph_llvm_module_free);
      g_clear_pointer (&part, ph_text_part_free);
      return FALSE;
    }
  known->module = module;
  known->part = TRUE;
  known->standing = g_steal_pointer (&standing);
  ((PhLlvmFunction *) module->functions->pdata[0])->standing = known->standing;
  ph_llvm_lines_free (known->lines);
  known->lines = g_steal_pointer (&lines);
  g_ptr_array_add (parts, part);
  return TRUE;
}

static gboolean
read_whole (Dump *dump, Known *known, GError **error)
{
  if (known->part)
    {
      g_clear_pointer (&known->module, ph_llvm_module_free);
      known->part = known->told = FALSE;
    }
  if (known->module == NULL)
    known->module = ph_llvm_parse (dump->source, known->text, known->size, known->line, dump->types, error);
  return known->module != NULL;
}

/* Prepares line-by-line comparison for large functions that were parsed whole, and notes that @model shows all functions. */
static void
learn (Dump *dump, PhModel *model, GPtrArray *parts)
{
  for (guint i = 0; i < dump->names->len; i++)
    {
      const char *name = dump->names->pdata[i];
      Known *known = g_hash_table_lookup (dump->known, name);
      const PhLlvmFunction *function = known->module->functions->len > 0 ? known->module->functions->pdata[0] : NULL;

      if (!known->told && !known->part)
        {
          g_clear_pointer (&known->lines, ph_llvm_lines_free);
          if (function != NULL && function->in_order)
            known->lines = ph_llvm_lines_new (name, known->text, known->size);
          if (known->lines != NULL)
            g_ptr_array_add (parts, ph_llvm_lines_all (known->lines));
        }
      known->told = TRUE;
    }
  for (guint i = 0; i < parts->len; i++)
    if (((PhTextPart *) parts->pdata[i])->function == model->graph->name)
      ((PhTextPart *) parts->pdata[i])->function = NULL;
}

static gboolean
all_in_order (const GPtrArray *functions)
{
  for (guint i = 0; i < functions->len; i++)
    if (((PhLlvmFunction *) functions->pdata[i])->standing != NULL && !((PhLlvmFunction *) functions->pdata[i])->in_order)
      return FALSE;
  return TRUE;
}

/* Functions that are as they were in the last model are as before. */
static PhModel *
make_model (Dump *dump, GPtrArray **parts, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new (), told = g_ptr_array_new_with_free_func (ph_text_part_free);
  g_autoptr (GHashTable) same = g_hash_table_new (NULL, NULL);
  g_autofree char *shape = NULL;
  gboolean as_before;
  PhModel *model;

  g_ptr_array_add (dump->names, NULL);
  shape = g_strjoinv ("\n", (char **) dump->names->pdata);
  g_ptr_array_set_size (dump->names, (int) dump->names->len - 1);
  as_before = g_strcmp0 (shape, dump->shape) == 0;
  for (guint i = 0; i < dump->names->len; i++)
    {
      Known *known = g_hash_table_lookup (dump->known, dump->names->pdata[i]);

      if (!(as_before && (known->told || read_changes (dump, dump->names->pdata[i], known, told)))
          && !read_whole (dump, known, error))
        return NULL;
      if (known->module->functions->len == 0)
        continue;
      g_ptr_array_add (functions, known->module->functions->pdata[0]);
      if (known->told)
        g_hash_table_add (same, known->module->functions->pdata[0]);
    }
  model = ph_llvm_model (dump->source, functions, as_before ? same : NULL, told->len == 0 ? error : NULL);
  if (told->len > 0 && (model == NULL || !all_in_order (functions)))
    {
      g_clear_pointer (&model, ph_model_free);
      g_clear_pointer (&dump->shape, g_free);
      return make_model (dump, parts, error); /* everything is parsed */
    }
  if (model == NULL)
    return NULL;
  learn (dump, model, told);
  g_free (dump->shape);
  dump->shape = g_steal_pointer (&shape);
  *parts = told->len > 0 ? g_steal_pointer (&told) : NULL;
  return model;
}

/* Returns TRUE if the log holds no dump after a pass: then the dump before the next pass shows a pass's result. */
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
  GPtrArray *parts = NULL;
  const char *pass = NULL;
  gboolean changed = FALSE;

  for (guint i = 0; i < dump->sections->len; i++)
    apply (dump, &g_array_index (dump->sections, Section, i), TRUE);
  if (dump->names->len == 0)
    return ph_source_fail (dump->source, error, PH_ERROR_INVALID, NULL,
                           "no function is printed in this dump: opt's -print-after-all or -print-changed does");
  PhModel *first = make_model (dump, &parts, error);
  if (first == NULL || !each (NULL, first, parts, data, error))
    return FALSE;
  for (guint i = 0; i <= dump->sections->len; i++)
    {
      const Section *section = i < dump->sections->len ? &g_array_index (dump->sections, Section, i) : NULL;

      if (section != NULL && (section->kind == START || (section->kind == BEFORE && !shifted)))
        {
          apply (dump, section, FALSE); /* changes from elsewhere belong to no pass */
          continue;
        }
      if (section != NULL && shifted)
        changed = apply (dump, section, FALSE);
      if (pass != NULL && (section == NULL || !section->more))
        {
          g_autoptr (GError) reason = NULL;
          PhModel *model;

          parts = NULL;
          model = changed ? make_model (dump, &parts, &reason) : NULL;

          if (reason != NULL)
            ph_source_problem (dump->source, "What was printed after %s cannot be read: %s", pass, reason->message);
          if ((section != NULL || !shifted) && !each (pass, model, parts, data, error))
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
