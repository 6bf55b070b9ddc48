/* place.c: lays out one graph by one of Graphviz's engines.
 * SPDX-License-Identifier: MIT */
#include "helper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gvc.h>

#define PORT      6  /* the width of a cell at which an edge ends, points                 */
#define MAX_PORTS 16 /* on one side of a box; Graphviz places the ends beyond */

enum
{
  FROM_PORT = 1,
  TO_PORT = 2,
  FROM_ABOVE = 4,
  FREE_RANK = 8
};

typedef struct
{
  long from, to;
  int weight, min_length, flags;
  double dx[2];
} Edge;
typedef struct
{
  double width, height;
  int cluster;
  double port[2][MAX_PORTS];
  int n_ports[2];
} Box;
typedef struct
{
  long a, b;
  int ordered;
} Pair;

typedef struct
{
  Agraph_t *graph, *cluster[2];
  Box *boxes;
  Edge *edges;
  Pair *pairs;
  Agnode_t **node;
  Agedge_t **line;
  long n_boxes, n_edges, n_pairs;
} Picture;

static const char *const engines[] = { "dot", "neato", "fdp", "sfdp", "circo", "twopi", "osage" };
static const char *const options[] = { "nslimit", "nslimit1", "mclimit", "searchsize", "splines",
                                       "rankdir", "nodesep",  "ranksep", "remincross", "newrank",
                                       "overlap", "sep",      "maxiter", "start",      "pack" };

static int
find_word (const char *const *words, size_t n, const char *word)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp (words[i], word) == 0)
      return 1;
  return 0;
}

static void *
room_for (long n, size_t size)
{
  void *room = calloc ((size_t) n + 1, size);

  if (room == NULL)
    fail ("out of memory");
  return room;
}

/* ── reading ── */

static void
read_option (Picture *picture, const char *line)
{
  char name[16], value[16], end;

  if (sscanf (line, "o %15s %15[a-zA-Z0-9.]%c", name, value, &end) != 2)
    fail ("line %ld: expected: o NAME VALUE", line_number ());
  if (!find_word (options, sizeof options / sizeof options[0], name))
    fail ("line %ld: no such option: %s", line_number (), name);
  agattr (picture->graph, AGRAPH, name, value);
}

/* Ends of edges at one side, from left to right and no two in one place. */
static void
add_port (Box *shape, int side, double dx)
{
  int at = 0, n = shape->n_ports[side];

  if (n == MAX_PORTS)
    return;
  while (at < n && shape->port[side][at] < dx)
    at++;
  if ((at < n && shape->port[side][at] - dx < PORT) || (at > 0 && dx - shape->port[side][at - 1] < PORT))
    return;
  memmove (&shape->port[side][at + 1], &shape->port[side][at], (size_t) (n - at) * sizeof (double));
  shape->port[side][at] = dx;
  shape->n_ports[side]++;
}

static int
nearest_port (const Box *shape, int side, double dx)
{
  int best = 0;

  for (int i = 1; i < shape->n_ports[side]; i++)
    if (fabs (shape->port[side][i] - dx) < fabs (shape->port[side][best] - dx))
      best = i;
  return best;
}

static long
index_of (double number, long n)
{
  if (number < 0 || number >= (double) n || number != floor (number))
    fail ("line %ld: there is no box %g", line_number (), number);
  return (long) number;
}

