/* main.c: peephole-layout, which lays graphs out with Graphviz: boxes and edges in, coordinates out.
 * SPDX-License-Identifier: MIT
 *
 * Lines on standard input, numbers in points, y downwards:
 *
 *   peephole-layout 2 MILLISECONDS   of processor time after which it ends itself by SIGPROF; 0: no limit
 *
 * and then sections, each answered before the next one is read, so that what was answered is there even if a later one kills it:
 *
 *   dot BOXES EDGES                  or neato, fdp, sfdp, circo, twopi, osage
 *   o NAME VALUE                     an attribute of the graph: nslimit, nodesep, ranksep, splines, ...
 *   b WIDTH HEIGHT CLUSTER           one for each box, in order; clusters 0 and 1 stand beside each other, -1: there is none
 *   e FROM TO WEIGHT MINLEN FLAGS FROM_DX TO_DX
 *                                    one for each edge; an end is at DX from the middle of its box, or where dot likes it; flags: 1 the
 *                                    first DX counts, 2 the second, 4 the head is entered from above, 8 it has no say in the ranks
 *   s A B ORDERED                    A and B in one rank; 1: A left of B
 *   end
 *
 *   size WIDTH HEIGHT
 *   b X Y                            the centre of each box
 *   e N X Y ...                      N = 1 + 3k points of a chain of cubic Beziers from tail to head; 0: none
 *   end
 *
 *   route BOXES LINES                lines that run over boxes are led around them, the others stay
 *   b X Y WIDTH HEIGHT LEFT          the centre of each box; what stands left of it is avoided too
 *   l FROM TO N X Y ...              boxes, and the line as above
 *   end
 *
 *   l N X Y ...                      0: no way was found
 *   end
 *
 * A fault of the input ends it with status 2 and one line on standard error. It never reads or writes a file. */
#include "helper.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define STACK  ((rlim_t) 1 << 30)
#define MEMORY ((rlim_t) 6 << 30)

static long number; /* of the line that was read last */

void
fail (const char *format, ...)
{
  va_list arguments;

  fputs ("peephole-layout: ", stderr);
  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fputc ('\n', stderr);
  _exit (2);
}

long
line_number (void)
{
  return number;
}

int
read_line (char *line, size_t size)
{
  size_t length;

  number++;
  if (fgets (line, (int) size, stdin) == NULL)
    return 0;
  length = strlen (line);
  if (length == 0 || line[length - 1] != '\n')
    fail ("line %ld: too long, or not ended", number);
  line[length - 1] = 0;
  return 1;
}

int
read_numbers (const char *line, const char *at, double *numbers, int n)
{
  int i = 0;

  while (i < n && *at == ' ')
    {
      char *stop;

      numbers[i] = strtod (at + 1, &stop);
      if (stop == at + 1 || !isfinite (numbers[i]) || fabs (numbers[i]) > 1e9)
        fail ("line %ld: not a number: %.60s", number, line);
      at = stop;
      i++;
    }
  if (*at != 0)
    fail ("line %ld: more than was expected: %.60s", number, line);
  return i;
}

/* dot recurses as deep as the graph is long. The size of the main thread's stack is fixed at exec. */
static void
grow_stack (char *argv[])
{
  struct rlimit limit;

  if (getenv ("PEEPHOLE_LAYOUT_STACK") != NULL || getrlimit (RLIMIT_STACK, &limit) != 0)
    return;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < STACK)
    {
      limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > STACK ? STACK : limit.rlim_max;
      if (setrlimit (RLIMIT_STACK, &limit) != 0)
        return;
      setenv ("PEEPHOLE_LAYOUT_STACK", "1", 1);
      execv ("/proc/self/exe", argv);
    }
}

/* Ours and dot's own time, not that of a busy machine. */
static void
limit_time (long milliseconds)
{
  const struct itimerval timer = { { 0, 0 }, { milliseconds / 1000, milliseconds % 1000 * 1000 } };

  if (milliseconds > 0)
    setitimer (ITIMER_PROF, &timer, NULL);
}

int
main (int argc, char *argv[])
{
  struct rlimit memory = { MEMORY, MEMORY }, no_core = { 0, 0 };
  char line[128], word[16], end;
  long a, b;

  grow_stack (argv);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setrlimit (RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__)
  setrlimit (RLIMIT_AS, &memory);
#else
  (void) memory;
#endif
  if (argc == 2 && strcmp (argv[1], "--version") == 0)
    {
      puts ("peephole-layout 2");
      return 0;
    }
  if (!read_line (line, sizeof line) || sscanf (line, "peephole-layout 2 %ld%c", &a, &end) != 1 || a < 0 || a > 3600000)
    fail ("line 1: expected: peephole-layout 2 MILLISECONDS");
  limit_time (a);
  while (read_line (line, sizeof line))
    {
      if (sscanf (line, "%15[a-z] %ld %ld%c", word, &a, &b, &end) != 3)
        fail ("line %ld: expected the head of a section: %s", number, line);
      if (a < 0 || a > MAX_BOXES || b < 0 || b > MAX_EDGES)
        fail ("line %ld: %ld boxes and %ld edges are more than %d and %d", number, a, b, MAX_BOXES, MAX_EDGES);
      if (strcmp (word, "route") == 0)
        route_lines (a, b);
      else
        place_graph (word, a, b);
      fflush (stdout);
    }
  /* Freeing a large layout takes longer than it is worth in a process that ends. */
  _exit (ferror (stdout) ? 1 : 0);
}
