/* bytecode.c: the sections of MLIR's binary form: strings, dialects, attributes, types, resources.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/bytecode-text.h"

#define NEWEST     6          /* the newest version of the format that is known                      */
#define MIN_ROOM   (64 << 20) /* text that any file may make of its attributes, in bytes     */
#define MAX_INLINE 64         /* bytes of a tensor that is written into the text             */

enum
{
  SECTION_STRINGS,
  SECTION_DIALECTS,
  SECTION_ENTRIES,
  SECTION_ENTRY_SIZES,
  SECTION_OPS,
  SECTION_RESOURCES,
  SECTION_RESOURCE_SIZES,
  SECTION_DIALECT_VERSION,
  SECTION_PROPERTIES,
  N_SECTIONS
};

/* ── reading ── */

gboolean
ph_mlir_code_fail (PhMlirCode *code, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (code->error != NULL)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return ph_source_fail (code->source, &code->error, PH_ERROR_INVALID, NULL, "%s", text);
}

gboolean
ph_mlir_code_spend (PhMlirCode *code, gsize size)
{
  if (size > code->room)
    return ph_mlir_code_fail (code, "its attributes, written out, are too long: the file is damaged");
  code->room -= size;
  return TRUE;
}

PhMlirBytes
ph_mlir_bytes (PhMlirCode *code, PhSpan span)
{
  return (PhMlirBytes) { code, span.data, span.data + span.size };
}

PhSpan
ph_mlir_take_span (PhMlirBytes *bytes, guint64 size)
{
  PhSpan span = { bytes->p, (gsize) size };

  if (size > (guint64) (bytes->end - bytes->p))
    {
      ph_mlir_code_fail (bytes->code,
                         "at byte %" G_GSIZE_FORMAT ": %" G_GUINT64_FORMAT " bytes are expected, and %" G_GSIZE_FORMAT
                         " are left: the file is damaged or incomplete",
                         (gsize) (bytes->p - bytes->code->file.data), size, (gsize) (bytes->end - bytes->p));
      bytes->p = bytes->end;
      return (PhSpan) { bytes->end, 0 };
    }
  bytes->p += size;
  return span;
}

guint8
ph_mlir_take_byte (PhMlirBytes *bytes)
{
  PhSpan span = ph_mlir_take_span (bytes, 1);

  return span.size > 0 ? span.data[0] : 0;
}

/* The zeros at the low end of the first byte say how many bytes follow it; all eight bits zero: eight. */
guint64
ph_mlir_take_number (PhMlirBytes *bytes)
{
  const guint8 first = ph_mlir_take_byte (bytes);
  guint64 value = 0;
  guint n = 0;
  PhSpan rest;

  if (first & 1)
    return first >> 1;
  while (n < 8 && (first >> n & 1) == 0)
    n++;
  rest = ph_mlir_take_span (bytes, n);
  for (gsize i = rest.size; i-- > 0;)
    value = value << 8 | rest.data[i];
  return n == 8 ? value : (value << 8 | first) >> (n + 1);
}

gint64
ph_mlir_take_signed (PhMlirBytes *bytes)
{
  const guint64 value = ph_mlir_take_number (bytes);

  return (gint64) (value >> 1 ^ (0 - (value & 1)));
}

guint
ph_mlir_take_count (PhMlirBytes *bytes)
{
  const guint64 count = ph_mlir_take_number (bytes);

  if (count > (guint64) (bytes->end - bytes->p) || count > G_MAXINT)
    {
      ph_mlir_code_fail (bytes->code, "at byte %" G_GSIZE_FORMAT ": a list of %" G_GUINT64_FORMAT " is longer than what is left",
                         (gsize) (bytes->p - bytes->code->file.data), count);
      return 0;
    }
  return (guint) count;
}

PhSpan
ph_mlir_take_string (PhMlirBytes *bytes)
{
  const guint64 index = ph_mlir_take_number (bytes);

  if (index >= bytes->code->strings->len)
    {
      ph_mlir_code_fail (bytes->code, "string %" G_GUINT64_FORMAT " is named, of %u", index, bytes->code->strings->len);
      return (PhSpan) { bytes->end, 0 };
    }
  return g_array_index (bytes->code->strings, PhSpan, index);
}