static void
read_picture (Picture *picture)
{
  long n_b = 0, n_e = 0;
  char line[256];

  for (;;)
    {
      double at[8];

      if (!read_line (line, sizeof line))
        fail ("line %ld: ends without 'end'", line_number ());
      if (strcmp (line, "end") == 0)
        break;
      if (line[0] == 'o')
        read_option (picture, line);
      else if (line[0] == 'b')
        {
          if (n_b == picture->n_boxes || read_numbers (line, line + 1, at, 3) != 3
              || !(at[0] > 0 && at[0] <= MAX_LENGTH && at[1] > 0 && at[1] <= MAX_LENGTH)
              || !(at[2] == -1 || at[2] == 0 || at[2] == 1))
            fail ("line %ld: not a box: %s", line_number (), line);
          picture->boxes[n_b++] = (Box) { .width = at[0], .height = at[1], .cluster = (int) at[2] };
        }
      else if (line[0] == 'e')
        {
          Edge *edge = &picture->edges[n_e];

          if (n_e == picture->n_edges || read_numbers (line, line + 1, at, 7) != 7 || at[2] < 0 || at[2] > 1000 || at[3] < 0
              || at[3] > 100 || at[4] < 0 || at[4] > 15)
            fail ("line %ld: not an edge: %s", line_number (), line);
          *edge
              = (Edge) { index_of (at[0], n_b), index_of (at[1], n_b), (int) at[2], (int) at[3], (int) at[4], { at[5], at[6] } };
          for (int end = 0; end < 2; end++)
            {
              Box *shape = &picture->boxes[end == 0 ? edge->from : edge->to];

              if ((edge->flags & (end == 0 ? FROM_PORT : TO_PORT)) == 0)
                continue;
              if (fabs (edge->dx[end]) > shape->width / 2)
                fail ("line %ld: it does not end at its box: %s", line_number (), line);
              add_port (shape, end == 0, edge->dx[end]);
            }
          n_e++;
        }
      else if (line[0] == 's')
        {
          if (picture->n_pairs == 2 * picture->n_boxes || read_numbers (line, line + 1, at, 3) != 3)
            fail ("line %ld: not a pair: %s", line_number (), line);
          picture->pairs[picture->n_pairs++] = (Pair) { index_of (at[0], n_b), index_of (at[1], n_b), at[2] != 0 };
        }
      else
        fail ("line %ld: not understood: %s", line_number (), line);
    }
  if (n_b != picture->n_boxes || n_e != picture->n_edges)
    fail ("%ld boxes and %ld edges were announced, %ld and %ld came", picture->n_boxes, picture->n_edges, n_b, n_e);
}

/* ── making ── */

static void
set_inches (void *object, const char *name, double points)
{
  char text[48];

  snprintf (text, sizeof text, "%.4f", points / 72);
  agset (object, (char *) name, text);
}

static void
set_number (void *object, const char *name, int number)
{
  char text[16];

  snprintf (text, sizeof text, "%d", number);
  agset (object, (char *) name, text);
}

/* Appends a row of cells as wide as the box, one per port, named @letter and its number. */
static int
append_row (char *text, int at, size_t size, const Box *shape, int side)
{
  const int width = (int) shape->width;
  int x = 0;

  at += snprintf (text + at, size - (size_t) at,
                  "<TR><TD><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR>");
  for (int i = 0; i < shape->n_ports[side]; i++)
    {
      const int left = (int) lround (shape->width / 2 + shape->port[side][i] - PORT / 2.0);
      const int start = left < x ? x : left, room = width - start;

      if (start > x)
        at += snprintf (text + at, size - (size_t) at, "<TD WIDTH=\"%d\" HEIGHT=\"2\" FIXEDSIZE=\"TRUE\"></TD>", start - x);
      at += snprintf (text + at, size - (size_t) at, "<TD PORT=\"%c%d\" WIDTH=\"%d\" HEIGHT=\"2\" FIXEDSIZE=\"TRUE\"></TD>",
                      side == 0 ? 'i' : 'o', i, room < PORT ? (room > 1 ? room : 1) : PORT);
      x = start + PORT;
    }
  if (x < width)
    at += snprintf (text + at, size - (size_t) at, "<TD WIDTH=\"%d\" HEIGHT=\"2\" FIXEDSIZE=\"TRUE\"></TD>", width - x);
  return at + snprintf (text + at, size - (size_t) at, "</TR></TABLE></TD></TR>");
}

