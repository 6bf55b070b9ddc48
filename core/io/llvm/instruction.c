/* instruction.c: parses an instruction: its operands, its result type and its branch targets.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/io/llvm/lexer.h"
#include "core/io/llvm/llvm.h"

static gboolean
is_any (const PhLlvmToken *token, const char *const *words)
{
  for (; *words != NULL; words++)
    if (ph_llvm_is (token, *words))
      return TRUE;
  return FALSE;
}

/* ── types ── */

static gboolean
all_digits (const char *text, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
  return size > 0;
}

/* Returns the number of tokens up to the bracket that closes the first one, or 0 if it never closes. */
static guint
bracketed (const PhLlvmToken *tokens, guint n)
{
  int depth = 0;

  for (guint i = 0; i < n; i++)
    if (tokens[i].kind == PH_LLVM_OTHER)
      {
        if (strchr ("([{<", *tokens[i].start) != NULL)
          depth++;
        else if (strchr (")]}>", *tokens[i].start) != NULL && --depth == 0)
          return i + 1;
      }
  return 0;
}

guint
ph_llvm_type_length (const PhLlvmToken *tokens, guint n)
{
  static const char *const words[] = { "void",    "half",    "bfloat", "float", "double", "x86_fp80", "fp128",  "ppc_fp128",
                                       "x86_mmx", "x86_amx", "ptr",    "label", "token",  "metadata", "opaque", NULL };
  static const char *const before_values[] = { "*",     "{",       "null",    "undef", "poison", "zeroinitializer",
                                               "byval", "noundef", "nonnull", NULL };
  guint length = 0;

  if (n == 0)
    return 0;
  if (tokens[0].kind == PH_LLVM_WORD)
    {
      if ((tokens[0].size > 1 && *tokens[0].start == 'i' && all_digits (tokens[0].start + 1, tokens[0].size - 1))
          || is_any (&tokens[0], words))
        length = 1;
      else if (ph_llvm_is (&tokens[0], "target") && n > 1 && ph_llvm_is (&tokens[1], "("))
        length = 1 + bracketed (tokens + 1, n - 1);
    }
  else if (tokens[0].kind == PH_LLVM_LOCAL) /* the name of a type, where a value or a "*" follows */
    length = n > 1 && (tokens[1].kind == PH_LLVM_LOCAL || tokens[1].kind == PH_LLVM_GLOBAL || is_any (&tokens[1], before_values))
                 ? 1
                 : 0;
  else if (ph_llvm_is (&tokens[0], "[") || ph_llvm_is (&tokens[0], "<"))
    {
      /* Types: "[4 x i8]", "<vscale x 4 x i32>", "<{ i8, i32 }>"; but not "[ 0, %entry ]" or "<i32 1, i32 2>". */
      const guint count = n > 2 && ph_llvm_is (&tokens[1], "vscale") ? 3 : 1;

      if (n > count + 1
          && ((tokens[count].kind == PH_LLVM_WORD && ph_llvm_is (&tokens[count + 1], "x"))
              || (ph_llvm_is (&tokens[0], "<") && ph_llvm_is (&tokens[1], "{") && ph_llvm_type_length (tokens + 2, n - 2) > 0)))
        length = bracketed (tokens, n);
    }
  else if (ph_llvm_is (&tokens[0], "{"))
    length = n > 1 && (ph_llvm_is (&tokens[1], "}") || ph_llvm_type_length (tokens + 1, n - 1) > 0) ? bracketed (tokens, n) : 0;
  if (length == 0)
    return 0;
  for (;;)
    if (length < n && ph_llvm_is (&tokens[length], "*"))
      length++;
    else if (length + 1 < n && ph_llvm_is (&tokens[length], "addrspace") && ph_llvm_is (&tokens[length + 1], "("))
      length += 1 + bracketed (tokens + length + 1, n - length - 1);
    else if (length < n && ph_llvm_is (&tokens[length], "(")
             && (length + 1 == n || ph_llvm_is (&tokens[length + 1], ")") || ph_llvm_is (&tokens[length + 1], "...")
                 || ph_llvm_type_length (tokens + length + 1, n - length - 1) > 0)
             && bracketed (tokens + length, n - length) > 0)
      length += bracketed (tokens + length, n - length); /* a function's type */
    else
      return length;
}