static char *
dup_string (PhSpan span)
{
  g_autofree char *text = g_strndup ((const char *) span.data, span.size);

  return g_utf8_make_valid (text, -1);
}

/* Passes the bytes that make the place in the file a multiple of @alignment. */
static void
align (PhMlirBytes *bytes, guint64 alignment)
{
  const guint64 at = (guint64) (bytes->p - bytes->code->file.data);

  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    ph_mlir_code_fail (bytes->code, "an alignment of %" G_GUINT64_FORMAT " is no power of two", alignment);
  else
    ph_mlir_take_span (bytes, (alignment - at % alignment) % alignment);
}

PhSpan
ph_mlir_take_section (PhMlirBytes *bytes, guint *id)
{
  const guint8 first = ph_mlir_take_byte (bytes);
  const guint64 size = ph_mlir_take_number (bytes);

  *id = first & 0x7f;
  if (first & 0x80)
    align (bytes, ph_mlir_take_number (bytes));
  return ph_mlir_take_span (bytes, size);
}

guint64
ph_mlir_take_bits (PhMlirBytes *bytes, guint width)
{
  guint64 bits, n;

  if (width <= 8)
    return ph_mlir_take_byte (bytes);
  if (width <= 64)
    {
      bits = (guint64) ph_mlir_take_signed (bytes);
      return width < 64 ? bits & ((G_GUINT64_CONSTANT (1) << width) - 1) : bits;
    }
  n = ph_mlir_take_count (bytes);
  bits = n > 0 ? (guint64) ph_mlir_take_signed (bytes) : 0;
  for (guint64 i = 1; i < n; i++)
    ph_mlir_take_signed (bytes);
  return bits;
}

/* ── attributes and types ── */

static const char *
dialect_of (PhMlirCode *code, const PhMlirEntry *entry)
{
  return code->dialects->pdata[entry->dialect];
}

/* Fills in what is stored of @entry; what only its dialect's own program can read is named, and stays unknown. */
static void
read_entry (PhMlirCode *code, const PhMlirEntry *entry, gboolean is_type, guint index, GString *out)
{
  const char *dialect = dialect_of (code, entry);
  PhMlirBytes bytes = ph_mlir_bytes (code, entry->span);
  gboolean known = FALSE;

  if (!entry->custom)
    {
      const guint8 *end = memchr (entry->span.data, 0, entry->span.size);

      for (const guint8 *p = entry->span.data; end != NULL && p < end; p++) /* a line has no other meaning than a space */
        g_string_append_c (out, *p == '\n' ? ' ' : (char) *p);
      known = end != NULL;
    }
  else if (g_str_equal (dialect, "builtin"))
    known = is_type ? ph_mlir_builtin_type (&bytes, out) : ph_mlir_builtin_attr (&bytes, index, out);
  else if (g_str_equal (dialect, "vhlo"))
    known = is_type ? ph_mlir_vhlo_type (&bytes, out) : ph_mlir_vhlo_attr (&bytes, out);
  else if (g_str_equal (dialect, "sdy") && !is_type)
    known = ph_mlir_sdy_attr (&bytes, out);
  if (!known)
    {
      if (!code->unread)
        ph_source_problem (code->source, "What is of the dialect %s is stored in a form of its own, and is shown as %s.unread",
                           dialect, dialect);
      code->unread = TRUE;
      g_string_truncate (out, 0);
      g_string_append_printf (out, "%c%s.unread", is_type ? '!' : '#', dialect);
    }
}

static const char *
entry_text (PhMlirCode *code, GArray *entries, guint64 index)
{
  const gboolean is_type = entries == code->types;
  PhMlirEntry *entry;

  if (code->error != NULL)
    return "unit";
  if (index >= entries->len)
    {
      ph_mlir_code_fail (code, "%s %" G_GUINT64_FORMAT " is named, of %u", is_type ? "type" : "attribute", index, entries->len);
      return "unit";
    }
  entry = &g_array_index (entries, PhMlirEntry, index);
  if (entry->text == NULL)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      if (entry->busy || code->depth >= PH_MLIR_MAX_DEPTH)
        {
          ph_mlir_code_fail (code, "%s %" G_GUINT64_FORMAT " %s", is_type ? "type" : "attribute", index,
                             entry->busy ? "is part of itself" : "is nested too deeply");
          return "unit";
        }
      entry->busy = TRUE;
      code->depth++;
      read_entry (code, entry, is_type, (guint) index, out);
      code->depth--;
      entry->busy = FALSE;
      ph_mlir_code_spend (code, out->len);
      entry->text = g_string_free (g_steal_pointer (&out), FALSE);
    }
  return entry->text;
}