/* An HTML table without text loads no fonts; a record does. */
static void
set_ports (Picture *picture, Agnode_t *node, const Box *shape)
{
  char text[8192];
  int at;
  char *html;

  at = snprintf (text, sizeof text, "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\">");
  at = append_row (text, at, sizeof text, shape, 0);
  at += snprintf (text + at, sizeof text - (size_t) at, "<TR><TD WIDTH=\"%d\" HEIGHT=\"%d\" FIXEDSIZE=\"TRUE\"></TD></TR>",
                  (int) shape->width, shape->height > 5 ? (int) shape->height - 4 : 1);
  at = append_row (text, at, sizeof text, shape, 1);
  snprintf (text + at, sizeof text - (size_t) at, "</TABLE>");
  html = agstrdup_html (picture->graph, text);
  agset (node, (char *) "shape", (char *) "none");
  agset (node, (char *) "label", html);
}

static void
make_node (Picture *picture, long i)
{
  const Box *shape = &picture->boxes[i];
  char name[32];

  snprintf (name, sizeof name, "%ld", i);
  picture->node[i] = agnode (picture->graph, name, 1);
  set_inches (picture->node[i], "width", shape->width);
  set_inches (picture->node[i], "height", shape->height);
  if (shape->n_ports[0] + shape->n_ports[1] > 0 && shape->width < 30000 && shape->height < 30000)
    set_ports (picture, picture->node[i], shape);
  if (shape->cluster >= 0)
    agsubnode (picture->cluster[shape->cluster], picture->node[i], 1);
}

/* Sets the cell of an end, and the side at which the edge enters it. */
static void
set_end (Picture *picture, Agedge_t *edge, const Edge *from, int end)
{
  const Box *shape = &picture->boxes[end == 0 ? from->from : from->to];
  const int at_port = (from->flags & (end == 0 ? FROM_PORT : TO_PORT)) != 0 && shape->n_ports[end == 0] > 0
                      && shape->width < 30000 && shape->height < 30000;
  const int above = end == 1 && (from->flags & FROM_ABOVE) != 0;
  char text[32];

  if (at_port)
    snprintf (text, sizeof text, "%c%d%s", end == 0 ? 'o' : 'i', nearest_port (shape, end == 0, from->dx[end]),
              above ? ":n" : "");
  else if (above)
    snprintf (text, sizeof text, "n");
  else
    return;
  agset (edge, (char *) (end == 0 ? "tailport" : "headport"), text);
}

static void
make_edge (Picture *picture, long i)
{
  const Edge *edge = &picture->edges[i];
  Agedge_t *line = picture->line[i] = agedge (picture->graph, picture->node[edge->from], picture->node[edge->to], NULL, 1);

  if (edge->weight != 1)
    set_number (line, "weight", edge->weight);
  if (edge->min_length != 1)
    set_number (line, "minlen", edge->min_length);
  if (edge->flags & FREE_RANK)
    agset (line, (char *) "constraint", (char *) "false");
  set_end (picture, line, edge, 0);
  set_end (picture, line, edge, 1);
}

/* dot takes no notice of an order in a rank from outside of a cluster that holds both. */
static void
make_pair (Picture *picture, long i)
{
  const Pair *pair = &picture->pairs[i];
  const int cluster = picture->boxes[pair->a].cluster;
  const int together = pair->ordered && cluster >= 0 && cluster == picture->boxes[pair->b].cluster;
  Agraph_t *around = together ? picture->cluster[cluster] : picture->graph, *rank;
  Agedge_t *edge;
  char name[32];

  snprintf (name, sizeof name, "rank%ld", i);
  rank = agsubg (around, name, 1);
  agset (rank, (char *) "rank", (char *) "same");
  agsubnode (rank, picture->node[pair->a], 1);
  agsubnode (rank, picture->node[pair->b], 1);
  if (!pair->ordered)
    return;
  edge = agedge (rank, picture->node[pair->a], picture->node[pair->b], NULL, 1);
  agset (edge, (char *) "style", (char *) "invis");
  agset (edge, (char *) "weight", (char *) "0");
}

