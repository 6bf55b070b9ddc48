/* layout.c: how many bytes LLVM's types take, as far as that is the same on each target: i64 may be aligned to 4 bytes or to 8, and a pointer
 * may have 4 or 8.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/memory.h"

#include <string.h>

#include "core/prove/llvm/supported.h"

#define DEEPEST 20

typedef struct
{
  guint wide;    /* alignment of i64 and double */
  guint pointer; /* size of a pointer           */
} Target;

static const Target targets[] = { { 8, 8 }, { 4, 8 }, { 8, 4 }, { 4, 4 } };

typedef struct
{
  guint64 size, align;
} Layout;

static gboolean read_type (const char **at, const Target *target, guint depth, Layout *layout);

static void
skip (const char **at, const char *what)
{
  *at += strspn (*at, what);
}

static gboolean
read_structure (const char **at, const Target *target, guint depth, Layout *layout)
{
  const gboolean packed = **at == '<';
  Layout field;

  *layout = (Layout) { 0, 1 };
  *at += packed ? 2 : 1;
  for (skip (at, " ,"); **at != '}'; skip (at, " ,"))
    {
      if (!read_type (at, target, depth + 1, &field))
        return FALSE;
      if (!packed)
        {
          layout->size = (layout->size + field.align - 1) / field.align * field.align;
          layout->align = MAX (layout->align, field.align);
        }
      layout->size += field.size;
    }
  *at += packed ? 2 : 1;
  layout->size = (layout->size + layout->align - 1) / layout->align * layout->align;
  return TRUE;
}

/* Reads the type at @at, and goes behind it. */
static gboolean
read_type (const char **at, const Target *target, guint depth, Layout *layout)
{
  gboolean known = depth < DEEPEST;
  char *end;

  if (!known)
    return FALSE;
  if (**at == '[')
    {
      const guint64 n = g_ascii_strtoull (*at + 1, &end, 10);

      if (!g_str_has_prefix (end, " x ") || n > G_MAXUINT16)
        return FALSE;
      *at = end + 3;
      if (!read_type (at, target, depth + 1, layout) || **at != ']')
        return FALSE;
      (*at)++;
      layout->size *= n;
    }
  else if (**at == '{' || g_str_has_prefix (*at, "<{"))
    {
      if (!read_structure (at, target, depth, layout))
        return FALSE;
    }
  else if (**at == 'i' && g_ascii_isdigit ((*at)[1]))
    {
      const guint64 width = g_ascii_strtoull (*at + 1, &end, 10);

      *at = end;
      known = width == 1 || width == 8 || width == 16 || width == 32 || width == 64;
      *layout = (Layout) { (width + 7) / 8, width == 64 ? target->wide : (width + 7) / 8 };
    }
  else
    {
      static const char *const words[] = { "ptr", "float", "double" };
      const gsize length = strcspn (*at, " ,*]}>");
      guint word = 0;

      while (word < G_N_ELEMENTS (words) && (strlen (words[word]) != length || strncmp (*at, words[word], length) != 0))
        word++;
      known = word < G_N_ELEMENTS (words);
      *layout = word == 0   ? (Layout) { target->pointer, target->pointer }
                : word == 1 ? (Layout) { 4, 4 }
                            : (Layout) { 8, target->wide };
      *at += length;
    }
  for (; **at == '*'; (*at)++) /* of older versions */
    {
      *layout = (Layout) { target->pointer, target->pointer };
      known = TRUE;
    }
  return known && layout->size <= G_MAXUINT16;
}

gboolean
ph_llvm_type_size (const char *text, guint64 *size)
{
  for (guint t = 0; t < G_N_ELEMENTS (targets); t++)
    {
      const char *at = text;
      Layout layout;

      if (!read_type (&at, &targets[t], 0, &layout))
        return FALSE;
      if (at[-1] == '*' || (g_str_has_prefix (text, "ptr") && at == text + strlen ("ptr")))
        layout.size = 8; /* the whole is a pointer */
      else if (t > 0 && layout.size != *size)
        return FALSE;
      *size = layout.size;
    }
  return TRUE;
}

/* Goes into field @index of the structure at @at, whose offset is @offset. */
static gboolean
enter_field (const char **at, const Target *target, guint64 index, guint64 *offset)
{
  const gboolean packed = **at == '<';
  Layout field;

  *offset = 0;
  *at += packed ? 2 : 1;
  for (guint64 i = 0;; i++)
    {
      const char *end;

      skip (at, " ,");
      end = *at;
      if (*end == '}' || !read_type (&end, target, 0, &field))
        return FALSE;
      *offset = packed ? *offset : (*offset + field.align - 1) / field.align * field.align;
      if (i == index)
        return TRUE;
      *offset += field.size;
      *at = end;
    }
}

static gboolean
find_strides (const PhNode *node, const Target *target, gint64 *strides, guint n)
{
  static const char *const flags[] = { "inbounds ", "nusw ", "nuw " };
  const char *at = ph_node_attr_string (node, "text", "");
  Layout layout;

  for (guint i = 0; i < G_N_ELEMENTS (flags);)
    if (g_str_has_prefix (at, flags[i]))
      {
        at += strlen (flags[i]);
        i = 0; /* in any order */
      }
    else
      i++;
  strides[n] = 0;
  for (guint i = 0; i < n; i++)
    {
      const char *end;

      if (i > 0 && *at == '[')
        {
          const char *element = strstr (at, " x ");

          if (element == NULL)
            return FALSE;
          at = element + 3;
        }
      else if (i > 0)
        {
          const PhValue *index = ph_node_input (node, i + 1);
          guint64 offset;

          if ((*at != '{' && !g_str_has_prefix (at, "<{")) || index == NULL || index->tensor == NULL
              || !enter_field (&at, target, (guint64) ph_tensor_get (index->tensor, 0), &offset))
            return FALSE;
          strides[i] = 0;
          strides[n] += (gint64) offset;
          continue;
        }
      end = at;
      if (!read_type (&end, target, 0, &layout))
        return FALSE;
      strides[i] = (gint64) layout.size;
    }
  return TRUE;
}

gboolean
ph_llvm_strides (const PhNode *node, gint64 *strides, guint n)
{
  g_autofree gint64 *other = g_new0 (gint64, n + 1);

  for (guint t = 0; t < G_N_ELEMENTS (targets); t++)
    if (!find_strides (node, &targets[t], t == 0 ? strides : other, n)
        || (t > 0 && memcmp (strides, other, (n + 1) * sizeof *strides) != 0))
      return FALSE;
  return TRUE;
}

gboolean
ph_llvm_is_pointer (const PhType *type)
{
  return type != NULL && type->kind == PH_KIND_OPAQUE && (g_str_equal (type->name, "ptr") || g_str_has_suffix (type->name, "*"));
}
