/* onnx-tags.c: stores what ONNX cannot express, control edges and source locations: as attributes in text, and as metadata of the node,
 * which other programs ignore, in a file for them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-export.h"
#include "core/io/onnx/onnx-import.h"

#include <string.h>

#define METADATA    9                /* NodeProto.metadata_props, newer than Debian's onnx.proto */
#define AFTER       "peephole.after" /* values whose nodes must run before this one, one per key */
#define WHERE       "peephole.where" /* FILE:LINE:COLUMN, the innermost first                    */
#define AFTER_ATTR  "peephole_after"
#define WHERE_ATTR  "peephole_where"
#define TORCH_TRACE "pkg.torch.onnx.stack_trace"

/* (nullable) in the arena */
static Onnx__StringStringEntryProto *
read_entry (PhArena *arena, const ProtobufCMessageUnknownField *field)
{
  ProtobufCAllocator allocator = ph_arena_allocator (arena);
  gsize header = 0; /* the length, which protobuf-c leaves in front of the bytes */
  Onnx__StringStringEntryProto *entry;

  if (field->tag != METADATA || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
    return NULL;
  while (header < field->len && (field->data[header] & 0x80) != 0)
    header++;
  if (header++ >= field->len)
    return NULL;
  entry = onnx__string_string_entry_proto__unpack (&allocator, field->len - header, field->data + header);
  return entry != NULL && entry->key != NULL && entry->value != NULL ? entry : NULL;
}

static void
collect (PhImport *import, const Onnx__NodeProto *proto, const char *attr_name, const char *key, GPtrArray *texts)
{
  for (gsize i = 0; i < proto->n_attribute; i++)
    if (g_strcmp0 (proto->attribute[i]->name, attr_name) == 0)
      for (gsize k = 0; k < proto->attribute[i]->n_strings; k++)
        {
          const ProtobufCBinaryData *data = &proto->attribute[i]->strings[k];

          g_ptr_array_add (texts, ph_arena_strndup (import->arena, (const char *) data->data, data->len));
        }
  for (guint i = 0; i < proto->base.n_unknown_fields; i++)
    {
      const Onnx__StringStringEntryProto *entry = read_entry (import->arena, &proto->base.unknown_fields[i]);

      if (entry != NULL && g_str_equal (entry->key, key))
        g_ptr_array_add (texts, entry->value);
    }
}

void
ph_import_read_after (PhImport *import, const Onnx__NodeProto *proto, PhImportNode *node)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  const char **names;

  collect (import, proto, AFTER_ATTR, AFTER, texts);
  names = ph_arena_alloc (import->arena, texts->len * sizeof *names);
  for (guint i = 0; i < texts->len; i++)
    names[i] = ph_importer_name (&import->base, texts->pdata[i]);
  node->after = names;
  node->n_after = texts->len;
}

/* The last 'File "model.py", line 12, in forward' of a Python traceback. (nullable) */
static const PhWhere *
read_traceback (const char *text)
{
  const PhWhere *where = NULL;

  for (const char *at = strstr (text, "File \""); at != NULL; at = strstr (at, "File \""))
    {
      const char *end = strchr (at += strlen ("File \""), '"');
      guint64 line;

      if (end == NULL || !g_str_has_prefix (end, "\", line "))
        continue;
      line = g_ascii_strtoull (end + strlen ("\", line "), NULL, 10);
      if (line > 0 && line <= G_MAXUINT && end - at < 4096)
        {
          g_autofree char *raw = g_strndup (at, end - at), *file = g_utf8_make_valid (raw, -1);

          where = ph_where_new (file, (guint) line, 0, FALSE, where);
        }
    }
  return where;
}

const PhWhere *
ph_import_read_where (PhImport *import, const Onnx__NodeProto *proto)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  PhSource *source = import->source->base;
  const PhWhere *where;
  guint line, column;

  collect (import, proto, WHERE_ATTR, WHERE, texts);
  where = ph_where_parse ((const char *const *) texts->pdata, texts->len);
  for (guint i = 0; where == NULL && i < proto->base.n_unknown_fields; i++)
    {
      const Onnx__StringStringEntryProto *entry = read_entry (import->arena, &proto->base.unknown_fields[i]);

      if (entry != NULL && g_str_equal (entry->key, TORCH_TRACE))
        where = read_traceback (entry->value);
    }
  if (where == NULL && source->disk != NULL && ph_source_find (source, proto, &line, &column))
    {
      g_autofree char *file = g_filename_display_basename (source->path);

      where = ph_where_new (file, line, column, TRUE, NULL);
    }
  return where;
}

