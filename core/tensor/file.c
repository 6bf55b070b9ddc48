/* file.c: a file whose parts are read on demand, checked to be unchanged since it was opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/error.h"

#define MOST_OPEN 128 /* some models have one file per weight */

struct _PhFile
{
  gatomicrefcount ref_count;
  int fd; /* -1: opened again for each reading                     */
  char *path;
  dev_t device;
  ino_t inode;
  gsize size;
  struct timespec changed; /* when it was last written                              */
};

static int n_open; /* atomic */

static gboolean
fail_reason (GError **error, int code)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s", g_strerror (code));
  return FALSE;
}

PhFile *
ph_file_new (int fd, const char *path, GError **error)
{
  struct stat status;
  PhFile *file;

  if (fstat (fd, &status) < 0 || !S_ISREG (status.st_mode))
    {
      fail_reason (error, S_ISDIR (status.st_mode) ? EISDIR : EINVAL);
      close (fd);
      return NULL;
    }
  file = g_new0 (PhFile, 1);
  g_atomic_ref_count_init (&file->ref_count);
  file->path = g_strdup (path);
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->size = (gsize) status.st_size;
  file->changed = status.st_mtim;
  file->fd = fd;
  if (g_atomic_int_add (&n_open, 1) >= MOST_OPEN)
    {
      g_atomic_int_add (&n_open, -1);
      file->fd = -1;
      close (fd);
    }
  return file;
}

PhFile *
ph_file_open (const char *path, GError **error)
{
  /* O_NONBLOCK, because opening a pipe without a writer would block. */
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);

  if (fd < 0)
    {
      fail_reason (error, errno);
      return NULL;
    }
  return ph_file_new (fd, path, error);
}

PhFile *
ph_file_ref (PhFile *file)
{
  g_atomic_ref_count_inc (&file->ref_count);
  return file;
}

void
ph_file_unref (PhFile *file)
{
  if (!g_atomic_ref_count_dec (&file->ref_count))
    return;
  if (file->fd >= 0)
    {
      close (file->fd);
      g_atomic_int_add (&n_open, -1);
    }
  g_free (file->path);
  g_free (file);
}

gsize
ph_file_get_size (const PhFile *file)
{
  return file->size;
}

const char *
ph_file_get_path (const PhFile *file)
{
  return file->path;
}

static gboolean
is_of (const PhFile *file, const struct stat *status)
{
  return status->st_dev == file->device && status->st_ino == file->inode && (gsize) status->st_size == file->size
         && status->st_mtim.tv_sec == file->changed.tv_sec && status->st_mtim.tv_nsec == file->changed.tv_nsec;
}

static gboolean
is_same (const PhFile *file, int fd)
{
  struct stat status;

  return fstat (fd, &status) == 0 && is_of (file, &status);
}

gboolean
ph_file_is_current (const PhFile *file)
{
  struct stat status;

  return stat (file->path, &status) == 0 && is_of (file, &status);
}

static gboolean
fail_changed (const PhFile *file, GError **error)
{
  g_autofree char *name = g_filename_display_name (file->path);

  g_set_error (error, PH_ERROR, PH_ERROR_FILE,
               "%s changed on disk since it was opened, so what was not yet read of it is lost: "
               "open it again (reload)",
               name);
  return FALSE;
}

static gboolean
read_all (int fd, gsize offset, gsize length, char *to)
{
  while (length > 0)
    {
      gssize n = pread (fd, to, MIN (length, 1u << 30), (off_t) offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      to += n;
      offset += (gsize) n;
      length -= (gsize) n;
    }
  return TRUE;
}

static int
borrow (const PhFile *file)
{
  return file->fd >= 0 ? file->fd : g_open (file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
}

gboolean
ph_file_read (PhFile *file, gsize offset, gsize length, gpointer to, GError **error)
{
  int fd;
  gboolean ok;

  g_return_val_if_fail (offset <= file->size && length <= file->size - offset, FALSE);

  fd = borrow (file);
  /* Checked after reading, so that the bytes read are known to be the original ones. */
  ok = fd >= 0 && read_all (fd, offset, length, to) && is_same (file, fd);
  if (fd >= 0 && fd != file->fd)
    close (fd);
  return ok || fail_changed (file, error);
}

gboolean
ph_file_check (PhFile *file, GError **error)
{
  return ph_file_read (file, 0, 0, NULL, error);
}

GBytes *
ph_file_read_bytes (PhFile *file, gsize offset, gsize length, GError **error)
{
  g_autofree char *data = g_try_malloc (MAX (length, 1));

  if (data == NULL)
    {
      g_autofree char *name = g_filename_display_name (file->path);

      g_set_error (error, PH_ERROR, PH_ERROR_FAILED, "%s: %" G_GSIZE_FORMAT " bytes of it do not fit into memory", name, length);
      return NULL;
    }
  if (!ph_file_read (file, offset, length, data, error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), length);
}

GBytes *
ph_file_load (const char *path, GError **error)
{
  g_autoptr (PhFile) file = ph_file_open (path, error);

  return file != NULL ? ph_file_read_bytes (file, 0, file->size, error) : NULL;
}
