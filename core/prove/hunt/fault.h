/* fault.h: how a pass goes wrong on a model, and on which inputs that shows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/prove/pair.h"
#include "core/prove/samples/samples.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_FAULT_NONE,
  PH_FAULT_WRONG,                /* results differ                                          */
  PH_FAULT_ERROR,                /* what the pass makes cannot be computed                  */
  PH_FAULT_INVALID,              /* the pass wrote no valid model                           */
  PH_FAULT_CRASH,                /* it died, refused or took too long                       */
} PhFaultKind;
/* clang-format on */

const char *ph_fault_kind_name (PhFaultKind kind); /* "none" "wrong" "error" "invalid" "crash" */
/* Of the error with which a pass ended. NONE: it says nothing about the pass (cancelled, not to be started). */
PhFaultKind ph_fault_of_error (const GError *error);
/* @message without names and numbers: what two failures of one kind have in common. (transfer full) */
char *ph_fault_signature (const char *message);

/* One way in which one pass goes wrong. */
typedef struct
{
  PhFaultKind kind;
  char *message;                   /* (nullable) everything that was said                    */
  char *output;                    /* (nullable) of the model, that differs                  */
  char *place, *expected, *actual; /* (nullable) of its worst element            */
  double max_error;                /* absolute, over all outputs                             */
  gboolean unbounded;              /* an element is NaN or infinite on one side only         */
  gboolean in_double;              /* too small for float32's tolerance: seen in double only   */
  PhSampleKind shown_by;           /* CAPTURED: what was given                                */
  PhModel *after;                  /* (nullable) what the pass made of it                    */
  PhHistory *history;              /* (nullable) how                                         */
  GHashTable *witness;             /* name -> PhTensor, of each input                        */
} PhFault;

PhFault *ph_fault_new (PhFaultKind kind, const char *message);
void ph_fault_free (PhFault *fault);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFault, ph_fault_free)

/* One pass as it is tried again and again. */
typedef struct
{
  const PhPass *pass;
  char **arguments; /* (nullable) owned                                        */
  PhExactness allow;
  const char *folder;           /* (nullable) where a program runs                         */
  const char *const *rules_off; /* (nullable)                                              */
  guint limit;                  /* rewrites at most                                        */
  guint64 seed;
  GCancellable *cancellable;
  const char *runner;    /* (nullable) a program that computes instead (core/prove/runner.h) */
  PhSampleKind furthest; /* inputs are made up of this kind and those before it          */
  gboolean closely;      /* what is too small for float32's tolerance is looked for in double */
  guint n_runs;          /* so far                                                  */
} PhFaultPass;

/* Of the outputs of two models, by place, as they were computed (PhId -> PhTensor): NULL: they agree but for rounding. (transfer full) */
PhFault *ph_fault_of_results (PhModel *before, PhModel *after, GHashTable *was, GHashTable *is);
/* Computes @before and @after on @feeds (name -> PhTensor; what lacks is made up) and compares their outputs, by place: floats as far apart as 1e-3 of
 * each and 1e-5 of the largest are equal, and so is what agrees in double; @closely, a twentieth of that apart is different, in double.
 * NULL without error: they agree, or @before cannot be computed. */
PhFault *ph_fault_compare (PhModel *before, PhModel *after, GHashTable *feeds, gboolean closely, GCancellable *cancellable);

/* How two models are compared. */
typedef struct
{
  gboolean search;       /* on inputs that are made up, too              */
  PhSampleKind furthest; /* as in PhFaultPass                            */
  gboolean closely;      /* as in PhFaultPass                            */
  guint64 seed;
  GCancellable *cancellable;
} PhFaultSearch;

/* Two models of one interface (core/prove/pair.h), on @values of what they read, then on those that are made up. (nullable) */
PhFault *ph_fault_of_pair (const PhPair *pair, GHashTable *values, const PhFaultSearch *search);
/* Runs the pass on a clone of @model, and looks on @feeds, then, where @search, on made-up inputs. NULL without error: it does nothing wrong there. NULL with
 * @error: cancelled, or the pass cannot be started at all. */
PhFault *ph_fault_find (PhFaultPass *pass, PhModel *model, GHashTable *feeds, gboolean search, GError **error);
/* All values of @model on @feeds, by name. (transfer full) (nullable) */
GHashTable *ph_fault_values (PhModel *model, GHashTable *feeds, guint64 seed, GCancellable *cancellable);

G_END_DECLS
