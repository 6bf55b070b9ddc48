/* type.c: types of MLIR text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/lexer.h"

#define MAX_PLAIN 64 /* bytes of a type between its brackets that is looked up */

static PhDType
dtype_of (const char *text)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } names[] = {
    { "f32", PH_FLOAT }, { "f64", PH_DOUBLE }, { "f16", PH_FLOAT16 }, { "bf16", PH_BFLOAT16 }, { "i1", PH_BOOL }, { "index", PH_INT64 },
    { "i2", PH_INT2 }, { "i4", PH_INT4 }, { "i8", PH_INT8 }, { "i16", PH_INT16 }, { "i32", PH_INT32 }, { "i64", PH_INT64 },
    { "si2", PH_INT2 }, { "si4", PH_INT4 }, { "si8", PH_INT8 }, { "si16", PH_INT16 }, { "si32", PH_INT32 }, { "si64", PH_INT64 },
    { "ui2", PH_UINT2 }, { "ui4", PH_UINT4 }, { "ui8", PH_UINT8 }, { "ui16", PH_UINT16 }, { "ui32", PH_UINT32 }, { "ui64", PH_UINT64 },
    { "u2", PH_UINT2 }, { "u4", PH_UINT4 }, { "u8", PH_UINT8 }, { "u16", PH_UINT16 }, { "u32", PH_UINT32 }, { "u64", PH_UINT64 },
    { "f8E4M3FN", PH_FLOAT8E4M3FN }, { "f8E4M3FNUZ", PH_FLOAT8E4M3FNUZ }, { "f8E5M2", PH_FLOAT8E5M2 }, { "f8E5M2FNUZ", PH_FLOAT8E5M2FNUZ },
    { "f4E2M1FN", PH_FLOAT4E2M1 }, { "f8E8M0FNU", PH_FLOAT8E8M0 },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, text))
      return names[i].dtype;
  return PH_UNDEFINED;
}

/* Parses "4x?x" before an element type by characters, since "4xf32" is one word to the lexer. The current token becomes the one after
 * it. */
static gboolean
parse_dims (PhMlirParser *parser, GArray *dims, gboolean *ranked)
{
  const char *p = parser->token.start;

  *ranked = TRUE;
  for (;;)
    {
      const char *q = p;
      gint64 size = 0;
      PhDim dim = PH_DIM_UNKNOWN;

      if (q < parser->end && (*q == '?' || *q == '*'))
        {
          *ranked = *ranked && *q != '*';
          q++;
        }
      else if (q < parser->end && g_ascii_isdigit (*q))
        {
          for (; q < parser->end && g_ascii_isdigit (*q); q++)
            if (size < G_MAXINT64 / 20)
              size = size * 10 + (*q - '0');
            else
              return ph_mlir_fail (parser, "a dimension is too large for 64 bits");
          dim = PH_DIM (size);
        }
      else if (q + 1 < parser->end && *q == '[') /* a scalable vector */
        {
          for (q++; q < parser->end && *q != ']' && *q != '\n'; q++)
            ;
          q += q < parser->end;
        }
      else
        break;
      while (q < parser->end && *q == ' ')
        q++;
      if (q >= parser->end || *q != 'x')
        break;
      for (q++; q < parser->end && *q == ' '; q++)
        ;
      if (dims->len >= PH_MAX_RANK)
        return ph_mlir_fail (parser, "a type of more than %d dimensions cannot be read", PH_MAX_RANK);
      g_array_append_val (dims, dim);
      p = q;
    }
  parser->p = p;
  ph_mlir_next (parser);
  return TRUE;
}

static gboolean
parse_shaped (PhMlirParser *parser, PhMlirType *type)
{
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (PhDim));
  gboolean ranked;
  PhMlirType element = { 0 };

  if (!parse_dims (parser, dims, &ranked) || !ph_mlir_type (parser, &element))
    return FALSE;
  while (!ph_mlir_is (parser, '>') && parser->token.kind != PH_MLIR_END) /* an encoding, a layout, a memory space */
    ph_mlir_skip (parser);
  type->opaque = element.opaque || element.type == NULL;
  if (element.type != NULL && element.type->has_rank && element.type->rank == 0)
    type->type = ranked ? ph_type_tensor (element.type->dtype, dims->len, (const PhDim *) (gpointer) dims->data)
                        : ph_type_unranked (element.type->dtype);
  return ph_mlir_expect (parser, '>');
}

static gboolean
parse_word_type (PhMlirParser *parser, PhMlirType *type)
{
  const char *word = ph_mlir_text (parser);
  PhDType dtype = dtype_of (word);

  ph_mlir_next (parser);
  if (dtype != PH_UNDEFINED)
    {
      type->type = ph_type_static (dtype, 0, NULL);
      return TRUE;
    }
  type->opaque = TRUE;
  if (!ph_mlir_is (parser, '<'))
    return TRUE;
  if (g_str_equal (word, "tensor") || g_str_equal (word, "memref") || g_str_equal (word, "vector"))
    {
      type->opaque = FALSE;
      ph_mlir_next (parser);
      return parse_shaped (parser, type);
    }
  if (g_str_equal (word, "complex"))
    {
      PhMlirType element = { 0 };

      ph_mlir_next (parser);
      if (!ph_mlir_type (parser, &element) || !ph_mlir_expect (parser, '>'))
        return FALSE;
      if (element.type != NULL && (element.type->dtype == PH_FLOAT || element.type->dtype == PH_DOUBLE))
        {
          type->type = ph_type_static (element.type->dtype == PH_FLOAT ? PH_COMPLEX64 : PH_COMPLEX128, 0, NULL);
          type->opaque = FALSE;
        }
      return TRUE;
    }
  ph_mlir_skip (parser);
  return TRUE;
}

