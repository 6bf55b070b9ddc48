/* parser.c: LLVM's assembly text as functions and blocks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/lexer.h"
#include "core/io/llvm/llvm.h"

#define DEEPEST 256 /* brackets in brackets */

static void
block_free (gpointer data)
{
  PhLlvmBlock *block = data;

  g_ptr_array_unref (block->instructions);
  g_free (block);
}

static void
instruction_free (gpointer data)
{
  PhLlvmInstruction *instruction = data;

  g_array_unref (instruction->operands);
  g_clear_pointer (&instruction->targets, g_ptr_array_unref);
  g_free (instruction);
}

static void
function_free (gpointer data)
{
  PhLlvmFunction *function = data;

  g_array_unref (function->parameters);
  g_ptr_array_unref (function->blocks);
  g_free (function);
}

void
ph_llvm_module_free (PhLlvmModule *module)
{
  g_ptr_array_unref (module->functions);
  g_ptr_array_unref (module->others);
  g_hash_table_unref (module->types);
  g_string_chunk_free (module->strings);
  g_free (module);
}

/* ── statements ── */

static const char open_brackets[] = "([{<", close_brackets[] = ")]}>";

static int
nesting (const PhLlvmToken *token)
{
  if (token->kind != PH_LLVM_OTHER)
    return 0;
  return strchr (open_brackets, *token->start) != NULL ? 1 : strchr (close_brackets, *token->start) != NULL ? -1 : 0;
}

static gboolean
is_any (const PhLlvmToken *token, const char *const *words)
{
  for (; *words != NULL; words++)
    if (ph_llvm_is (token, *words))
      return TRUE;
  return FALSE;
}

/* Returns TRUE if the token continues the instruction of the line before. */
static gboolean
continues (const PhLlvmToken *token)
{
  static const char *const words[] = { "to", "unwind", "cleanup", "catch", "filter", "within", ",", "[", NULL };

  return is_any (token, words);
}

/* Returns TRUE if the token begins a new instruction even in the middle of a line. */
static gboolean
begins_anywhere (const PhLlvmToken *token)
{
  static const char *const words[] = { "ret", "br", "switch", "unreachable", "resume", "indirectbr", NULL };

  return is_any (token, words);
}

typedef struct
{
  PhLlvmLexer lexer;
  PhLlvmToken token; /* the next one */
  GArray *tokens;    /* (element-type PhLlvmToken) of the statement that is being read */
  guint64 next;      /* the number that the next value without a name gets */
} Parser;

static gboolean
advance (Parser *p)
{
  return ph_llvm_next (&p->lexer, &p->token);
}

/* Takes tokens into p->tokens from the present one on until, outside all brackets, @ends says so of the next. */
static gboolean
take_until (Parser *p, gboolean (*ends) (Parser *p))
{
  char expected[DEEPEST];
  int depth = 0;

  g_array_set_size (p->tokens, 0);
  do
    {
      const int turn = nesting (&p->token);

      if (p->token.kind == PH_LLVM_END)
        return ph_llvm_fail (&p->lexer, &p->token, "the text ends within brackets");
      if (turn > 0 && depth == DEEPEST)
        return ph_llvm_fail (&p->lexer, &p->token, "brackets are nested over %u deep", DEEPEST);
      if (turn > 0)
        expected[depth++] = close_brackets[strchr (open_brackets, *p->token.start) - open_brackets];
      else if (turn < 0 && (depth == 0 || expected[--depth] != *p->token.start))
        return ph_llvm_fail (&p->lexer, &p->token, "'%c' closes a bracket that is not open here", *p->token.start);
      g_array_append_val (p->tokens, p->token);
      if (!advance (p))
        return FALSE;
    }
  while (depth > 0 || !ends (p));
  return TRUE;
}

static gboolean
ends_entity (Parser *p)
{
  static const char *const words[] = { "define", "declare",      "target",          "source_filename", "attributes",
                                       "module", "uselistorder", "uselistorder_bb", "deplibs",         NULL };

  return p->token.kind == PH_LLVM_END
         || (p->token.first
             && (is_any (&p->token, words) || p->token.kind == PH_LLVM_GLOBAL || p->token.kind == PH_LLVM_LOCAL
                 || p->token.kind == PH_LLVM_META));
}

/* Returns TRUE for the "!" of "!{i32 7}". */
static gboolean
is_bare_mark (const PhLlvmToken *token)
{
  return token->kind == PH_LLVM_META && token->size == 1;
}

static gboolean
ends_header (Parser *p)
{
  const PhLlvmToken *last = &g_array_index (p->tokens, PhLlvmToken, p->tokens->len - 1);
  gboolean named = FALSE;

  for (guint i = 0; i < p->tokens->len && !named; i++)
    named = g_array_index (p->tokens, PhLlvmToken, i).kind == PH_LLVM_GLOBAL;
  if (p->token.kind == PH_LLVM_END)
    return TRUE;
  return named && ph_llvm_is (&p->token, "{") && !is_bare_mark (last) && !ph_llvm_is (last, "personality")
         && !ph_llvm_is (last, "prefix") && !ph_llvm_is (last, "prologue");
}

