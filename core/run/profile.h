/* profile.h: measures how long each node of a model takes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/executor.h"

G_BEGIN_DECLS

/* One node, in one run. */
typedef struct
{
  PhId node;
  guint calls;        /* more than one inside the body of a loop                                      */
  gint64 ns;          /* all its calls with the bodies it ran; the median of the runs                  */
  gint64 bytes;       /* that its calls read and wrote, by the shapes they met                         */
  gint64 flops;       /* of all its calls; -1 unknown                                                  */
  gboolean inside;    /* in a body: the time of the body's owner has this one in it                    */
  const char *kernel; /* interned: what made its outputs: "dnnl", "panels + chain", "reference"        */
  const char *layout; /* static: in which order the first output lies; NULL: it is no tensor           */
  gboolean in_place;  /* an output took the place of an input                                          */
  gint64 packed;      /* bytes of weights that its kernel keeps in an order of its own                 */
} PhNodeTime;

/* Measured: a product of large matrices by oneDNN, and a copy that no cache holds. */
typedef struct
{
  double gflops; /* 10^9 floating point operations a second                          */
  double gbytes; /* 10^9 bytes a second, read and written                            */
  guint threads; /* with so many for the product, or one if that is faster; one copies */
} PhPeaks;

/* Immutable once made, reference-counted, safe from any thread. */
/* Computes @model's outputs @runs times (and once before, to warm up) and takes the median of each node's time. What an older
 * opset's node became when it was upgraded to be run counts for that node. (transfer full); NULL with an error. */
PhProfile *ph_profile_model (PhModel *model, GHashTable *feeds, guint runs, const PhRunOptions *options, GError **error);
PhProfile *ph_profile_ref (PhProfile *profile);
void ph_profile_unref (PhProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProfile, ph_profile_unref)

/* What the machine could do at most when it was measured. (transfer none) */
const PhPeaks *ph_profile_peaks (const PhProfile *profile);
guint ph_profile_n_runs (const PhProfile *profile);
gint64 ph_profile_total (const PhProfile *profile);                      /* ns of a whole run, the median */
const PhNodeTime *ph_profile_find (const PhProfile *profile, PhId node); /* (nullable) it did not run     */
/* Every kernel that could run a node, in the order of the run (element-type PhCandidate): not timed, not compared. (transfer none) */
const GArray *ph_profile_candidates (const PhProfile *profile);
const PhNodeTime *ph_profile_times (const PhProfile *profile, guint *n); /* the slowest first             */

G_END_DECLS