const char *
ph_mlir_attr_text (PhMlirCode *code, guint64 index)
{
  return entry_text (code, code->attrs, index);
}

const char *
ph_mlir_type_text (PhMlirCode *code, guint64 index)
{
  return entry_text (code, code->types, index);
}

const char *
ph_mlir_take_attr (PhMlirBytes *bytes)
{
  return entry_text (bytes->code, bytes->code->attrs, ph_mlir_take_number (bytes));
}

const char *
ph_mlir_take_type (PhMlirBytes *bytes)
{
  return entry_text (bytes->code, bytes->code->types, ph_mlir_take_number (bytes));
}

void
ph_mlir_write_dense (PhMlirCode *code, GString *out, const char *type, PhSpan bytes)
{
  if (bytes.size <= MAX_INLINE)
    {
      g_string_append (out, "dense<\"0x");
      for (gsize i = 0; i < bytes.size; i++)
        g_string_append_printf (out, "%02X", bytes.data[i]);
      g_string_append_printf (out, "\"> : %s", type);
      if (bytes.size == 0) /* no element: "0x" would be no bytes of a tensor */
        {
          g_string_truncate (out, out->len - strlen (type) - strlen ("\"0x\"> : "));
          g_string_append_printf (out, "> : %s", type);
        }
    }
  else
    {
      char *name = g_strdup_printf ("bytes%u", g_hash_table_size (code->blobs));

      g_hash_table_insert (code->blobs, name,
                           g_bytes_new_from_bytes (code->bytes, (gsize) (bytes.data - code->file.data), bytes.size));
      g_string_append_printf (out, "dense_resource<%s> : %s", name, type);
    }
}

/* ── sections ── */