static gboolean
ends_instruction (Parser *p)
{
  const PhLlvmToken *token = &p->token;

  if (token->kind == PH_LLVM_END || token->kind == PH_LLVM_LABEL || ph_llvm_is (token, "}"))
    return TRUE;
  if (token->first)
    return !continues (token) && !ph_llvm_is (&g_array_index (p->tokens, PhLlvmToken, p->tokens->len - 1), ",");
  if (token->kind == PH_LLVM_LOCAL) /* the result of another one: "%x =" */
    {
      const char *q = token->start + token->size;

      while (q < p->lexer.end && (*q == ' ' || *q == '\t'))
        q++;
      return q < p->lexer.end && *q == '=';
    }
  return begins_anywhere (token);
}

/* ── text ── */

/* Returns the text of @tokens with one blank where the source has space. The module owns the string. */
static const char *
text_of (Parser *p, const PhLlvmToken *tokens, guint n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      if (i > 0 && tokens[i - 1].start + tokens[i - 1].size != tokens[i].start)
        g_string_append_c (text, ' ');
      g_string_append_len (text, tokens[i].start, (gssize) tokens[i].size);
    }
  return g_string_chunk_insert_len (p->lexer.module->strings, text->str, (gssize) text->len);
}

static guint
matching (const PhLlvmToken *tokens, guint n, guint open)
{
  int depth = 0;

  for (guint i = open; i < n; i++)
    {
      depth += nesting (&tokens[i]);
      if (depth == 0)
        return i;
    }
  return n;
}

static const char *
next_number (Parser *p)
{
  g_autofree char *name = g_strdup_printf ("%" G_GUINT64_FORMAT, p->next++);

  return g_string_chunk_insert (p->lexer.module->strings, name);
}

/* Notes an explicit number, which uses up itself and all smaller ones. */
static void
note_number (Parser *p, const char *name)
{
  guint64 number;

  if (g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT32, &number, NULL) && number >= p->next)
    p->next = number + 1;
}

/* A pointer to memory that is the function's own: nobody sees what it leaves there. */
static gboolean
is_own (const PhLlvmToken *token)
{
  static const char *const words[] = { "byval", "inalloca", "preallocated", "dead_on_return" };
  gboolean own = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    own |= ph_llvm_is (token, words[i]);
  return own;
}

/* ── functions ── */

static gboolean
read_header (Parser *p, PhLlvmFunction *function)
{
  const PhLlvmToken *tokens = &g_array_index (p->tokens, PhLlvmToken, 0);
  const guint n = p->tokens->len;
  guint at = 0, close;

  while (at < n && tokens[at].kind != PH_LLVM_GLOBAL)
    at++;
  if (at + 1 >= n || !ph_llvm_is (&tokens[at + 1], "("))
    return ph_llvm_fail (&p->lexer, &tokens[0], "a function has the form 'define TYPE @NAME(PARAMETERS) { ... }'");
  function->name = tokens[at].name;
  function->header = text_of (p, tokens + 1, n - 1);
  close = matching (tokens, n, at + 1);
  for (guint i = at + 2; i < close; i++)
    {
      PhLlvmParameter parameter = { 0 };
      const guint length = ph_llvm_type_length (tokens + i, close - i);
      const PhLlvmToken *own = NULL;
      int depth = 0;

      if (length > 0)
        parameter.type = text_of (p, tokens + i, length);
      for (i += length; i < close && (depth > 0 || !ph_llvm_is (&tokens[i], ",")); i++)
        {
          depth += nesting (&tokens[i]);
          if (depth == 0 && tokens[i].kind == PH_LLVM_LOCAL)
            parameter.name = tokens[i].name;
          if (depth == 0 && is_own (&tokens[i]))
            own = &tokens[i];
        }
      if (own != NULL && parameter.type != NULL)
        {
          g_autofree char *type = g_strdup_printf ("%s %.*s", parameter.type, (int) own->size, own->start);

          parameter.type = g_string_chunk_insert_const (p->lexer.module->strings, type);
        }
      if (parameter.type == NULL) /* "..." */
        continue;
      if (parameter.name == NULL)
        parameter.name = next_number (p);
      else
        note_number (p, parameter.name);
      g_array_append_val (function->parameters, parameter);
    }
  return TRUE;
}

static PhLlvmBlock *
add_block (Parser *p, PhLlvmFunction *function, const char *name)
{
  PhLlvmBlock *block = g_new0 (PhLlvmBlock, 1);

  block->name = name;
  block->line = p->token.line;
  block->column = p->token.column;
  block->instructions = g_ptr_array_new_with_free_func (instruction_free);
  g_ptr_array_add (function->blocks, block);
  return block;
}