const PhType *
ph_llvm_type (const char *text)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } scalars[] = {
    { "i1", PH_BOOL }, { "i8", PH_INT8 }, { "i16", PH_INT16 }, { "i32", PH_INT32 }, { "i64", PH_INT64 }, { "half", PH_FLOAT16 },
    { "bfloat", PH_BFLOAT16 }, { "float", PH_FLOAT }, { "double", PH_DOUBLE },
  };
  /* clang-format on */
  const char *element = text;
  gsize size = text != NULL ? strlen (text) : 0;
  gint64 count = -1;

  if (size == 0 || g_str_equal (text, "void"))
    return NULL;
  if (*text == '<')
    {
      char *end;

      count = g_ascii_strtoll (text + 1, &end, 10);
      if (count <= 0 || count > G_MAXINT32 || !g_str_has_prefix (end, " x ") || text[size - 1] != '>')
        return ph_type_opaque (text);
      element = end + 3;
      size -= (gsize) (element - text) + 1;
    }
  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    if (strlen (scalars[i].name) == size && memcmp (scalars[i].name, element, size) == 0)
      return ph_type_static (scalars[i].dtype, count > 0 ? 1 : 0, &count);
  return ph_type_opaque (text);
}

/* ── operands ── */

typedef struct
{
  PhLlvmLexer *lexer;
  PhLlvmInstruction *made;
  GString *text;
  const PhLlvmToken *last; /* (nullable) that was written into the text */
  const char *type;        /* (nullable) of the operand before: "add i32 %a, %b" */
} Reader;

static const char *
keep (Reader *r, const PhLlvmToken *tokens, guint n)
{
  const PhLlvmToken *last = &tokens[n - 1];
  g_autofree char *text = g_strndup (tokens[0].start, (gsize) (last->start + last->size - tokens[0].start));

  for (char *p = text; *p != '\0'; p++) /* a type may span several lines */
    if (g_ascii_isspace (*p))
      *p = ' ';
  return g_string_chunk_insert_const (r->lexer->module->strings, text);
}

/* Groups of attributes ("#4") are left out: they are counted anew in each printing, and so say nothing about the instruction. */
static void
put (Reader *r, const PhLlvmToken *token, const char *instead)
{
  if (token->kind == PH_LLVM_META && *token->start == '#')
    return;
  if (r->last != NULL && r->last->start + r->last->size != token->start)
    g_string_append_c (r->text, ' ');
  if (instead != NULL)
    g_string_append (r->text, instead);
  else
    g_string_append_len (r->text, token->start, (gssize) token->size);
  r->last = token;
}

static gboolean
is_number (const PhLlvmToken *token)
{
  return token->kind == PH_LLVM_WORD
         && (g_ascii_isdigit (*token->start)
             || ((*token->start == '-' || *token->start == '+') && token->size > 1 && g_ascii_isdigit (token->start[1]))
             || ph_llvm_is (token, "true") || ph_llvm_is (token, "false"));
}

static void
add_operand (Reader *r, PhLlvmOperandKind kind, const char *text)
{
  const PhLlvmOperand operand = { kind, text, r->type, NULL };

  g_array_append_val (r->made->operands, operand);
}

/* Adds a value of the function as an operand, an edge. The text only has the operand's number, since names change from pass to pass. */
static void
use_local (Reader *r, const PhLlvmToken *token)
{
  g_autofree char *number = g_strdup_printf ("%%%u", r->made->operands->len);

  put (r, token, number);
  add_operand (r, PH_LLVM_VALUE, token->name);
}