static void
make_graph (Picture *picture)
{
  /* clang-format off */
  static const char *const attributes[][3] = {
    { "n", "shape", "box" }, { "n", "label", "" }, { "n", "fixedsize", "true" }, { "n", "width", "1" }, { "n", "height", "1" },
    { "n", "margin", "0" }, { "e", "dir", "none" }, { "e", "weight", "1" }, { "e", "minlen", "1" }, { "e", "constraint", "true" },
    { "e", "style", "" }, { "e", "headport", "" }, { "e", "tailport", "" }, { "g", "rank", "" }, { "g", "margin", "" },
    { "g", "peripheries", "1" } };
  /* clang-format on */

  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
    agattr (picture->graph,
            attributes[i][0][0] == 'n'   ? AGNODE
            : attributes[i][0][0] == 'e' ? AGEDGE
                                         : AGRAPH,
            (char *) attributes[i][1], (char *) attributes[i][2]);
  for (int c = 0; c < 2; c++)
    {
      char name[16];
      int used = 0;

      for (long i = 0; i < picture->n_boxes && !used; i++)
        used = picture->boxes[i].cluster == c;
      if (!used)
        continue;
      snprintf (name, sizeof name, "cluster_%d", c);
      picture->cluster[c] = agsubg (picture->graph, name, 1);
      agset (picture->cluster[c], (char *) "margin", (char *) "0");
      agset (picture->cluster[c], (char *) "peripheries", (char *) "0");
    }
  /* Nodes created first are placed left if nothing else decides. */
  for (int c = -1; c < 2; c++)
    for (long i = 0; i < picture->n_boxes; i++)
      if (picture->boxes[i].cluster == c)
        make_node (picture, i);
  for (long i = 0; i < picture->n_edges; i++)
    make_edge (picture, i);
  for (long i = 0; i < picture->n_pairs; i++)
    make_pair (picture, i);
}

/* ── answering ── */

static void
write_edge (Agedge_t *edge, boxf bounds)
{
  const splines *chain = edge != NULL ? ED_spl (edge) : NULL;
  const bezier *curve;
  int reversed, i;

  if (chain == NULL || chain->size < 1 || chain->list[0].size < 4)
    {
      puts ("e 0");
      return;
    }
  /* An edge without arrow heads is a single curve, which dot may return from head to tail. */
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

      printf (" %.2f %.2f", p.x - bounds.LL.x, bounds.UR.y - p.y);
    }
  putchar ('\n');
}

void
place_graph (const char *engine, long n_boxes, long n_edges)
{
  static GVC_t *gvc;
  Picture picture = { .n_boxes = n_boxes, .n_edges = n_edges };
  boxf bounds = { { 0, 0 }, { 0, 0 } };

  if (!find_word (engines, sizeof engines / sizeof engines[0], engine))
    fail ("line %ld: no such engine: %s", line_number (), engine);
  if (gvc == NULL)
    gvc = gvContext ();
  agseterr (AGMAX);
  picture.boxes = room_for (n_boxes, sizeof (Box));
  picture.edges = room_for (n_edges, sizeof (Edge));
  picture.pairs = room_for (2 * n_boxes, sizeof (Pair));
  picture.node = room_for (n_boxes, sizeof (Agnode_t *));
  picture.line = room_for (n_edges, sizeof (Agedge_t *));
  picture.graph = agopen ((char *) "g", Agdirected, NULL);
  if (gvc == NULL || picture.graph == NULL)
    fail ("Graphviz does not start");
  read_picture (&picture);
  make_graph (&picture);
  if (n_boxes > 0 && gvLayout (gvc, picture.graph, engine) != 0)
    fail ("%s gave up%s%s", engine, aglasterr () != NULL ? ": " : "", aglasterr () != NULL ? aglasterr () : "");
  if (n_boxes > 0)
    bounds = GD_bb (picture.graph);
  printf ("size %.2f %.2f\n", bounds.UR.x - bounds.LL.x, bounds.UR.y - bounds.LL.y);
  for (long i = 0; i < n_boxes; i++)
    printf ("b %.2f %.2f\n", ND_coord (picture.node[i]).x - bounds.LL.x, bounds.UR.y - ND_coord (picture.node[i]).y);
  for (long i = 0; i < n_edges; i++)
    write_edge (picture.line[i], bounds);
  puts ("end");
}