/* Reads a body past its closing brace; without braces, to the end of the text. */
static gboolean
read_body (Parser *p, PhLlvmFunction *function, gboolean braced)
{
  PhLlvmBlock *block = NULL;

  while (!ph_llvm_is (&p->token, "}"))
    {
      if (p->token.kind == PH_LLVM_END)
        return braced ? ph_llvm_fail (&p->lexer, &p->token, "the text ends within the function '%s', which begins in line %u",
                                      function->name, function->line)
                      : TRUE;
      if (p->token.kind == PH_LLVM_LABEL)
        {
          note_number (p, p->token.name);
          block = add_block (p, function, p->token.name);
          if (!advance (p))
            return FALSE;
          continue;
        }
      if (!take_until (p, ends_instruction))
        return FALSE;
      if (g_array_index (p->tokens, PhLlvmToken, 0).kind == PH_LLVM_META
          || ph_llvm_is (&g_array_index (p->tokens, PhLlvmToken, 0), "uselistorder"))
        continue; /* records of a debugger */
      if (block == NULL)
        block = add_block (p, function, next_number (p));
      PhLlvmInstruction *instruction = ph_llvm_instruction (&p->lexer, &g_array_index (p->tokens, PhLlvmToken, 0),
                                                            p->tokens->len);
      if (instruction == NULL)
        return FALSE;
      g_ptr_array_add (block->instructions, instruction);
      if (instruction->result != NULL)
        note_number (p, instruction->result);
      if (instruction->targets != NULL && p->token.kind != PH_LLVM_LABEL)
        block = NULL; /* the next one has a number that is not written */
    }
  return !braced || advance (p);
}

static gboolean
read_function (Parser *p, gboolean whole)
{
  PhLlvmFunction *function = g_new0 (PhLlvmFunction, 1);

  function->line = p->token.line;
  function->column = p->token.column;
  function->parameters = g_array_new (FALSE, FALSE, sizeof (PhLlvmParameter));
  function->blocks = g_ptr_array_new_with_free_func (block_free);
  g_ptr_array_add (p->lexer.module->functions, function);
  p->next = 0;
  if (!whole)
    {
      function->name = function->header = "";
      return read_body (p, function, FALSE);
    }
  if (!take_until (p, ends_header) || !read_header (p, function))
    return FALSE;
  if (p->token.kind == PH_LLVM_END)
    return ph_llvm_fail (&p->lexer, &p->token, "the function '%s' has no body", function->name);
  return advance (p) && read_body (p, function, TRUE);
}

PhLlvmModule *
ph_llvm_parse (PhSource *source, const char *text, gsize size, guint line, GHashTable *types, GError **error)
{
  g_autoptr (PhLlvmModule) module = g_new0 (PhLlvmModule, 1);
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (PhLlvmToken));
  Parser parser = { .lexer = { .source = source,
                               .module = module,
                               .at = text,
                               .end = text + size,
                               .line_start = text,
                               .line = line,
                               .first = TRUE,
                               .error = error },
                    .tokens = tokens },
         *p = &parser;

  module->strings = g_string_chunk_new (4096);
  module->functions = g_ptr_array_new_with_free_func (function_free);
  module->others = g_ptr_array_new ();
  module->types = types != NULL ? g_hash_table_ref (types) : g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!advance (p))
    return NULL;
  while (p->token.kind != PH_LLVM_END)
    if (source->cancellable != NULL && g_cancellable_set_error_if_cancelled (source->cancellable, error))
      return NULL;
    else if (ph_llvm_is (&p->token, "define"))
      {
        if (!read_function (p, TRUE))
          return NULL;
      }
    else if (p->token.kind == PH_LLVM_LABEL) /* the body of a loop, as a loop pass prints it */
      {
        if (!read_function (p, FALSE))
          return NULL;
      }
    else if (!ends_entity (p))
      {
        ph_llvm_fail (&p->lexer, &p->token,
                      "here a function, a declaration, a global or metadata begins in LLVM's assembly text");
        return NULL;
      }
    else
      {
        if (!take_until (p, ends_entity))
          return NULL;
        if (g_array_index (tokens, PhLlvmToken, 0).kind == PH_LLVM_LOCAL)
          g_hash_table_add (module->types, g_strdup (g_array_index (tokens, PhLlvmToken, 0).name));
        if (g_array_index (tokens, PhLlvmToken, 0).kind == PH_LLVM_META)
          module->n_metadata++;
        else
          g_ptr_array_add (module->others, (gpointer) text_of (p, &g_array_index (tokens, PhLlvmToken, 0), tokens->len));
      }
  return g_steal_pointer (&module);
}
