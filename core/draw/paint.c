/* paint.c: colours the boxes of a scene by a property of their nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/paint-private.h"
#include "core/scene/scene-read.h"

#include <math.h>
#include <string.h>

#include "core/number.h"

#define MAX_ENTRIES 8  /* names with a colour of their own; others share one         */
#define WIDE        50 /* from this ratio of most to least on a scale is logarithmic */
#define DECADES     6  /* that a logarithmic scale has at most                       */
#define UNKNOWN     -1.0f

static void
entry_clear (gpointer data)
{
  g_free (((PhPaintEntry *) data)->name);
}

static const PhTenant *
node_at (PhScene *scene, int box, int time)
{
  return ph_scene_box (scene, box)->kind == PH_BOX_NODE ? ph_scene_tenant (scene, box, time) : NULL;
}

/* Returns the closed group that hides @box, or -1. */
static int
hidden_in (PhScene *scene, int box)
{
  int group = -1;

  for (int up = ph_scene_box (scene, box)->parent; up >= 0; up = ph_scene_box (scene, up)->parent)
    if (!ph_scene_box (scene, up)->open && ph_scene_box (scene, up)->shown)
      group = up;
  return group;
}

/* ── names ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static int
compare_entries (const void *a, const void *b)
{
  const PhPaintEntry *x = a, *y = b;

  return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp (x->name, y->name);
}

static guint
entry_of (PhPaint *paint, GHashTable *known, const char *name, guint color)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (known, name));

  if (index == 0)
    {
      const PhPaintEntry entry = { g_strdup (name), 0, color };

      g_array_append_val (paint->entries, entry);
      index = paint->entries->len;
      g_hash_table_insert (known, entry.name, GUINT_TO_POINTER (index));
    }
  return index - 1;
}

static const char *
role_name (PhRole role)
{
  return role == PH_ROLE_BACKWARD ? "backward" : role == PH_ROLE_COMMUNICATION ? "communication" : "forward";
}

/* Gives a group the name that most of its contents have. */
static void
shade_groups (PhPaint *paint, PhScene *scene)
{
  const guint n_names = paint->entries->len;
  g_autoptr (GHashTable) counts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer key, value;

  for (guint b = 0; b < paint->n_boxes; b++)
    {
      const int group = paint->shade[b] >= 0 ? hidden_in (scene, b) : -1;
      guint *count = group >= 0 ? g_hash_table_lookup (counts, GINT_TO_POINTER (group)) : NULL;

      if (group < 0)
        continue;
      if (count == NULL)
        {
          count = g_new0 (guint, n_names);
          g_hash_table_insert (counts, GINT_TO_POINTER (group), count);
        }
      count[(guint) paint->shade[b]]++;
    }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const guint *count = value;
      guint most = 0;

      for (guint i = 1; i < n_names; i++)
        if (count[i] > count[most])
          most = i;
      paint->shade[GPOINTER_TO_INT (key)] = most;
    }
}

static void
paint_names (PhPaint *paint, PhScene *scene, int time, PhMeasure *measure)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal), order = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint *place = NULL;
  guint kept;

  for (guint b = 0; b < paint->n_boxes; b++)
    {
      const PhTenant *tenant = node_at (scene, b, time);
      const char *name = NULL;
      guint color = 0;

      if (tenant == NULL)
        continue;
      if (paint->mode == PH_COLOR_FAMILY)
        {
          color = ph_scene_face (scene, tenant, time)->family;
          name = ph_family_name (color);
        }
      else if (paint->mode == PH_COLOR_ROLE)
        name = role_name (tenant->role);
      else if (measure->names != NULL)
        name = g_hash_table_lookup (measure->names, GUINT_TO_POINTER (tenant->id));
      if (name == NULL)
        {
          paint->n_unknown++;
          continue;
        }
      paint->shade[b] = entry_of (paint, known, name, color);
      g_array_index (paint->entries, PhPaintEntry, (guint) paint->shade[b]).count++;
    }

  /* Orders by frequency, and rare ones share an entry. Roles and devices are ordered by name, so that they keep their colours when counts
   * change. */
  place = g_new0 (guint, paint->entries->len + 1);
  for (guint i = 0; i < paint->entries->len; i++)
    g_array_index (paint->entries, PhPaintEntry, i).color |= i << 8;
  g_array_sort (paint->entries, compare_entries);
  kept = paint->mode == PH_COLOR_FAMILY || paint->entries->len <= MAX_ENTRIES ? paint->entries->len : MAX_ENTRIES - 1;
  for (guint i = 0; i < paint->entries->len; i++)
    {
      PhPaintEntry *entry = &g_array_index (paint->entries, PhPaintEntry, i);

      place[entry->color >> 8] = MIN (i, kept);
      if (i > kept)
        g_array_index (paint->entries, PhPaintEntry, kept).count += entry->count;
      entry->color = paint->mode == PH_COLOR_FAMILY ? entry->color & 0xff : i;
    }
  if (kept < paint->entries->len)
    {
      PhPaintEntry *rest = &g_array_index (paint->entries, PhPaintEntry, kept);

      g_free (rest->name);
      rest->name = g_strdup_printf ("%u others", paint->entries->len - kept);
      g_array_set_size (paint->entries, kept + 1);
    }
  for (guint i = 0; i < paint->entries->len && paint->mode == PH_COLOR_ROLE; i++)
    {
      PhPaintEntry *entry = &g_array_index (paint->entries, PhPaintEntry, i);

      entry->color = strcmp (entry->name, "forward") == 0 ? 0 : strcmp (entry->name, "backward") == 0 ? 3 : 1;
    }
  for (guint b = 0; b < paint->n_boxes; b++)
    if (paint->shade[b] >= 0)
      paint->shade[b] = place[(guint) paint->shade[b]];
  shade_groups (paint, scene);
}

