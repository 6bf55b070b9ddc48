/* zip.c: the directory of a zip archive, and its members.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/archive.h"

#define MAX_MEMBERS 1000000
#define MAX_SIZE    (G_GUINT64_CONSTANT (1) << 31) /* of a member that is unpacked into memory */

static guint64
number (const guint8 *data, guint bytes)
{
  guint64 value = 0;

  for (guint i = bytes; i-- > 0;)
    value = value << 8 | data[i];
  return value;
}

static GBytes *
part (PhSource *source, gsize offset, gsize length, GError **error)
{
  if (source->bytes != NULL)
    {
      if (offset > g_bytes_get_size (source->bytes) || length > g_bytes_get_size (source->bytes) - offset)
        {
          ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "the archive ends in the middle of a member");
          return NULL;
        }
      return g_bytes_new_from_bytes (source->bytes, offset, length);
    }
  return ph_file_read_bytes (source->disk, offset, length, error);
}

void
ph_zip_free (PhZip *zip)
{
  g_hash_table_unref (zip->members);
  g_ptr_array_unref (zip->list);
  g_free (zip);
}

static void
member_free (gpointer data)
{
  PhZipMember *member = data;

  g_free (member->name);
  g_free (member);
}

static gboolean
is_plain (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  if (*name == '/' || *name == '\0' || strchr (name, '\\') != NULL)
    return FALSE;
  for (char **p = parts; *p != NULL; p++)
    if (g_str_equal (*p, "..") || g_str_equal (*p, "."))
      return FALSE;
  return TRUE;
}

/* Reads sizes that do not fit 32 bits from the extra field 1. */
static void
widen (const guint8 *extra, gsize n, guint64 *size, guint64 *packed, guint64 *offset)
{
  while (n >= 4)
    {
      const gsize id = number (extra, 2), length = number (extra + 2, 2);
      const guint8 *at = extra + 4, *end = at + length;

      if (length > n - 4)
        return;
      if (id == 1)
        {
          guint64 *fields[] = { size, packed, offset };

          for (guint i = 0; i < 3; i++)
            if (*fields[i] == 0xffffffff && end - at >= 8)
              {
                *fields[i] = number (at, 8);
                at += 8;
              }
        }
      extra += 4 + length;
      n -= 4 + length;
    }
}

static gboolean
read_directory (PhZip *zip, const guint8 *data, gsize size, guint64 count, GError **error)
{
  gsize at = 0;

  for (guint64 i = 0; i < count; i++)
    {
      const guint8 *entry = data + at;
      guint64 packed, full, offset;
      gsize name, extra, comment;
      PhZipMember *member;

      if (size - at < 46 || memcmp (entry, "PK\1\2", 4) != 0)
        return ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL,
                               "the directory of the archive is broken at its member %" G_GUINT64_FORMAT, i + 1);
      packed = number (entry + 20, 4);
      full = number (entry + 24, 4);
      offset = number (entry + 42, 4);
      name = number (entry + 28, 2);
      extra = number (entry + 30, 2);
      comment = number (entry + 32, 2);
      if (size - at - 46 < name + extra + comment)
        return ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "the directory of the archive is cut off");
      widen (entry + 46 + name, extra, &full, &packed, &offset);
      at += 46 + name + extra + comment;
      member = g_new0 (PhZipMember, 1);
      member->name = g_strndup ((const char *) entry + 46, name);
      member->deflated = number (entry + 10, 2) == 8;
      member->offset = offset;
      member->packed = packed;
      member->size = full;
      g_ptr_array_add (zip->list, member);
      if ((number (entry + 8, 2) & 1) != 0)
        return ph_source_fail (zip->source, error, PH_ERROR_UNSUPPORTED, NULL,
                               "the archive is encrypted. Save it without a password");
      if (!is_plain (member->name) || !g_utf8_validate (member->name, -1, NULL))
        return ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "a member of the archive lies outside of it");
      if (offset > zip->length || packed > zip->length - offset
          || (!member->deflated && (packed != full || number (entry + 10, 2) != 0))
          || (member->deflated && full / 1100 > packed + 1))
        return ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL,
                               "the archive's member '%s' cannot be as large as it says", member->name);
      if (!g_hash_table_insert (zip->members, member->name, member))
        return ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "the archive has two members '%s'", member->name);
    }
  return TRUE;
}

