/* tf-checkpoint.c: reads the values of variables, which are stored beside the graph. X.index is a sorted table in LevelDB's format (its
 * table_format.md) from names to BundleEntryProto (tensorflow/core/protobuf/tensor_bundle.proto); X.data-00000-of-00001 has the elements.
 * TensorFlow 2 saves objects under their path in the program; one more entry maps these paths to the names in the graph
 * (trackable_object_graph.proto).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/tensorflow/tf.h"

#include <string.h>

#define MAGIC      G_GUINT64_CONSTANT (0xdb4775248b80fb57)
#define FOOTER     48
#define TRAILER    5         /* after each block: its compression and a checksum */
#define MAX_INDEX  (1 << 28) /* bytes */
#define MAX_SHARDS 99999
#define OBJECTS    "_CHECKPOINTABLE_OBJECT_GRAPH"

struct _PhTfCheckpoint
{
  PhSource *source;
  char *base;              /* "variables/variables"                                              */
  GBytes *index, *objects; /* (nullable)                                                         */
  GHashTable *entries;     /* name -> PhSpan of its BundleEntryProto                             */
  GHashTable *keys;        /* name in the graph -> name of the entry                             */
  guint64 n_shards;
};

typedef gboolean (*EntryFunc) (PhTfCheckpoint *checkpoint, const char *key, PhSpan value);

/* ── the table ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
take_varint (PhSpan *span, guint64 *number)
{
  *number = 0;
  for (guint shift = 0; span->size > 0 && shift < 63; shift += 7)
    {
      const guint8 byte = *span->data++;

      span->size--;
      *number |= (guint64) (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return TRUE;
    }
  return FALSE;
}

static guint64
little_endian (const guint8 *data, guint size)
{
  guint64 number = 0;

  for (guint i = size; i-- > 0;)
    number = number << 8 | data[i];
  return number;
}

/* Finds the block at @handle: entries, then the positions of some of them, then their number. */
static gboolean
find_block (PhSpan table, PhSpan handle, PhSpan *block)
{
  guint64 offset, size, restarts;

  if (!take_varint (&handle, &offset) || !take_varint (&handle, &size) || size < 4 || offset > table.size
      || size > table.size - offset || table.size - offset - size < TRAILER || table.data[offset + size] != 0)
    return FALSE;
  restarts = little_endian (table.data + offset + size - 4, 4);
  if (restarts > size / 4 - 1)
    return FALSE;
  *block = (PhSpan) { table.data + offset, (gsize) (size - 4 - 4 * restarts) };
  return TRUE;
}

/* Reads the entries of a block. Each key shares a prefix with the one before. */
static gboolean
read_block (PhTfCheckpoint *checkpoint, PhSpan block, EntryFunc take)
{
  g_autoptr (GString) key = g_string_new (NULL);

  while (block.size > 0)
    {
      guint64 shared, rest, size;

      if (!take_varint (&block, &shared) || !take_varint (&block, &rest) || !take_varint (&block, &size) || shared > key->len
          || rest > block.size || size > block.size - rest)
        return FALSE;
      g_string_truncate (key, (gsize) shared);
      g_string_append_len (key, (const char *) block.data, (gssize) rest);
      if (!take (checkpoint, key->str, (PhSpan) { block.data + rest, (gsize) size }))
        return FALSE;
      block = (PhSpan) { block.data + rest + size, block.size - (gsize) (rest + size) };
    }
  return TRUE;
}

static gboolean
take_entry (PhTfCheckpoint *checkpoint, const char *key, PhSpan value)
{
  if (*key != '\0')
    g_hash_table_insert (checkpoint->entries, g_strdup (key), g_memdup2 (&value, sizeof value));
  else if (ph_wire_number (value, 2, 0) == 0) /* the header, of little-endian elements */
    checkpoint->n_shards = MIN (ph_wire_number (value, 1, 1), MAX_SHARDS);
  return *key != '\0' || checkpoint->n_shards > 0;
}

static gboolean
take_table_block (PhTfCheckpoint *checkpoint, const char *key, PhSpan handle)
{
  PhSpan table, block;

  table.data = g_bytes_get_data (checkpoint->index, &table.size);
  return find_block (table, handle, &block) && read_block (checkpoint, block, take_entry);
}

static gboolean
read_table (PhTfCheckpoint *checkpoint)
{
  PhSpan table, footer, block;
  guint64 skipped;

  table.data = g_bytes_get_data (checkpoint->index, &table.size);
  if (table.size < FOOTER || little_endian (table.data + table.size - 8, 8) != MAGIC)
    return FALSE;
  footer = (PhSpan) { table.data + table.size - FOOTER, FOOTER - 8 };
  return take_varint (&footer, &skipped) && take_varint (&footer, &skipped) && find_block (table, footer, &block)
         && read_block (checkpoint, block, take_table_block) && checkpoint->n_shards > 0;
}