/* Reads @tokens between two commas: attributes, a type and a value; each may be missing. */
static void
read_part (Reader *r, const PhLlvmToken *tokens, guint n)
{
  static const char *const values[] = { "null", "undef", "poison", "zeroinitializer", "none", "asm", NULL };
  /* clang-format off */
  static const char *const expressions[] = {
    "getelementptr", "bitcast",      "addrspacecast", "inttoptr",      "ptrtoint",     "trunc",
    "add",           "sub",          "mul", "xor",           "shl",          "zext", "sext",          "select",       "icmp",
    "splat",         "blockaddress", "dso_local_equivalent", "no_cfi",        "ptrauth",      NULL
  };
  /* clang-format on */
  gboolean valued = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const guint length = ph_llvm_type_length (tokens + i, n - i);

      if (i > 0 && r->type != NULL && !valued && is_any (&tokens[i], expressions))
        {
          add_operand (r, PH_LLVM_TEXT, keep (r, tokens + i, n - i));
          for (; i < n; i++)
            put (r, &tokens[i], NULL);
        }
      else if (length > 0)
        {
          r->type = keep (r, tokens + i, length);
          for (guint k = 0; k < length; k++)
            put (r, &tokens[i + k], NULL);
          i += length - 1;
          /* Parses one operand, which may be an aggregate or an expression over constants. */
          if (i + 1 < n
              && (ph_llvm_is (&tokens[i + 1], "<") || ph_llvm_is (&tokens[i + 1], "[") || ph_llvm_is (&tokens[i + 1], "{")))
            {
              guint end = bracketed (tokens + i + 1, n - i - 1);

              if (end > 0 && !g_str_equal (r->made->opcode, "phi") && !g_str_equal (r->made->opcode, "switch")
                  && !g_str_equal (r->made->opcode, "indirectbr"))
                {
                  add_operand (r, PH_LLVM_TEXT, keep (r, tokens + i + 1, end));
                  valued = TRUE;
                  for (; end > 0; end--)
                    if (tokens[++i].kind == PH_LLVM_LOCAL && ph_llvm_type_length (tokens + i, n - i) == 0)
                      use_local (r, &tokens[i]);
                    else
                      put (r, &tokens[i], NULL);
                }
            }
        }
      else if (tokens[i].kind == PH_LLVM_LOCAL && g_hash_table_contains (r->lexer->module->types, tokens[i].name))
        {
          r->type = keep (r, tokens + i, 1);
          put (r, &tokens[i], NULL);
        }
      else if (tokens[i].kind == PH_LLVM_LOCAL)
        {
          use_local (r, &tokens[i]);
          valued = TRUE;
        }
      else if (is_number (&tokens[i]) && !valued
               && !(i > 0 && (ph_llvm_is (&tokens[i - 1], "align") || ph_llvm_is (&tokens[i - 1], "("))))
        {
          add_operand (r, PH_LLVM_CONSTANT, keep (r, tokens + i, 1));
          put (r, &tokens[i], NULL);
          valued = TRUE;
        }
      else
        {
          if ((tokens[i].kind == PH_LLVM_GLOBAL || is_any (&tokens[i], values)) && !valued)
            {
              add_operand (r, PH_LLVM_TEXT, keep (r, tokens + i, 1));
              valued = TRUE;
            }
          put (r, &tokens[i], NULL);
        }
    }
}

/* Reads "i32 [ 0, %entry ], [ %next, %loop ]". */
static void
read_phi (Reader *r, const PhLlvmToken *tokens, guint n)
{
  guint i = 0;

  while (i < n && ph_llvm_type_length (tokens + i, n - i) == 0 && !ph_llvm_is (&tokens[i], "["))
    put (r, &tokens[i++], NULL); /* fast-math flags */
  if (i < n && !ph_llvm_is (&tokens[i], "["))
    {
      const guint length = ph_llvm_type_length (tokens + i, n - i);

      r->type = keep (r, tokens + i, length);
      for (guint k = 0; k < length; k++)
        put (r, &tokens[i + k], NULL);
      i += length;
    }
  r->made->type = r->type;
  while (i < n)
    {
      const guint end = ph_llvm_is (&tokens[i], "[") ? bracketed (tokens + i, n - i) : 0;
      const guint before = r->made->operands->len;

      if (end < 5 || tokens[i + end - 2].kind != PH_LLVM_LOCAL)
        {
          put (r, &tokens[i++], NULL);
          continue;
        }
      put (r, &tokens[i], NULL);
      read_part (r, tokens + i + 1, end - 4);
      if (r->made->operands->len > before)
        g_array_index (r->made->operands, PhLlvmOperand, r->made->operands->len - 1).block = tokens[i + end - 2].name;
      else /* a value of some newer kind */
        {
          add_operand (r, PH_LLVM_TEXT, keep (r, tokens + i + 1, end - 4));
          g_array_index (r->made->operands, PhLlvmOperand, r->made->operands->len - 1).block = tokens[i + end - 2].name;
        }
      put (r, &tokens[i + end - 1], NULL);
      i += end;
    }
}

static gboolean
is_call (const PhLlvmInstruction *instruction)
{
  static const char *const calls[] = { "call", "invoke", "callbr", NULL };

  return g_strv_contains (calls, instruction->opcode);
}