/* ── numbers ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static float
heat_of (const PhPaint *paint, double number)
{
  if (paint->high <= paint->low)
    return paint->high > 0;
  if (paint->logarithmic)
    return number <= paint->low ? 0 : log (number / paint->low) / log (paint->high / paint->low);
  return (number - paint->low) / (paint->high - paint->low);
}

static void
paint_numbers (PhPaint *paint, PhScene *scene, int time, PhMeasure *measure)
{
  double least = INFINITY, above = INFINITY, most = -INFINITY;

  for (int pass = 0; pass < 2; pass++)
    {
      for (guint b = 0; b < paint->n_boxes; b++)
        {
          const PhTenant *tenant = node_at (scene, b, time);
          double number;
          int group;

          if (tenant == NULL)
            continue;
          if (!ph_measure_number (measure, tenant->id, &number))
            paint->n_unknown += pass == 0;
          else if (pass == 0)
            {
              least = MIN (least, number);
              most = MAX (most, number);
              if (number > 0)
                above = MIN (above, number);
            }
          else
            {
              paint->shade[b] = CLAMP (heat_of (paint, number), 0, 1);
              group = hidden_in (scene, b);
              if (group >= 0)
                paint->shade[group] = MAX (paint->shade[group], paint->shade[b]);
            }
        }
      if (pass > 0 || !(least <= most))
        return;
      paint->scale = TRUE;
      paint->logarithmic = least >= 0 && above < most && most / above > WIDE;
      paint->low = paint->logarithmic ? MAX (above, most / pow (10, DECADES)) : MIN (least, 0);
      paint->high = most;
    }
}

/* ── paints ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

PhPaint *
ph_paint_new (PhScene *scene, int time, PhMeasure *measure)
{
  PhPaint *paint = g_new0 (PhPaint, 1);
  g_autofree char *took = NULL;
  PhLayoutEngine engine;
  float ms;

  g_atomic_ref_count_init (&paint->ref_count);
  paint->mode = measure != NULL ? measure->mode : PH_COLOR_FAMILY;
  engine = ph_scene_drawn_by (scene, &ms);
  took = ph_number_to_string (ms < 10 ? "%.1f" : "%.0f", ms);
  paint->drawn_by = g_strdup_printf ("drawn by %s in %s ms",
                                     engine == PH_LAYOUT_LAYERED ? "the layered engine" : ph_layout_engine_name (engine), took);
  paint->title = g_strdup (measure != NULL ? measure->title : ph_color_mode_title (PH_COLOR_FAMILY));
  paint->unit = g_strdup (measure != NULL ? measure->unit : "");
  paint->entries = g_array_new (FALSE, FALSE, sizeof (PhPaintEntry));
  g_array_set_clear_func (paint->entries, entry_clear);
  paint->n_boxes = ph_scene_n_boxes (scene);
  paint->shade = g_new (float, paint->n_boxes + 1);
  for (guint b = 0; b < paint->n_boxes; b++)
    paint->shade[b] = UNKNOWN;
  if (measure != NULL && (measure->numbers != NULL || measure->by_id != NULL))
    paint_numbers (paint, scene, time, measure);
  else
    paint_names (paint, scene, time, measure);
  return paint;
}

PhPaint *
ph_paint_ref (PhPaint *paint)
{
  g_atomic_ref_count_inc (&paint->ref_count);
  return paint;
}

void
ph_paint_unref (PhPaint *paint)
{
  if (paint == NULL || !g_atomic_ref_count_dec (&paint->ref_count))
    return;
  g_free (paint->drawn_by);
  g_free (paint->title);
  g_free (paint->unit);
  g_array_unref (paint->entries);
  g_free (paint->shade);
  g_free (paint);
}

static PhColor
entry_color (const PhPaint *paint, guint entry, PhTheme theme)
{
  const guint color = g_array_index (paint->entries, PhPaintEntry, entry).color;

  return paint->mode == PH_COLOR_FAMILY ? ph_family_color (color, theme) : ph_name_color (color, theme);
}

gboolean
ph_paint_knows (const PhPaint *paint, int box)
{
  return box >= 0 && (guint) box < paint->n_boxes && paint->shade[box] >= 0;
}

PhColor
ph_paint_color (const PhPaint *paint, int box, PhTheme theme)
{
  if (!ph_paint_knows (paint, box))
    return ph_none_color (theme);
  return paint->scale ? ph_heat_color (paint->shade[box], theme) : entry_color (paint, paint->shade[box], theme);
}

/* ── the legend ─────────────────────────────────────────────────────────────────────────────────────────────────── */