/* ── elements ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static PhFile *
open_shard (PhTfCheckpoint *checkpoint, PhSpan entry, const char *what, GError **error)
{
  g_autofree char *name = g_strdup_printf ("%s.data-%05" G_GUINT64_FORMAT "-of-%05" G_GUINT64_FORMAT, checkpoint->base,
                                           ph_wire_number (entry, 3, 0), checkpoint->n_shards);

  return ph_source_open_beside (checkpoint->source, name, NULL, what, error);
}

/* Reads a string: its size, four bytes of a checksum, then the text. */
static GBytes *
read_text (PhTfCheckpoint *checkpoint, PhSpan entry)
{
  PhFile *file = open_shard (checkpoint, entry, "the checkpoint", NULL);
  const guint64 offset = ph_wire_number (entry, 4, 0), size = ph_wire_number (entry, 5, 0);
  g_autoptr (GBytes) bytes = NULL;
  PhSpan span;
  guint64 length;

  if (file == NULL || offset > ph_file_get_size (file) || size > ph_file_get_size (file) - offset || size > MAX_INDEX)
    return NULL;
  bytes = ph_file_read_bytes (file, (gsize) offset, (gsize) size, NULL);
  if (bytes == NULL)
    return NULL;
  span.data = g_bytes_get_data (bytes, &span.size);
  if (!take_varint (&span, &length) || span.size < 4 || length != span.size - 4)
    return NULL;
  return g_bytes_new_from_bytes (bytes, (gsize) (size - length), (gsize) length);
}

/* Maps names of the graph, such as "dense/kernel", to keys such as "layer/kernel/.ATTRIBUTES/VARIABLE_VALUE". */
static void
read_objects (PhTfCheckpoint *checkpoint)
{
  const PhSpan *entry = g_hash_table_lookup (checkpoint->entries, OBJECTS);
  PhSpan objects = { 0 };

  checkpoint->objects = entry != NULL ? read_text (checkpoint, *entry) : NULL;
  if (checkpoint->objects == NULL)
    return;
  objects.data = g_bytes_get_data (checkpoint->objects, &objects.size);
  PH_WIRE_FOREACH (node, objects)
    if (node.id == 1 && node.type == PH_WIRE_BYTES)
      PH_WIRE_FOREACH (attr, node.span)
        if (attr.id == 2 && attr.type == PH_WIRE_BYTES)
          g_hash_table_insert (checkpoint->keys, ph_wire_string (attr.span, 2), ph_wire_string (attr.span, 3));
}

PhTensor *
ph_tf_checkpoint_value (PhTfCheckpoint *checkpoint, const char *name, GError **error)
{
  const char *key = g_hash_table_lookup (checkpoint->keys, name);
  const PhSpan *entry = g_hash_table_lookup (checkpoint->entries, key != NULL ? key : name);
  g_autofree char *what = g_strdup_printf ("the variable '%s'", name);
  gint64 dims[PH_MAX_RANK];
  guint rank = 0;
  guint64 offset, size;
  gsize count;
  PhDType dtype;
  PhFile *file;

  if (entry == NULL)
    return NULL;
  dtype = ph_tf_dtype (ph_wire_number (*entry, 1, 0));
  offset = ph_wire_number (*entry, 4, 0);
  size = ph_wire_number (*entry, 5, 0);
  if (!ph_tf_read_dims (ph_wire_message (*entry, 2), dims, &rank) || !ph_tensor_count_elements (rank, dims, &count))
    return ph_source_fail (checkpoint->source, error, PH_ERROR_INVALID, NULL, "%s has a shape that cannot be", what), NULL;
  if (dtype == PH_UNDEFINED || dtype == PH_STRING || ph_wire_message (*entry, 7).size > 0)
    return NULL; /* a table, a text, or one that is saved in slices */
  file = open_shard (checkpoint, *entry, what, error);
  if (file == NULL)
    return NULL;
  if (size / ph_dtype_size (dtype) != count || size % ph_dtype_size (dtype) != 0 || offset > ph_file_get_size (file)
      || size > ph_file_get_size (file) - offset)
    return ph_source_fail (checkpoint->source, error, PH_ERROR_INVALID, NULL,
                           "%s lies at %" G_GUINT64_FORMAT " with %" G_GUINT64_FORMAT " bytes of %s, "
                           "which does not fit: the checkpoint is of another model, or cut short",
                           what, offset, size, ph_file_get_path (file)),
           NULL;
  return ph_tensor_new_from_file (dtype, rank, dims, file, (gsize) offset, error);
}

/* ── opening ────────────────────────────────────────────────────────────────────────────────────────────────────── */

void
ph_tf_checkpoint_free (PhTfCheckpoint *checkpoint)
{
  g_free (checkpoint->base);
  g_clear_pointer (&checkpoint->index, g_bytes_unref);
  g_clear_pointer (&checkpoint->objects, g_bytes_unref);
  g_hash_table_unref (checkpoint->entries);
  g_hash_table_unref (checkpoint->keys);
  g_free (checkpoint);
}

PhTfCheckpoint *
ph_tf_checkpoint_open (PhSource *source)
{
  g_autofree char *base = g_path_get_basename (source->path), *name = NULL;
  g_autoptr (PhTfCheckpoint) checkpoint = g_new0 (PhTfCheckpoint, 1);
  PhFile *file;

  *checkpoint = (PhTfCheckpoint) { .source = source,
                                   .base = g_str_has_suffix (base, ".meta") ? g_strndup (base, strlen (base) - strlen (".meta"))
                                                                            : g_strdup ("variables/variables"),
                                   .entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                                   .keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  name = g_strconcat (checkpoint->base, ".index", NULL);
  file = source->folder != NULL ? ph_source_open_beside (source, name, NULL, "the model", NULL) : NULL;
  if (file == NULL)
    return NULL;
  checkpoint->index = ph_file_get_size (file) <= MAX_INDEX ? ph_file_read_bytes (file, 0, ph_file_get_size (file), NULL) : NULL;
  if (checkpoint->index == NULL || !read_table (checkpoint))
    {
      ph_source_problem (
          source,
          "%s is not a checkpoint that can be read, so the variables have no values: it is damaged, compressed or of a "
          "big-endian machine. Save the model again",
          name);
      return NULL;
    }
  read_objects (checkpoint);
  return g_steal_pointer (&checkpoint);
}