static void
read_operands (Reader *r, const PhLlvmToken *tokens, guint n)
{
  static const char *const lists[] = { "switch", "indirectbr", NULL };
  const gboolean list = g_strv_contains (lists, r->made->opcode);
  guint from = 0;

  for (guint i = 0; i <= n; i++)
    {
      guint end = 0;

      if (i < n && tokens[i].kind == PH_LLVM_OTHER && strchr ("([{<", *tokens[i].start) != NULL)
        end = bracketed (tokens + i, n - i);
      /* The callee precedes its arguments, which are separated like other operands; so are the cases of a switch. */
      if (end > 0
          && ((list && ph_llvm_is (&tokens[i], "["))
              || (is_call (r->made) && ph_llvm_is (&tokens[i], "(") && i > 0
                  && (tokens[i - 1].kind == PH_LLVM_GLOBAL || tokens[i - 1].kind == PH_LLVM_LOCAL
                      || tokens[i - 1].kind == PH_LLVM_STRING))))
        {
          read_part (r, tokens + from, i - from);
          put (r, &tokens[i], NULL);
          read_operands (r, tokens + i + 1, end - 2);
          put (r, &tokens[i + end - 1], NULL);
          from = i + end;
          i = from - 1;
        }
      else if (end > 0)
        i += end - 1;
      else if (i == n || ph_llvm_is (&tokens[i], ",")
               || (i + 1 < n && ph_llvm_is (&tokens[i], "label") && tokens[i + 1].kind == PH_LLVM_LOCAL))
        {
          read_part (r, tokens + from, i - from);
          if (i < n)
            put (r, &tokens[i], NULL);
          if (i < n && ph_llvm_is (&tokens[i], "label"))
            {
              g_ptr_array_add (r->made->targets != NULL ? r->made->targets : (r->made->targets = g_ptr_array_new ()),
                               (gpointer) tokens[i + 1].name);
              put (r, &tokens[++i], "%");
            }
          from = i + 1;
        }
    }
}

/* ── the result type ── */

static const char *
with_element (Reader *r, const char *type, const char *element)
{
  const char *x = type != NULL && *type == '<' ? strstr (type, " x ") : NULL;
  g_autofree char *vector = x != NULL ? g_strdup_printf ("%.*s x %s>", (int) (x - type), type, element) : NULL;

  return g_string_chunk_insert_const (r->lexer->module->strings, vector != NULL ? vector : element);
}

static const char *
operand_type (Reader *r, guint i)
{
  return i < r->made->operands->len ? g_array_index (r->made->operands, PhLlvmOperand, i).type : NULL;
}

/* Returns the first type of @tokens, as written. (nullable) */
static const char *
first_type (Reader *r, const PhLlvmToken *tokens, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint length = ph_llvm_type_length (tokens + i, n - i);

      if (length > 0)
        return keep (r, tokens + i, length);
      if (i + 1 < n && ph_llvm_is (&tokens[i + 1], "(")) /* "dereferenceable(8)", "range(i32 0, 4)" */
        {
          length = bracketed (tokens + i + 1, n - i - 1);
          i += length;
        }
    }
  return NULL;
}

static const char *
result_type (Reader *r, const PhLlvmToken *tokens, guint n)
{
  static const char *const compares[] = { "icmp", "fcmp", NULL }, *const pointers[] = { "alloca", "getelementptr", NULL },
                           *const seconds[] = { "select", "atomicrmw", NULL },
                           *const unknown[] = { "extractvalue", "cmpxchg", "landingpad", NULL };
  const char *op = r->made->opcode;

  if (g_str_equal (op, "phi"))
    return r->made->type;
  if (g_strv_contains (compares, op))
    return with_element (r, operand_type (r, 0), "i1");
  if (g_strv_contains (pointers, op))
    return with_element (r, NULL, "ptr");
  if (g_strv_contains (seconds, op))
    return operand_type (r, 1);
  if (g_str_equal (op, "extractelement"))
    {
      const char *vector = operand_type (r, 0), *x = vector != NULL ? strstr (vector, " x ") : NULL;
      g_autofree char *element = x != NULL ? g_strndup (x + 3, strlen (x + 3) - 1) : NULL;

      return element != NULL ? g_string_chunk_insert_const (r->lexer->module->strings, element) : NULL;
    }
  if (g_strv_contains (unknown, op))
    return NULL;
  for (guint i = 0; i < n; i++) /* "zext i8 %x to i32" */
    if (ph_llvm_is (&tokens[i], "to") && i + 1 < n && !ph_llvm_is (&tokens[i + 1], "label"))
      return first_type (r, tokens + i + 1, n - i - 1);
  if (g_str_equal (op, "shufflevector"))
    {
      const char *mask = operand_type (r, 2), *x = operand_type (r, 0) != NULL ? strstr (operand_type (r, 0), " x ") : NULL;
      g_autofree char *element = x != NULL ? g_strndup (x + 3, strlen (x + 3) - 1) : NULL;

      return element != NULL ? with_element (r, mask, element) : NULL;
    }
  return first_type (r, tokens, n);
}

