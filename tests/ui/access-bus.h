/* access-bus.h: what assistive technologies see of the window, over their bus.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tests/ui/driver.h"

G_BEGIN_DECLS

#define ACCESSIBLE "org.a11y.atspi.Accessible"

typedef struct
{
  char *bus, *path;
} AccessObject;

/* What there was to be known of an object when it was asked. */
typedef struct
{
  AccessObject *object;
  char *name, *role;   /* (nullable) it went away meanwhile */
  guint64 states;      /* a bit an AtspiStateType */
  GPtrArray *children; /* AccessNode */
} AccessNode;

/* Before driver_init(). FALSE: there is no such bus here, which it says as a skipped test. */
gboolean access_open (void);
void access_close (void);
void access_free (AccessObject *object);
/* The root of all that the bus knows. */
extern const AccessObject access_root;

/* The window answers in the very loop that waits. (transfer full) */
GVariant *access_call (const AccessObject *object, const char *interface, const char *method, GVariant *arguments);
char *access_name (const AccessObject *object);
char *access_role (const AccessObject *object);                      /* "push button" */
gboolean access_has_state (const AccessObject *object, guint state); /* an AtspiStateType */
GPtrArray *access_objects (GVariant *list);                          /* of an array (so) */
GPtrArray *access_children (const AccessObject *object);

/* All that is below @object, as many questions at once as there are. */
AccessNode *access_read (const AccessObject *object);
void access_node_free (AccessNode *node);

G_END_DECLS