gboolean
ph_import_is_tag (PhImport *import, const ProtobufCMessageUnknownField *field)
{
  const Onnx__StringStringEntryProto *entry = read_entry (import->arena, field);

  return entry != NULL && (g_str_equal (entry->key, AFTER) || g_str_equal (entry->key, WHERE));
}

gboolean
ph_import_is_tag_attr (const char *name)
{
  return g_str_equal (name, AFTER_ATTR) || g_str_equal (name, WHERE_ATTR);
}

gboolean
ph_is_tag (const char *name)
{
  static const char *const names[] = { AFTER_ATTR, WHERE_ATTR, "peephole_role", "peephole_partner", "peephole_device", NULL };

  return g_strv_contains (names, name);
}

/* ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
has_trace (PhExport *export, const Onnx__NodeProto *proto)
{
  for (guint i = 0; i < proto->base.n_unknown_fields; i++)
    {
      const Onnx__StringStringEntryProto *entry = read_entry (export->arena, &proto->base.unknown_fields[i]);

      if (entry != NULL && g_str_equal (entry->key, TORCH_TRACE))
        return TRUE;
    }
  return FALSE;
}

static void
add_metadata (PhExport *export, Onnx__NodeProto *proto, const char *key, const GPtrArray *texts)
{
  guint n = proto->base.n_unknown_fields;
  ProtobufCMessageUnknownField *fields = ph_arena_alloc (export->arena, (n + texts->len) * sizeof *fields);

  if (n > 0)
    memcpy (fields, proto->base.unknown_fields, n * sizeof *fields);
  for (guint i = 0; i < texts->len; i++)
    {
      Onnx__StringStringEntryProto entry = ONNX__STRING_STRING_ENTRY_PROTO__INIT;
      guint8 *data;
      gsize size, header = 0;

      entry.key = (char *) key;
      entry.value = texts->pdata[i];
      size = onnx__string_string_entry_proto__get_packed_size (&entry);
      data = ph_arena_alloc (export->arena, size + 10);
      for (gsize rest = size;; rest >>= 7)
        {
          data[header++] = (guint8) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
          if (rest <= 0x7f)
            break;
        }
      onnx__string_string_entry_proto__pack (&entry, data + header);
      fields[n++] = (ProtobufCMessageUnknownField) { METADATA, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, header + size, data };
    }
  proto->base.n_unknown_fields = n;
  proto->base.unknown_fields = fields;
}

static Onnx__AttributeProto *
strings_attr (PhExport *export, const char *name, const GPtrArray *texts)
{
  Onnx__AttributeProto *proto = ph_proto_new (export->arena, Onnx__AttributeProto, onnx__attribute_proto);

  proto->name = (char *) name;
  proto->has_type = TRUE;
  proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
  proto->n_strings = texts->len;
  proto->strings = ph_arena_alloc (export->arena, texts->len * sizeof *proto->strings);
  for (guint i = 0; i < texts->len; i++)
    proto->strings[i] = (ProtobufCBinaryData) { strlen (texts->pdata[i]), texts->pdata[i] };
  return proto;
}

void
ph_export_add_places (PhExport *export, Onnx__NodeProto *proto, const PhNode *node)
{
  g_autoptr (GPtrArray) after = g_ptr_array_new (), where = g_ptr_array_new ();

  for (guint i = 0; node->control != NULL && i < node->control->len; i++)
    {
      const PhNode *first = node->control->pdata[i];

      if (first->outputs->len > 0)
        g_ptr_array_add (after, (gpointer) ph_node_output (first, 0)->name);
    }
  for (const PhWhere *at = has_trace (export, proto) ? NULL : node->where; at != NULL && !at->own; at = at->outer)
    {
      g_autofree char *text = ph_where_to_string (at, FALSE);

      g_ptr_array_add (where, ph_arena_strndup (export->arena, text, strlen (text)));
    }
  if (after->len > 0 && export->plain)
    add_metadata (export, proto, AFTER, after);
  else if (after->len > 0)
    proto->attribute[proto->n_attribute++] = strings_attr (export, AFTER_ATTR, after);
  if (where->len > 0 && export->plain)
    add_metadata (export, proto, WHERE, where);
  else if (where->len > 0)
    proto->attribute[proto->n_attribute++] = strings_attr (export, WHERE_ATTR, where);
}
