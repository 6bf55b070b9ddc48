/* hunt.h: from "the optimised model is wrong" to the guilty rewrite and the smallest model that shows it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/hunt/reduce.h"
#include "core/prove/hunt/switches.h"

G_BEGIN_DECLS

/* A pass of the pipeline that is hunted in. */
typedef struct
{
  const PhPass *pass;
  char **arguments;    /* (nullable) owned                                                 */
  gboolean always;     /* it must run, and is not suspected                                */
  gboolean keep_opset; /* upgrade-opset: of the form of the operators only                 */
  gboolean only_once;  /* what it did is known, and it cannot be run again: a file of a dump */
} PhHuntStage;

PhHuntStage *ph_hunt_stage_new (const PhPass *pass, const char *const *arguments);
void ph_hunt_stage_free (PhHuntStage *stage);

/* What became of a stage. */
typedef struct
{
  char *name; /* of the pass, with its arguments                                  */
  guint n_rewrites;
  PhVerdict verdict; /* of its step, rewrite by rewrite                                  */
  guint n_different; /* rewrites that differ at their border                             */
  guint n_untried;   /* rewrites for which there was no time                             */
  PhFaultKind fault; /* what is wrong with it; NONE: nothing was found                   */
  double seconds;
} PhHuntStep;

typedef struct
{
  gboolean found;
  PhFaultKind kind;
  guint step;           /* of @steps, that is guilty                                        */
  GPtrArray *steps;     /* (element-type PhHuntStep)                                        */
  char *pass, *command; /* its name; how one runs it: "run casts"                           */
  char *file;           /* (nullable) the shared object that has the pass                   */
  char *rule, *why;     /* (nullable)                                                       */
  char *optimizer;      /* (nullable) of a program with switches: the names that it needs   */
  char *rewrite;        /* (nullable) position in the history: "4.17"                       */
  GPtrArray *others;    /* (nullable) (element-type utf8) rewrites of the pass that differ as well: "4.20, rule cast-cast" */
  GPtrArray *nodes;     /* (nullable) (element-type utf8) what the rewrite changed, by name */
  PhReduced *reduced;   /* (nullable)                                                       */
  guint n_runs;         /* of passes                                                        */
  guint n_agreeing, n_repeated; /* runs on the reduced model that showed it again            */
  gboolean out_of_time;
  gboolean stopped; /* cancelled: the rest is what was known by then                    */
  char *note;       /* (nullable) what else is to be said                               */
  double seconds;
} PhHunt;

void ph_hunt_free (PhHunt *hunt);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhHunt, ph_hunt_free)

typedef struct
{
  GPtrArray *stages; /* (element-type PhHuntStage)                                       */
  GHashTable *feeds; /* (nullable) name -> PhTensor                                      */
  PhExactness allow;
  const char *folder;           /* (nullable) where programs run                                    */
  const char *const *rules_off; /* (nullable)                                                       */
  const char *runner;           /* (nullable) a program that computes instead (core/prove/runner.h) */
  const PhSwitches *switches;   /* (nullable) of the program that is hunted in; NULL: found by what it says */
  guint64 seed;
  double seconds; /* that all of it may take; 0: no end                               */
  GCancellable *cancellable;
  void (*progress) (const char *what, double fraction, gpointer data); /* (nullable) */
  gpointer data;
} PhHuntOptions;

/* @model: as it is before the first stage, in the form that passes know; it is taken over. Cancelled, what is known so far is the
 * answer. NULL with @error: a stage that cannot be run at all. */
PhHunt *ph_hunt (PhModel *model, const PhHuntOptions *options, GError **error);
/* What a hunt leaves behind, as paths below its folder; NULL: there is none. */
typedef struct
{
  const char *reduced;  /* "reduced.onnx": on which the pass alone goes wrong; model.onnx beside it is the same, as a case */
  const char *after;    /* "after.onnx": what the pass makes of it                          */
  const char *witness;  /* "test_data_set_0": input_K.pb, and output_K.pb, the right results */
  gboolean shown_again; /* the files were opened again, and show it; not tried once cancelled */
} PhHuntFiles;

/* Writes them into @folder, which is made; reads them again, and runs the pass on what was read. */
gboolean ph_hunt_save (const PhHunt *hunt, const PhHuntStage *stage, const PhHuntOptions *options, const char *folder,
                       PhHuntFiles *files, GError **error);

/* The model of @path in the form that passes know. (nullable) */
PhModel *ph_hunt_open_model (const char *path, GCancellable *cancellable);
/* What @folder, a test_data_set_N, has for its inputs, in their order: name -> PhTensor. */
GHashTable *ph_hunt_load_feeds (PhModel *model, const char *folder);

G_END_DECLS
