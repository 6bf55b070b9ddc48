/* replace.c: writes files completely or not at all.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40

static gboolean
fail (GError **error, int code)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s", g_strerror (code));
  return FALSE;
}

/* Resolves the symbolic links of @path, even if the target does not exist yet. */
static char *
follow_links (const char *path)
{
  char *at = g_strdup (path);

  for (guint i = 0; i < MOST_LINKS; i++)
    {
      g_autofree char *target = g_file_read_link (at, NULL), *folder = NULL;
      char *next;

      if (target == NULL)
        break;
      folder = g_path_get_dirname (at);
      next = g_path_is_absolute (target) ? g_strdup (target) : g_build_filename (folder, target, NULL);
      g_free (at);
      at = next;
    }
  return at;
}

/* Opens a temporary file with a unique name, for file systems without nameless files. It is left behind if the program is killed. */
static gboolean
open_named (PhReplace *replace, mode_t mode)
{
  replace->temporary = g_strconcat (replace->path, ".XXXXXX", NULL);
  replace->fd = g_mkstemp_full (replace->temporary, O_WRONLY | O_CLOEXEC, mode);
  if (replace->fd < 0)
    g_clear_pointer (&replace->temporary, g_free);
  return replace->fd >= 0;
}

/* Opens a device or a pipe to be written directly. Without O_NONBLOCK opening a pipe without a reader would block; with it that is an
 * error. */
static int
open_direct (const char *path)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  if (fd >= 0)
    fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

gboolean
ph_replace_open (PhReplace *replace, const char *path, GError **error)
{
  g_autofree char *folder = NULL;
  struct stat status;
  gboolean there;
  mode_t mode;

  *replace = (PhReplace) { .path = follow_links (path), .fd = -1 };
  there = stat (replace->path, &status) == 0;
  mode = there ? status.st_mode & 07777 : 0666;
  folder = g_path_get_dirname (replace->path);
  if (there && !S_ISREG (status.st_mode))
    {
      replace->direct = TRUE;
      replace->fd = S_ISDIR (status.st_mode) ? (errno = EISDIR, -1) : open_direct (replace->path);
    }
  else if (there && access (replace->path, W_OK) != 0)
    replace->fd = -1;
  else
    {
      replace->fd = open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
      if (replace->fd < 0 && !open_named (replace, mode))
        replace->fd = -1;
    }
  if (replace->fd < 0)
    {
      const int code = errno;

      g_clear_pointer (&replace->path, g_free);
      return fail (error, code);
    }
  if (there && !replace->direct)
    {
      /* Sets the bits that the umask removed, and keeps the owner if permitted. */
      if (fchown (replace->fd, status.st_uid, status.st_gid) != 0 && fchown (replace->fd, (uid_t) -1, status.st_gid) != 0)
        mode &= 0777;
      fchmod (replace->fd, mode);
    }
  return TRUE;
}

void
ph_replace_abandon (PhReplace *replace)
{
  if (replace->fd >= 0)
    close (replace->fd);
  if (replace->temporary != NULL)
    g_unlink (replace->temporary);
  g_clear_pointer (&replace->temporary, g_free);
  g_clear_pointer (&replace->path, g_free);
  replace->fd = -1;
}

/* Gives the nameless file its name. A link replaces no existing file, so in that case it gets a temporary name and is renamed. */
static gboolean
name_it (PhReplace *replace)
{
  g_autofree char *from = g_strdup_printf ("/proc/self/fd/%d", replace->fd);

  if (linkat (AT_FDCWD, from, AT_FDCWD, replace->path, AT_SYMLINK_FOLLOW) == 0)
    return TRUE;
  for (guint i = 0; errno == EEXIST && i < 100; i++)
    {
      replace->temporary = g_strdup_printf ("%s.%08x", replace->path, g_random_int ());
      if (linkat (AT_FDCWD, from, AT_FDCWD, replace->temporary, AT_SYMLINK_FOLLOW) == 0)
        return g_rename (replace->temporary, replace->path) == 0;
      g_clear_pointer (&replace->temporary, g_free);
    }
  return FALSE;
}

gboolean
ph_replace_commit (PhReplace *replace, GError **error)
{
  int code = 0;

  if (!replace->direct && fsync (replace->fd) < 0 && errno != EINVAL && errno != EROFS)
    code = errno;
  if (code == 0 && !replace->direct
      && (replace->temporary != NULL ? g_rename (replace->temporary, replace->path) != 0 : !name_it (replace)))
    code = errno;
  if (code == 0)
    g_clear_pointer (&replace->temporary, g_free);
  if (close (replace->fd) < 0 && code == 0)
    code = errno;
  replace->fd = -1;
  ph_replace_abandon (replace);
  return code == 0 || fail (error, code);
}

gboolean
ph_replace_contents (const char *path, gconstpointer data, gsize size, GError **error)
{
  const char *at = data;
  PhReplace replace;

  if (!ph_replace_open (&replace, path, error))
    return FALSE;
  while (size > 0)
    {
      const gssize n = write (replace.fd, at, MIN (size, 1u << 26));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          const int code = n < 0 ? errno : ENOSPC;

          ph_replace_abandon (&replace);
          return fail (error, code);
        }
      at += n;
      size -= (gsize) n;
    }
  return ph_replace_commit (&replace, error);
}
