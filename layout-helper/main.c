/* main.c: peephole-layout, which lays a graph out with Graphviz dot: boxes and edges in, coordinates out.
 * SPDX-License-Identifier: MIT
 *
 * Lines on standard input, numbers in points, y downwards on output:
 *
 *   peephole-layout 1 BOXES EDGES
 *   o NAME VALUE                     a graph attribute of dot: nslimit, nslimit1, mclimit, searchsize, splines, ...
 *   b WIDTH HEIGHT                   one for each box, in order
 *   e FROM TO WEIGHT MINLEN          one for each edge
 *   end
 *
 * and on standard output:
 *
 *   size WIDTH HEIGHT
 *   b X Y                            the centre of each box
 *   e N X Y ...                      N = 1 + 3k points of a chain of cubic Beziers from tail to head; 0: none
 *   end
 *
 * A fault of the input ends it with status 2 and one line on standard error. It never reads or writes a file. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include <gvc.h>

#define MAX_BOXES  200000
#define MAX_EDGES  800000
#define MAX_LENGTH 1e6           /* points; a larger box is no box */
#define STACK      ((rlim_t) 1 << 30)
#define MEMORY     ((rlim_t) 6 << 30)

typedef struct { double width, height; } Size;
typedef struct { long from, to; int weight, min_length; } Edge;

static const char *const options[] = { "nslimit", "nslimit1", "mclimit", "searchsize", "splines", "rankdir",
                                       "nodesep", "ranksep", "remincross" };

