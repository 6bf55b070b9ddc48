/* onnx-tags.c: stores control edges, source locations, roles and devices, which ONNX cannot express: as attributes in text, and in a file
 * as metadata of the node, which other programs ignore.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-export.h"
#include "core/io/onnx/onnx-import.h"

#include <string.h>

#define METADATA    9 /* NodeProto.metadata_props, newer than Debian's onnx.proto */
#define TORCH_TRACE "pkg.torch.onnx.stack_trace"

typedef enum
{
  AFTER,
  WHERE,
  ROLE,
  PARTNER,
  DEVICE,
  N_TAGS
} Tag;

static const struct
{
  const char *key, *attr; /* of the metadata, and in text                        */
  gboolean list;          /* several texts: as many entries, or a list of strings */
} tags[N_TAGS] = {
  [AFTER] = { "peephole.after", "peephole_after", TRUE }, /* values whose nodes must run before this one */
  [WHERE] = { "peephole.where", "peephole_where", TRUE }, /* FILE:LINE:COLUMN, the innermost first       */
  [ROLE] = { "peephole.role", "peephole_role" },          /* backward, communication                     */
  [PARTNER] = { "peephole.partner", "peephole_partner" }, /* a value of the node that it differentiates  */
  [DEVICE] = { "peephole.device", "peephole_device" },
};

/* (nullable) in the arena */
static Onnx__StringStringEntryProto *
read_entry (PhArena *arena, const ProtobufCMessageUnknownField *field)
{
  Onnx__StringStringEntryProto *entry = ph_proto_unknown_message (arena, field, METADATA,
                                                                  &onnx__string_string_entry_proto__descriptor);

  return entry != NULL && entry->key != NULL && entry->value != NULL ? entry : NULL;
}

static void
add_text (GPtrArray **texts, char *text)
{
  if (*texts == NULL)
    *texts = g_ptr_array_new ();
  g_ptr_array_add (*texts, text);
}

static char *
text_of (PhImport *import, const ProtobufCBinaryData *data)
{
  return ph_arena_strndup (import->arena, (const char *) data->data, data->len);
}

/* Returns the texts of @tag. (nullable) none, as in nearly all nodes (transfer full) */
static GPtrArray *
collect (PhImport *import, const Onnx__NodeProto *proto, Tag tag)
{
  GPtrArray *texts = NULL;

  for (gsize i = 0; i < proto->n_attribute; i++)
    if (g_strcmp0 (proto->attribute[i]->name, tags[tag].attr) == 0)
      {
        for (gsize k = 0; k < proto->attribute[i]->n_strings; k++)
          add_text (&texts, text_of (import, &proto->attribute[i]->strings[k]));
        if (proto->attribute[i]->has_s)
          add_text (&texts, text_of (import, &proto->attribute[i]->s));
      }
  for (guint i = 0; i < proto->base.n_unknown_fields; i++)
    {
      const Onnx__StringStringEntryProto *entry = read_entry (import->arena, &proto->base.unknown_fields[i]);

      if (entry != NULL && g_str_equal (entry->key, tags[tag].key))
        add_text (&texts, entry->value);
    }
  return texts;
}

void
ph_import_read_after (PhImport *import, const Onnx__NodeProto *proto, PhImportNode *node)
{
  g_autoptr (GPtrArray) texts = collect (import, proto, AFTER);
  const char **names;

  if (texts == NULL)
    return;
  names = ph_arena_alloc (import->arena, texts->len * sizeof *names);
  for (guint i = 0; i < texts->len; i++)
    names[i] = ph_importer_name (&import->base, texts->pdata[i]);
  node->after = names;
  node->n_after = texts->len;
}

/* Returns the last 'File "model.py", line 12, in forward' of a Python traceback. (nullable) */
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