PhColorMode
ph_paint_mode (const PhPaint *paint)
{
  return paint->mode;
}
const char *
ph_paint_title (const PhPaint *paint)
{
  return paint->title;
}
const char *
ph_paint_drawn_by (const PhPaint *paint)
{
  return paint->drawn_by;
}
guint
ph_paint_n_entries (const PhPaint *paint)
{
  return paint->entries->len;
}
guint
ph_paint_n_unknown (const PhPaint *paint)
{
  return paint->n_unknown;
}

const char *
ph_paint_entry (const PhPaint *paint, guint entry, PhTheme theme, PhColor *color, guint *count)
{
  const PhPaintEntry *at = &g_array_index (paint->entries, PhPaintEntry, entry);

  if (color != NULL)
    *color = entry_color (paint, entry, theme);
  if (count != NULL)
    *count = at->count;
  return at->name;
}

/* @format: of the number; @unit follows it. */
static char *
with_unit (const char *format, double number, const char *unit, const char *more)
{
  g_autofree char *text = ph_number_to_string (format, number);

  return g_strconcat (text, " ", unit, more, NULL);
}

static char *
number_label (double number, const char *unit)
{
  static const char *const binary[] = { "B", "KiB", "MiB", "GiB", "TiB" }, *const decimal[] = { "", "k", "M", "G", "T", "P" };
  guint step = 0;

  if (strcmp (unit, "B") == 0)
    {
      for (; fabs (number) >= 1024 && step + 1 < G_N_ELEMENTS (binary); step++)
        number /= 1024;
      return with_unit ("%.3g", number, binary[step], NULL);
    }
  if (strcmp (unit, "s") == 0)
    return number == 0 || fabs (number) >= 1 ? with_unit ("%.3g", number, "s", NULL)
           : fabs (number) >= 1e-3           ? with_unit ("%.3g", number * 1e3, "ms", NULL)
                                             : with_unit ("%.3g", number * 1e6, "µs", NULL);
  for (; *unit != 0 && fabs (number) >= 1000 && step + 1 < G_N_ELEMENTS (decimal); step++)
    number /= 1000;
  return *unit != 0 ? with_unit ("%.3g", number, decimal[step], unit)
                    : ph_number_to_string (fabs (number) < 1 ? "%.3g" : "%.4g", number);
}

gboolean
ph_paint_tick (const PhPaint *paint, guint tick, float *at, char **label)
{
  const guint n = !paint->scale ? 0 : paint->high <= paint->low ? 1 : 5;

  if (tick >= n)
    return FALSE;
  *at = n == 1 ? 1 : tick / (n - 1.0f);
  *label = number_label (n == 1               ? paint->high
                         : paint->logarithmic ? paint->low * pow (paint->high / paint->low, *at)
                                              : paint->low + *at * (paint->high - paint->low),
                         paint->unit);
  return TRUE;
}