/* Of the metadata after the last comma, as of "!range !4, !dbg !12", what says more of a value than its type does. The rest is ignored.
 * (nullable) */
static const char *
find_promises (Reader *r, const PhLlvmToken *tokens, guint n)
{
  static const char *const promises[] = { "!range",       "!nonnull", "!align", "!dereferenceable", "!dereferenceable_or_null",
                                          "!alias.scope", "!noalias", NULL };
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = tokens[i].kind == PH_LLVM_META ? g_strndup (tokens[i].start, tokens[i].size) : NULL;

      if (text != NULL && g_strv_contains (promises, text))
        g_string_append_printf (found, "%s%s", found->len > 0 ? " " : "", text + 1);
    }
  return found->len > 0 ? g_string_chunk_insert_const (r->lexer->module->strings, found->str) : NULL;
}

PhLlvmInstruction *
ph_llvm_instruction (PhLlvmLexer *lexer, const PhLlvmToken *tokens, guint n)
{
  static const char *const prefixes[] = { "tail", "musttail", "notail", NULL };
  static const char *const ends[] = { "ret",         "br",       "switch",     "indirectbr",  "invoke", "resume",
                                      "catchswitch", "catchret", "cleanupret", "unreachable", "callbr", NULL };
  const PhLlvmToken *first = tokens;
  g_autoptr (GString) text = g_string_new (NULL);
  PhLlvmInstruction *made;
  Reader reader = { .lexer = lexer, .text = text };
  const char *result = NULL;

  if (n > 2 && tokens[0].kind == PH_LLVM_LOCAL && ph_llvm_is (&tokens[1], "="))
    {
      result = tokens[0].name;
      tokens += 2;
      n -= 2;
    }
  while (n > 1 && is_any (&tokens[0], prefixes))
    {
      g_string_append_len (text, tokens[0].start, (gssize) tokens[0].size);
      g_string_append_c (text, ' ');
      tokens++;
      n--;
    }
  if (tokens[0].kind != PH_LLVM_WORD || !g_ascii_isalpha (*tokens[0].start))
    {
      ph_llvm_fail (lexer, first, "an instruction has the form '%%name = operation operands', or 'operation operands'");
      return NULL;
    }
  made = g_new0 (PhLlvmInstruction, 1);
  made->result = result;
  made->line = first->line;
  made->column = first->column;
  made->opcode = keep (&reader, tokens, 1);
  made->operands = g_array_new (FALSE, FALSE, sizeof (PhLlvmOperand));
  reader.made = made;
  if (g_strv_contains (ends, made->opcode))
    made->targets = g_ptr_array_new ();
  for (guint i = 1; i + 1 < n; i++)
    if (ph_llvm_is (&tokens[i], ",") && tokens[i + 1].kind == PH_LLVM_META && *tokens[i + 1].start == '!')
      {
        made->metadata = find_promises (&reader, tokens + i, n - i);
        n = i;
        break;
      }
  for (guint i = 1; i <= n && n > 1; i++)
    if (i == n || tokens[i].kind != PH_LLVM_WORD || ph_llvm_type_length (tokens + i, n - i) > 0)
      {
        if (i > 1)
          made->flags = keep (&reader, tokens + 1, i - 1);
        break;
      }
  if (g_str_equal (made->opcode, "phi"))
    read_phi (&reader, tokens + 1, n - 1);
  else
    read_operands (&reader, tokens + 1, n - 1);
  if (result != NULL)
    made->type = result_type (&reader, tokens + 1, n - 1);
  made->text = g_string_chunk_insert (lexer->module->strings, text->str);
  return made;
}