static _Noreturn void __attribute__ ((format (printf, 1, 2)))
fail (const char *format, ...)
{
  va_list arguments;

  fputs ("peephole-layout: ", stderr);
  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fputc ('\n', stderr);
  exit (2);
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

static int
read_line (char *line, size_t size, long number)
{
  size_t length;

  if (fgets (line, (int) size, stdin) == NULL)
    return 0;
  length = strlen (line);
  if (length == 0 || line[length - 1] != '\n')
    fail ("line %ld: too long, or not ended", number);
  line[length - 1] = 0;
  return 1;
}

static void
read_option (Agraph_t *graph, const char *line, long number)
{
  char name[16], value[16], end;
  size_t i;

  if (sscanf (line, "o %15s %15[a-zA-Z0-9.]%c", name, value, &end) != 2)
    fail ("line %ld: expected: o NAME VALUE", number);
  for (i = 0; i < sizeof options / sizeof options[0]; i++)
    if (strcmp (options[i], name) == 0)
      {
        agattr (graph, AGRAPH, name, value);
        return;
      }
  fail ("line %ld: no such option: %s", number, name);
}

static double
inches (double points)
{
  return points / 72;
}

static Agraph_t *
read_graph (Agnode_t ***nodes_out, long *n_boxes_out, Agedge_t ***edges_out, long *n_edges_out)
{
  Agraph_t *graph;
  Agnode_t **nodes;
  Agedge_t **edges;
  long n_boxes, n_edges, n_b = 0, n_e = 0, number = 1;
  char line[256], text[32], end;

  if (!read_line (line, sizeof line, number) || sscanf (line, "peephole-layout 1 %ld %ld", &n_boxes, &n_edges) != 2)
    fail ("line 1: expected: peephole-layout 1 BOXES EDGES");
  if (n_boxes < 0 || n_boxes > MAX_BOXES || n_edges < 0 || n_edges > MAX_EDGES)
    fail ("line 1: %ld boxes and %ld edges are more than %d and %d", n_boxes, n_edges, MAX_BOXES, MAX_EDGES);
  nodes = calloc ((size_t) n_boxes + 1, sizeof *nodes);
  edges = calloc ((size_t) n_edges + 1, sizeof *edges);
  graph = agopen ("g", Agdirected, NULL);
  if (nodes == NULL || edges == NULL || graph == NULL)
    fail ("out of memory");
  agattr (graph, AGRAPH, "nodesep", "0.22");
  agattr (graph, AGRAPH, "ranksep", "0.36");
  agattr (graph, AGNODE, "shape", "box");
  agattr (graph, AGNODE, "label", "");
  agattr (graph, AGNODE, "fixedsize", "true");
  agattr (graph, AGNODE, "width", "1");
  agattr (graph, AGNODE, "height", "1");
  agattr (graph, AGEDGE, "dir", "none");
  agattr (graph, AGEDGE, "weight", "1");
  agattr (graph, AGEDGE, "minlen", "1");

  for (;;)
    {
      number++;
      if (!read_line (line, sizeof line, number))
        fail ("line %ld: ends without 'end'", number);
      if (strcmp (line, "end") == 0)
        break;
      if (line[0] == 'o')
        read_option (graph, line, number);
      else if (line[0] == 'b')
        {
          Size size;

          if (n_b == n_boxes || sscanf (line, "b %lf %lf %c", &size.width, &size.height, &end) != 2
              || !(size.width > 0 && size.width <= MAX_LENGTH && size.height > 0 && size.height <= MAX_LENGTH))
            fail ("line %ld: not a box: %s", number, line);
          snprintf (text, sizeof text, "%ld", n_b);
          nodes[n_b] = agnode (graph, text, 1);
          snprintf (text, sizeof text, "%.4f", inches (size.width));
          agset (nodes[n_b], "width", text);
          snprintf (text, sizeof text, "%.4f", inches (size.height));
          agset (nodes[n_b], "height", text);
          n_b++;
        }
      else if (line[0] == 'e')
        {
          Edge edge;

          if (n_e == n_edges || sscanf (line, "e %ld %ld %d %d %c", &edge.from, &edge.to, &edge.weight, &edge.min_length, &end) != 4
              || edge.from < 0 || edge.from >= n_b || edge.to < 0 || edge.to >= n_b
              || edge.weight < 0 || edge.weight > 1000 || edge.min_length < 0 || edge.min_length > 100)
            fail ("line %ld: not an edge: %s", number, line);
          edges[n_e] = agedge (graph, nodes[edge.from], nodes[edge.to], NULL, 1);
          if (edge.weight != 1)
            {
              snprintf (text, sizeof text, "%d", edge.weight);
              agset (edges[n_e], "weight", text);
            }
          if (edge.min_length != 1)
            {
              snprintf (text, sizeof text, "%d", edge.min_length);
              agset (edges[n_e], "minlen", text);
            }
          n_e++;
        }
      else
        fail ("line %ld: not understood: %s", number, line);
    }
  if (n_b != n_boxes || n_e != n_edges)
    fail ("%ld boxes and %ld edges were announced, %ld and %ld came", n_boxes, n_edges, n_b, n_e);
  *nodes_out = nodes;
  *n_boxes_out = n_boxes;
  *edges_out = edges;
  *n_edges_out = n_edges;
  return graph;
}

static void
write_edge (Agedge_t *edge, double top)
{
  const splines *chain = edge != NULL ? ED_spl (edge) : NULL;
  const bezier *curve;
  int reversed, i;

  if (chain == NULL || chain->size < 1 || chain->list[0].size < 4)
    {
      puts ("e 0");
      return;
    }
  /* An edge without arrow heads is one curve, which dot may hand out from head to tail. */
  curve = &chain->list[0];
  {
    const pointf tail = ND_coord (agtail (edge)), head = ND_coord (aghead (edge));
    const pointf first = curve->list[0], last = curve->list[curve->size - 1];

    reversed = hypot (first.x - tail.x, first.y - tail.y) + hypot (last.x - head.x, last.y - head.y)
             > hypot (last.x - tail.x, last.y - tail.y) + hypot (first.x - head.x, first.y - head.y);
  }
  printf ("e %d", (int) curve->size);
  for (i = 0; i < (int) curve->size; i++)
    {
      const pointf p = curve->list[reversed ? (int) curve->size - 1 - i : i];

      printf (" %.2f %.2f", p.x, top - p.y);
    }
  putchar ('\n');
}

int
main (int argc, char *argv[])
{
  GVC_t *gvc;
  Agraph_t *graph;
  Agnode_t **nodes;
  Agedge_t **edges;
  long n_boxes, n_edges, i;
  struct rlimit memory = { MEMORY, MEMORY }, no_core = { 0, 0 };
  boxf bounds;

  (void) argc;
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
      puts ("peephole-layout 1");
      return 0;
    }

  agseterr (AGMAX);
  graph = read_graph (&nodes, &n_boxes, &edges, &n_edges);
  gvc = gvContext ();
  if (gvc == NULL)
    fail ("Graphviz does not start");
  if (n_boxes > 0 && gvLayout (gvc, graph, "dot") != 0)
    fail ("dot gave up%s%s", aglasterr () != NULL ? ": " : "", aglasterr () != NULL ? aglasterr () : "");
  bounds = n_boxes > 0 ? GD_bb (graph) : (boxf) { { 0, 0 }, { 0, 0 } };

  printf ("size %.2f %.2f\n", bounds.UR.x - bounds.LL.x, bounds.UR.y - bounds.LL.y);
  for (i = 0; i < n_boxes; i++)
    printf ("b %.2f %.2f\n", ND_coord (nodes[i]).x, bounds.UR.y - ND_coord (nodes[i]).y);
  for (i = 0; i < n_edges; i++)
    write_edge (edges[i], bounds.UR.y);
  puts ("end");
  /* Freeing a large layout takes longer than it is worth in a process that ends. */
  fflush (stdout);
  _exit (ferror (stdout) ? 1 : 0);
}
