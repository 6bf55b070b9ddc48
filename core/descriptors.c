/* descriptors.c: the standard descriptors of a program that was started without them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

void
ph_descriptors_reserve (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      (void) open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* gets the lowest free number, this one */
}