static void
read_strings (PhMlirCode *code, PhSpan section)
{
  PhMlirBytes bytes = ph_mlir_bytes (code, section);
  const guint n = ph_mlir_take_count (&bytes);
  const guint8 *end = bytes.end;
  g_autofree guint64 *sizes = g_new0 (guint64, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    sizes[i] = ph_mlir_take_number (&bytes);
  g_array_set_size (code->strings, n);
  for (guint i = 0; i < n && code->error == NULL; i++) /* the last string comes first */
    {
      if (sizes[i] == 0 || sizes[i] > (guint64) (end - bytes.p))
        ph_mlir_code_fail (code, "string %u has %" G_GUINT64_FORMAT " bytes, which the file does not have", n - 1 - i, sizes[i]);
      else
        end -= sizes[i];
      g_array_index (code->strings, PhSpan, n - 1 - i) = (PhSpan) { end, sizes[i] > 0 ? (gsize) sizes[i] - 1 : 0 };
    }
}

/* Calls @each for the things of the section, which are grouped by their dialects. */
static void
read_groups (PhMlirBytes *bytes, guint64 n, void (*each) (PhMlirBytes *bytes, guint dialect, gpointer data), gpointer data)
{
  while (bytes->p < bytes->end && n > 0 && bytes->code->error == NULL)
    {
      const guint64 dialect = ph_mlir_take_number (bytes);
      const guint count = ph_mlir_take_count (bytes);

      if (dialect >= bytes->code->dialects->len)
        ph_mlir_code_fail (bytes->code, "dialect %" G_GUINT64_FORMAT " is named, of %u", dialect, bytes->code->dialects->len);
      for (guint i = 0; i < count && n > 0 && bytes->code->error == NULL; i++, n--)
        each (bytes, (guint) dialect, data);
    }
}

static void
read_op_name (PhMlirBytes *bytes, guint dialect, gpointer data)
{
  PhMlirCode *code = bytes->code;
  guint64 index = ph_mlir_take_number (bytes);
  PhMlirOpName op = { 0 };
  g_autofree char *name = NULL;

  if (code->version >= 5)
    {
      op.native = index & 1;
      index >>= 1;
    }
  if (index >= code->strings->len)
    {
      ph_mlir_code_fail (code, "string %" G_GUINT64_FORMAT " is named, of %u", index, code->strings->len);
      return;
    }
  name = dup_string (g_array_index (code->strings, PhSpan, index));
  op.name = g_strdup_printf ("%s.%s", (const char *) code->dialects->pdata[dialect], name);
  g_array_append_val (code->names, op);
}

static void
read_dialects (PhMlirCode *code, PhSpan section)
{
  PhMlirBytes bytes = ph_mlir_bytes (code, section);
  const guint n = ph_mlir_take_count (&bytes);

  for (guint i = 0; i < n && code->error == NULL; i++)
    {
      guint64 index = ph_mlir_take_number (&bytes);
      gboolean versioned = FALSE;
      guint id;

      if (code->version >= 1)
        {
          versioned = index & 1;
          index >>= 1;
        }
      if (index >= code->strings->len)
        ph_mlir_code_fail (code, "string %" G_GUINT64_FORMAT " is named, of %u", index, code->strings->len);
      else
        g_ptr_array_add (code->dialects, dup_string (g_array_index (code->strings, PhSpan, index)));
      if (versioned)
        ph_mlir_take_section (&bytes, &id);
    }
  if (code->version >= 4)
    ph_mlir_take_number (&bytes); /* how many names of operations there are */
  read_groups (&bytes, G_MAXUINT64, read_op_name, NULL);
}

typedef struct
{
  GArray *entries;
  PhMlirBytes rest;
} EntryReader;

static void
read_entry_size (PhMlirBytes *bytes, guint dialect, gpointer data)
{
  EntryReader *reader = data;
  const guint64 size = ph_mlir_take_number (bytes);
  PhMlirEntry entry = { .dialect = dialect, .custom = size & 1 };

  entry.span = ph_mlir_take_span (&reader->rest, size >> 1);
  g_array_append_val (reader->entries, entry);
}

static void
read_entries (PhMlirCode *code, PhSpan sizes, PhSpan section)
{
  PhMlirBytes bytes = ph_mlir_bytes (code, sizes);
  const guint64 n_attrs = ph_mlir_take_number (&bytes), n_types = ph_mlir_take_number (&bytes);
  EntryReader reader = { code->attrs, ph_mlir_bytes (code, section) };

  read_groups (&bytes, n_attrs, read_entry_size, &reader);
  reader.entries = code->types;
  read_groups (&bytes, n_types, read_entry_size, &reader);
}

/* Reads the resources' keys and sizes. Those that are blobs of bytes are kept by their keys. */
static void
read_resources (PhMlirCode *code, PhSpan sizes, PhSpan section)
{
  PhMlirBytes bytes = ph_mlir_bytes (code, sizes), rest = ph_mlir_bytes (code, section);
  const guint64 n_external = ph_mlir_take_number (&bytes);

  for (guint64 group = 0; bytes.p < bytes.end && code->error == NULL; group++)
    {
      guint n;

      ph_mlir_take_number (&bytes); /* the dialect, or the name of who else wrote it */
      n = ph_mlir_take_count (&bytes);
      for (guint i = 0; i < n && code->error == NULL; i++)
        {
          PhMlirBytes blob;
          gboolean is_blob;

          ph_mlir_take_number (&bytes); /* its name */
          blob = ph_mlir_bytes (code, ph_mlir_take_span (&rest, ph_mlir_take_number (&bytes)));
          is_blob = ph_mlir_take_byte (&bytes) == 0;

          if (group < n_external)
            continue;
          code->n_resources++;
          if (is_blob && code->error == NULL)
            {
              const guint64 alignment = ph_mlir_take_number (&blob), size = ph_mlir_take_number (&blob);
              PhSpan data;

              align (&blob, alignment);
              data = ph_mlir_take_span (&blob, size);
              g_hash_table_insert (code->blobs, g_strdup_printf ("resource%u", code->n_resources - 1),
                                   g_bytes_new_from_bytes (code->bytes, (gsize) (data.data - code->file.data), data.size));
            }
        }
    }
}

static void
read_properties (PhMlirCode *code, PhSpan section)
{
  PhMlirBytes bytes = ph_mlir_bytes (code, section);
  const guint n = ph_mlir_take_count (&bytes);

  for (guint i = 0; i < n && code->error == NULL; i++)
    {
      PhSpan span = ph_mlir_take_span (&bytes, ph_mlir_take_number (&bytes));

      g_array_append_val (code->properties, span);
    }
}

static void
read_file (PhMlirCode *code, GString *out)
{
  PhMlirBytes bytes = ph_mlir_bytes (code, code->file);
  PhSpan sections[N_SECTIONS] = { 0 };
  const guint8 *nul;

  ph_mlir_take_span (&bytes, 4);
  code->version = ph_mlir_take_number (&bytes);
  if (code->version > NEWEST)
    ph_mlir_code_fail (
        code, "version %" G_GUINT64_FORMAT " of MLIR's bytecode is newer than what is known (%d): write the file as text",
        code->version, NEWEST);
  nul = memchr (bytes.p, 0, (gsize) (bytes.end - bytes.p)); /* who wrote it */
  bytes.p = nul != NULL ? nul + 1 : bytes.end;
  while (bytes.p < bytes.end && code->error == NULL)
    {
      guint id;
      PhSpan section = ph_mlir_take_section (&bytes, &id);

      if (id < N_SECTIONS)
        sections[id] = section;
    }
  if (code->error == NULL && (sections[SECTION_STRINGS].data == NULL || sections[SECTION_OPS].data == NULL))
    ph_mlir_code_fail (code, "the file has no %s: it is incomplete",
                       sections[SECTION_STRINGS].data == NULL ? "strings" : "operations");
  if (code->error != NULL)
    return;
  read_strings (code, sections[SECTION_STRINGS]);
  read_dialects (code, sections[SECTION_DIALECTS]);
  read_entries (code, sections[SECTION_ENTRY_SIZES], sections[SECTION_ENTRIES]);
  if (sections[SECTION_RESOURCE_SIZES].data != NULL)
    read_resources (code, sections[SECTION_RESOURCE_SIZES], sections[SECTION_RESOURCES]);
  if (sections[SECTION_PROPERTIES].data != NULL)
    read_properties (code, sections[SECTION_PROPERTIES]);
  if (code->error == NULL)
    ph_mlir_write_ops (code, sections[SECTION_OPS], out);
  g_string_append_len (out, code->locations->str, (gssize) code->locations->len);
}

static void
clear_entry (gpointer entry)
{
  g_free (((PhMlirEntry *) entry)->text);
}

static void
clear_name (gpointer name)
{
  g_free (((PhMlirOpName *) name)->name);
}

char *
ph_mlir_bytecode_text (PhSource *source, GBytes *bytes, GHashTable *blobs, gsize *size, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL), locations = g_string_new (NULL);
  g_autoptr (GArray) strings = g_array_new (FALSE, TRUE, sizeof (PhSpan)),
                     properties = g_array_new (FALSE, TRUE, sizeof (PhSpan));
  g_autoptr (GArray) names = g_array_new (FALSE, TRUE, sizeof (PhMlirOpName));
  g_autoptr (GArray) attrs = g_array_new (FALSE, TRUE, sizeof (PhMlirEntry)),
                     types = g_array_new (FALSE, TRUE, sizeof (PhMlirEntry));
  g_autoptr (GPtrArray) dialects = g_ptr_array_new_with_free_func (g_free);
  PhMlirCode code = { .source = source,
                      .bytes = bytes,
                      .strings = strings,
                      .dialects = dialects,
                      .names = names,
                      .attrs = attrs,
                      .types = types,
                      .properties = properties,
                      .blobs = blobs,
                      .locations = locations };

  code.file.data = g_bytes_get_data (bytes, &code.file.size);
  code.room = MAX (MIN_ROOM, 32 * code.file.size);
  g_array_set_clear_func (names, clear_name);
  g_array_set_clear_func (attrs, clear_entry);
  g_array_set_clear_func (types, clear_entry);
  read_file (&code, out);
  if (code.error != NULL)
    {
      g_propagate_error (error, code.error);
      return NULL;
    }
  *size = out->len;
  return g_string_free (g_steal_pointer (&out), FALSE);
}