/* (nullable) */
static const PhWhere *
read_where (PhImport *import, const Onnx__NodeProto *proto)
{
  g_autoptr (GPtrArray) texts = collect (import, proto, WHERE);
  PhSource *source = import->source->base;
  const PhWhere *where;
  guint line, column;

  where = texts != NULL ? ph_where_parse ((const char *const *) texts->pdata, texts->len) : NULL;
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

/* Returns the only text of @tag, interned. (nullable) */
static const char *
read_text (PhImport *import, const Onnx__NodeProto *proto, Tag tag)
{
  g_autoptr (GPtrArray) texts = collect (import, proto, tag);

  return texts != NULL ? ph_importer_name (&import->base, texts->pdata[0]) : NULL;
}

void
ph_import_read_tags (PhImport *import, PhScope *scope, const Onnx__NodeProto *proto, PhNodeSpec *spec)
{
  const char *role = read_text (import, proto, ROLE), *partner = read_text (import, proto, PARTNER);
  const PhValue *value = partner != NULL ? ph_scope_find (scope, partner) : NULL;

  /* The partner may be in a body outside of the scope. */
  if (value == NULL && partner != NULL && ph_graph_root (scope->graph)->function == NULL)
    value = ph_model_find_value_named (import->model, partner);
  spec->where = read_where (import, proto);
  spec->device = read_text (import, proto, DEVICE);
  if (g_strcmp0 (role, "backward") == 0)
    spec->role = PH_ROLE_BACKWARD;
  else if (g_strcmp0 (role, "communication") == 0)
    spec->role = PH_ROLE_COMMUNICATION;
  if (value != NULL && value->producer != NULL)
    spec->partner = value->producer->id;
}

gboolean
ph_import_is_tag (PhImport *import, const ProtobufCMessageUnknownField *field)
{
  const Onnx__StringStringEntryProto *entry = read_entry (import->arena, field);

  for (guint i = 0; entry != NULL && i < N_TAGS; i++)
    if (g_str_equal (entry->key, tags[i].key))
      return TRUE;
  return FALSE;
}

gboolean
ph_is_tag (const char *name)
{
  for (guint i = 0; i < N_TAGS; i++)
    if (g_strcmp0 (name, tags[i].attr) == 0)
      return TRUE;
  return FALSE;
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

static void
add_attr (PhExport *export, Onnx__NodeProto *node, Tag tag, const GPtrArray *texts)
{
  Onnx__AttributeProto *proto = ph_proto_new (export->arena, Onnx__AttributeProto, onnx__attribute_proto);
  ProtobufCBinaryData *strings = ph_arena_alloc (export->arena, texts->len * sizeof *strings);

  for (guint i = 0; i < texts->len; i++)
    strings[i] = (ProtobufCBinaryData) { strlen (texts->pdata[i]), texts->pdata[i] };
  proto->name = (char *) tags[tag].attr;
  proto->has_type = TRUE;
  if (tags[tag].list)
    {
      proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
      proto->n_strings = texts->len;
      proto->strings = strings;
    }
  else
    {
      proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
      proto->has_s = TRUE;
      proto->s = strings[0];
    }
  node->attribute[node->n_attribute++] = proto;
}

static gboolean
in_fused (const PhNode *node)
{
  return node->graph->owner != NULL && ph_node_is_fused (node->graph->owner);
}

/* Lists the texts of @node for @tag. */
static void
list_texts (PhExport *export, const Onnx__NodeProto *proto, const PhNode *node, Tag tag, GPtrArray *texts)
{
  const PhNode *partner;

  switch (tag)
    {
    case AFTER:
      for (guint i = 0; node->control != NULL && i < node->control->len; i++)
        if (((PhNode *) node->control->pdata[i])->outputs->len > 0)
          g_ptr_array_add (texts, (gpointer) ph_node_output (node->control->pdata[i], 0)->name);
      break;
    case WHERE:
      for (const PhWhere *at = has_trace (export, proto) ? NULL : node->where; at != NULL; at = at->outer)
        if (!at->own)
          {
            g_autofree char *text = ph_where_to_string (at, FALSE);

            g_ptr_array_add (texts, ph_arena_strndup (export->arena, text, strlen (text)));
          }
      break;
    case ROLE:
      if (node->role != PH_ROLE_FORWARD)
        g_ptr_array_add (texts, (gpointer) (node->role == PH_ROLE_BACKWARD ? "backward" : "communication"));
      break;
    case PARTNER:
      /* Fused nodes with equal bodies share a function: it differentiates nothing in particular. */
      partner = node->partner != PH_NO_ID && !(export->plain && in_fused (node))
                    ? ph_model_find_node (node->graph->model, node->partner)
                    : NULL;
      if (partner != NULL && partner->outputs->len > 0)
        g_ptr_array_add (texts, (gpointer) ph_node_output (partner, 0)->name);
      break;
    case DEVICE:
      if (node->device != NULL && node->device[0] != '\0')
        g_ptr_array_add (texts, (gpointer) node->device);
      break;
    case N_TAGS:
    default: g_assert_not_reached ();
    }
}

void
ph_export_add_tags (PhExport *export, Onnx__NodeProto *proto, const PhNode *node)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();

  for (Tag tag = 0; tag < N_TAGS; tag++)
    {
      if (export->nameless && tag != ROLE && tag != DEVICE)
        continue;
      g_ptr_array_set_size (texts, 0);
      list_texts (export, proto, node, tag, texts);
      if (texts->len > 0 && export->plain)
        add_metadata (export, proto, tags[tag].key, texts);
      else if (texts->len > 0)
        add_attr (export, proto, tag, texts);
    }
}