/* Parses a type of a dialect. "!quant.uniform<i8:f32, 0.5:3>" is stored as i8. */
static gboolean
parse_dialect_type (PhMlirParser *parser, PhMlirType *type)
{
  const char *word = ph_mlir_text (parser);
  PhMlirAlias *alias = ph_mlir_alias (parser, word);

  type->opaque = TRUE;
  if (alias != NULL)
    {
      PhMlirToken before;

      ph_mlir_next (parser);
      before = parser->token;
      if (!alias->typed && !alias->busy)
        {
          alias->busy = TRUE;
          parser->p = alias->p;
          parser->line = alias->line;
          ph_mlir_next (parser);
          ph_mlir_type (parser, &alias->type);
          alias->typed = TRUE;
          alias->busy = FALSE;
          if (parser->error == NULL)
            ph_mlir_seek (parser, &before);
        }
      *type = alias->type;
      return parser->error == NULL;
    }
  ph_mlir_next (parser);
  if (!ph_mlir_is (parser, '<'))
    return TRUE;
  if (g_str_has_prefix (word, "!quant.uniform"))
    {
      PhMlirToken before = parser->token;
      PhMlirType stored = { 0 };

      ph_mlir_next (parser);
      if (parser->token.kind == PH_MLIR_ID && dtype_of (ph_mlir_text (parser)) != PH_UNDEFINED)
        {
          stored.type = ph_type_static (dtype_of (ph_mlir_text (parser)), 0, NULL);
          type->type = stored.type;
        }
      ph_mlir_seek (parser, &before);
    }
  ph_mlir_skip (parser);
  return TRUE;
}

static gboolean
parse_function_type (PhMlirParser *parser, PhMlirType *type)
{
  type->opaque = TRUE;
  ph_mlir_skip (parser);
  if (parser->token.kind == PH_MLIR_ARROW)
    {
      PhMlirType result;

      ph_mlir_next (parser);
      return ph_mlir_type (parser, &result);
    }
  return TRUE;
}

/* Returns the end of "tensor<4x8xf32>", which begins at the present token; NULL if the brackets contain more than a word, or a long one. */
static const char *
plain_end (PhMlirParser *parser)
{
  const char *p = parser->token.end, *end = MIN (parser->end, p + MAX_PLAIN);

  if (parser->token.kind != PH_MLIR_ID || p >= end || *p != '<')
    return NULL;
  for (p++; p < end && (g_ascii_isalnum (*p) || *p == '?' || *p == '_'); p++)
    ;
  return p < end && *p == '>' ? p + 1 : NULL;
}

/* Most types of a file repeat and are cached. */
static gboolean
find_type (PhMlirParser *parser, const char *end, char *key, PhMlirType *type)
{
  const gsize length = (gsize) (end - parser->token.start);
  const PhMlirType *known;

  memcpy (key, parser->token.start, length);
  key[length] = '\0';
  known = parser->types != NULL ? g_hash_table_lookup (parser->types, key) : NULL;
  if (known == NULL)
    return FALSE;
  *type = *known;
  parser->p = end;
  ph_mlir_next (parser);
  return TRUE;
}

gboolean
ph_mlir_type (PhMlirParser *parser, PhMlirType *type)
{
  const char *from = parser->token.start, *end = plain_end (parser);
  char key[MAX_PLAIN + 32];
  gboolean ok;

  if (end != NULL && end - from < (gssize) sizeof key && find_type (parser, end, key, type))
    return TRUE;
  *type = (PhMlirType) { 0 };
  if (!ph_mlir_enter (parser))
    return FALSE;
  if (parser->token.kind == PH_MLIR_ID)
    ok = parse_word_type (parser, type);
  else if (parser->token.kind == PH_MLIR_BANG)
    ok = parse_dialect_type (parser, type);
  else if (ph_mlir_is (parser, '('))
    ok = parse_function_type (parser, type);
  else
    ok = ph_mlir_fail (parser, "a type (tensor<2x3xf32>, i32, ...) is expected here");
  parser->depth--;
  if (ok && type->text == NULL)
    type->text = ph_mlir_span (parser, from);
  if (ok && type->type == NULL)
    type->type = ph_type_opaque (type->text);
  if (ok && parser->error == NULL && end != NULL && end - from < (gssize) sizeof key)
    {
      PhMlirType *copy = ph_mlir_new (parser, sizeof *copy);

      *copy = *type;
      if (parser->types == NULL)
        parser->types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_hash_table_insert (parser->types, g_strdup (key), copy);
    }
  return ok && parser->error == NULL;
}