PhZip *
ph_zip_open (PhSource *source, GError **error)
{
  g_autoptr (PhZip) zip = g_new0 (PhZip, 1);
  g_autoptr (GBytes) tail = NULL, directory = NULL;
  const guint8 *data;
  gsize size, keep, end = G_MAXSIZE;
  guint64 count, length, offset;

  zip->source = source;
  zip->members = g_hash_table_new (g_str_hash, g_str_equal);
  zip->list = g_ptr_array_new_with_free_func (member_free);
  zip->length = source->bytes != NULL ? g_bytes_get_size (source->bytes) : ph_file_get_size (source->disk);
  keep = MIN (zip->length, (gsize) 65536 + 22 + 20 + 56);
  if ((tail = part (source, zip->length - keep, keep, error)) == NULL)
    return NULL;
  data = g_bytes_get_data (tail, &size);
  for (gsize i = size; i-- > 0 && end == G_MAXSIZE;)
    if (size - i >= 22 && memcmp (data + i, "PK\5\6", 4) == 0)
      end = i;
  if (end == G_MAXSIZE)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL,
                      "the archive has no directory: the file was cut short. Download or save it again");
      return NULL;
    }
  count = number (data + end + 10, 2);
  length = number (data + end + 12, 4);
  offset = number (data + end + 16, 4);
  if (end >= 20 && memcmp (data + end - 20, "PK\6\7", 4) == 0)
    {
      const guint64 at = number (data + end - 20 + 8, 8);
      g_autoptr (GBytes) wide = at <= zip->length && zip->length - at >= 56 ? part (source, at, 56, NULL) : NULL;
      const guint8 *w = wide != NULL ? g_bytes_get_data (wide, NULL) : NULL;

      if (w != NULL && memcmp (w, "PK\6\6", 4) == 0)
        {
          count = number (w + 32, 8);
          length = number (w + 40, 8);
          offset = number (w + 48, 8);
        }
    }
  if (offset > zip->length || length > zip->length - offset || count > MAX_MEMBERS || count > length / 46 + 1)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "the directory of the archive lies outside of the file");
      return NULL;
    }
  if ((directory = part (source, offset, length, error)) == NULL)
    return NULL;
  data = g_bytes_get_data (directory, &size);
  return read_directory (zip, data, size, count, error) ? g_steal_pointer (&zip) : NULL;
}

const PhZipMember *
ph_zip_find (PhZip *zip, const char *name)
{
  return g_hash_table_lookup (zip->members, name);
}

gboolean
ph_zip_locate (PhZip *zip, const PhZipMember *member, gsize *offset, GError **error)
{
  g_autoptr (GBytes) head = zip->length - member->offset >= 30 ? part (zip->source, member->offset, 30, error) : NULL;
  const guint8 *data = head != NULL ? g_bytes_get_data (head, NULL) : NULL;

  if (data == NULL || memcmp (data, "PK\3\4", 4) != 0)
    {
      if (error != NULL && *error == NULL)
        ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "the archive's member '%s' is not where its directory says",
                        member->name);
      return FALSE;
    }
  *offset = member->offset + 30 + number (data + 26, 2) + number (data + 28, 2);
  if (*offset > zip->length || member->packed > zip->length - *offset)
    return ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "the archive ends in the middle of '%s'", member->name);
  return TRUE;
}

GBytes *
ph_zip_read (PhZip *zip, const PhZipMember *member, GError **error)
{
  g_autoptr (GBytes) packed = NULL;
  g_autoptr (GZlibDecompressor) inflate = NULL;
  g_autofree guint8 *out = NULL;
  const guint8 *data;
  gsize offset, size, done = 0, read = 0;

  if (!ph_zip_locate (zip, member, &offset, error) || (packed = part (zip->source, offset, member->packed, error)) == NULL)
    return NULL;
  if (!member->deflated)
    return g_steal_pointer (&packed);
  if (member->size > MAX_SIZE || (out = g_try_malloc (member->size + 1)) == NULL)
    {
      ph_source_fail (zip->source, error, PH_ERROR_FILE, NULL, "the archive's member '%s' is too large to be unpacked",
                      member->name);
      return NULL;
    }
  inflate = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW);
  data = g_bytes_get_data (packed, &size);
  while (done < member->size)
    {
      gsize from = 0, to = 0;
      g_autoptr (GError) reason = NULL;
      const GConverterResult result = g_converter_convert (G_CONVERTER (inflate), data + read, size - read, out + done,
                                                           member->size - done, G_CONVERTER_INPUT_AT_END, &from, &to, &reason);

      read += from;
      done += to;
      if (result == G_CONVERTER_ERROR || (from == 0 && to == 0))
        break;
    }
  if (done != member->size)
    {
      ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "the archive's member '%s' is damaged", member->name);
      return NULL;
    }
  return g_bytes_new_take (g_steal_pointer (&out), done);
}
