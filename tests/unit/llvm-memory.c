/* llvm-memory.c: what is proved of LLVM's functions that read and write memory, by running them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/prove/llvm/integers.h"

static PhModel *
read_body (const char *body)
{
  g_autofree char *text = g_strdup_printf ("define %s\n}\n", body);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_format_read_bytes (ph_format_find ("llvm"), bytes, "t.ll", NULL, &error);

  g_assert_no_error (error);
  return model;
}

/* @said: (nullable) a part of why it differs, or cannot be tried. */
static void
try_pair (const char *a, const char *b, PhVerdict verdict, const char *said)
{
  g_autoptr (PhModel) before = read_body (a), after = read_body (b);
  const char *why = NULL;
  g_autoptr (PhTrial) trial = ph_integers_try (before->graph, after->graph, 1, &why);
  const char *text = trial != NULL && trial->why != NULL ? trial->why : why;

  if ((trial != NULL ? trial->verdict : PH_VERDICT_NONE) != verdict
      || (said != NULL && (text == NULL || strstr (text, said) == NULL)))
    g_error ("verdict %d, %s\n%s\n%s", trial != NULL ? (int) trial->verdict : -1, text, a, b);
}

#define HEAD(parameters) "i32 @f(" parameters ") {\nentry:\n"
#define VOID(parameters) "void @f(" parameters ") {\nentry:\n"

/* What a function leaves behind its parameters' pointers counts as what it returns does. */
static void
test_written (void)
{
#define STORE(value, at) "  %g" at " = getelementptr inbounds i32, ptr %p, i64 " at "\n  store i32 " value ", ptr %g" at "\n"
  const char *both = VOID ("ptr %p, i32 %x") STORE ("%x", "0") STORE ("7", "1") "  ret void";

  try_pair (both, VOID ("ptr %p, i32 %x") STORE ("7", "1") STORE ("%x", "0") "  ret void", PH_VERDICT_SAME, NULL);
  try_pair (both, VOID ("ptr %p, i32 %x") STORE ("%x", "0") "  ret void", PH_VERDICT_DIFFERENT, "byte 4 behind %p");
  try_pair (VOID ("ptr %p, i32 %x") STORE ("%x", "0") "  ret void", both, PH_VERDICT_DIFFERENT, "byte 4 behind %p");
  try_pair (both, VOID ("ptr %p, i32 %x") STORE ("7", "0") STORE ("%x", "1") "  ret void", PH_VERDICT_DIFFERENT, NULL);
  /* A store that another one covers; one past the end is undefined, and excuses all. */
  try_pair (VOID ("ptr %p, i32 %x") "  store i32 1, ptr %p\n  store i32 %x, ptr %p\n  ret void",
            VOID ("ptr %p, i32 %x") "  store i32 %x, ptr %p\n  ret void", PH_VERDICT_SAME, NULL);
  try_pair (VOID ("ptr %p, i32 %x") STORE ("%x", "1000") "  ret void", VOID ("ptr %p, i32 %x") "  ret void", PH_VERDICT_NOTHING,
            NULL);
  try_pair (VOID ("ptr %p, i32 %x") "  ret void", VOID ("ptr %p, i32 %x") STORE ("%x", "1000") "  ret void", PH_VERDICT_DIFFERENT,
            "undefined");
#undef STORE
}

/* What is read is what is there: a second load may be left out unless something was written in between that may be the same. */
static void
test_read (void)
{
#define TWICE(between, again, use) \
  HEAD ("ptr %p, ptr %q, i32 %n") "  %a = load i32, ptr %p\n" between again "  %s = mul i32 %a, " use "\n  ret i32 %s"
  const char *again = "  %b = load i32, ptr %p\n", *store = "  %g = getelementptr i32, ptr %p, i32 %n\n  store i32 9, ptr %g\n";
  g_autofree char *clobbered = g_strconcat (HEAD ("ptr %p, ptr %q, i32 %n") "  %a = load i32, ptr %p\n", store, again,
                                            "  %s = mul i32 %a, %b\n  ret i32 %s", NULL),
                  *stale = g_strconcat (HEAD ("ptr %p, ptr %q, i32 %n") "  %a = load i32, ptr %p\n", store,
                                        "  %s = mul i32 %a, %a\n  ret i32 %s", NULL);

  try_pair (TWICE ("", "  %b = load i32, ptr %p\n", "%b"), TWICE ("", "", "%a"), PH_VERDICT_SAME, NULL);
  try_pair (TWICE ("  store i32 9, ptr %q\n", "  %b = load i32, ptr %p\n", "%b"), TWICE ("  store i32 9, ptr %q\n", "", "%a"),
            PH_VERDICT_SAME, NULL);
  try_pair (clobbered, stale, PH_VERDICT_DIFFERENT, NULL);
  try_pair (clobbered, clobbered, PH_VERDICT_SAME, NULL);
  /* of a list, whose pointers are read */
  try_pair (HEAD ("ptr %p") "  %n = load ptr, ptr %p\n  %a = load i32, ptr %n\n  %s = shl i32 %a, 1\n  ret i32 %s",
            HEAD ("ptr %p") "  %n = load ptr, ptr %p\n  %a = load i32, ptr %n\n  %s = add i32 %a, %a\n  ret i32 %s",
            PH_VERDICT_SAME, NULL);
  try_pair (HEAD ("ptr %p") "  %n = load ptr, ptr %p\n  %a = load i32, ptr %n\n  ret i32 %a",
            HEAD ("ptr %p") "  %a = load i32, ptr %p\n  ret i32 %a", PH_VERDICT_DIFFERENT, NULL);
  /* A pointer that is read for nothing, and one that is written over. */
  try_pair (HEAD ("ptr %p") "  %n = load ptr, ptr %p\n  ret i32 0", HEAD ("ptr %p") "  ret i32 0", PH_VERDICT_SAME, NULL);
  try_pair (HEAD ("ptr %p") "  ret i32 0", HEAD ("ptr %p") "  %n = load ptr, ptr %p\n  ret i32 0", PH_VERDICT_SAME, NULL);
  try_pair (HEAD ("ptr %p, ptr %q") "  store ptr %q, ptr %p\n  ret i32 0", HEAD ("ptr %p, ptr %q") "  ret i32 0",
            PH_VERDICT_DIFFERENT, NULL);
  try_pair (HEAD ("ptr %p, ptr %q") "  %n = load ptr, ptr %p\n  store ptr %n, ptr %q\n  ret i32 0",
            HEAD ("ptr %p, ptr %q") "  %n = load i64, ptr %p\n  store i64 %n, ptr %q\n  ret i32 0", PH_VERDICT_NOTHING, NULL);
#undef TWICE
}

/* Stack slots of arrays and structures; of small inputs all are tried. */
static void
test_slots (void)
{
  const char *array
      = "i8 @f(i8 %x) {\nentry:\n  %a = alloca [4 x i8]\n  %i = and i8 %x, 3\n  store i8 1, ptr %a\n"
        "  %g = getelementptr inbounds [4 x i8], ptr %a, i64 0, i8 %i\n  store i8 %x, ptr %g\n  %r = load i8, ptr %a\n  ret i8 %r";
  const char *select
      = "i8 @f(i8 %x) {\nentry:\n  %i = and i8 %x, 3\n  %z = icmp eq i8 %i, 0\n  %r = select i1 %z, i8 %x, i8 1\n  ret i8 %r";

  try_pair (array, select, PH_VERDICT_PROVED, NULL);
  try_pair (array, "i8 @f(i8 %x) {\nentry:\n  ret i8 1", PH_VERDICT_DIFFERENT, NULL);
  try_pair ("i8 @f(i8 %x) {\nentry:\n  %a = alloca {i16, i8}\n  %g = getelementptr inbounds {i16, i8}, ptr %a, i64 0, i32 1\n"
            "  call void @llvm.memset.p0.i64(ptr %a, i8 5, i64 4, i1 false)\n  store i8 %x, ptr %g\n"
            "  %h = getelementptr inbounds i8, ptr %a, i64 2\n  %r = load i8, ptr %h\n  ret i8 %r",
            "i8 @f(i8 %x) {\nentry:\n  ret i8 %x", PH_VERDICT_PROVED, NULL);
  try_pair (
      HEAD (
          "i32 %x") "  %a = alloca i32\n  %b = alloca i32\n  store i32 %x, ptr %a\n"
                    "  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 4, i1 false)\n  %r = load i32, ptr %b\n  ret i32 %r",
      HEAD ("i32 %x") "  ret i32 %x", PH_VERDICT_SAME, NULL);
  /* which slot a pointer leads to may depend on a number */
  try_pair (
      "i8 @f(i8 %x) {\nentry:\n  %a = alloca i8\n  %b = alloca i8\n  %c = icmp ult i8 %x, 9\n  store i8 1, ptr %a\n  store i8 2, ptr %b\n"
      "  %p = select i1 %c, ptr %a, ptr %b\n  store i8 %x, ptr %p\n  %r = load i8, ptr %a\n  ret i8 %r",
      "i8 @f(i8 %x) {\nentry:\n  %c = icmp ult i8 %x, 9\n  %r = select i1 %c, i8 %x, i8 1\n  ret i8 %r", PH_VERDICT_PROVED, NULL);
}

/* What depends on the target, or on what is not known, is not judged. */
static void
test_unknown (void)
{
  const char *plain = HEAD ("ptr %p") "  %r = load i32, ptr %p\n  ret i32 %r";

  /* the order of bytes: neither the same nor different */
  try_pair (
      plain,
      HEAD (
          "ptr %p") "  %a = load i16, ptr %p\n  %g = getelementptr i8, ptr %p, i64 2\n  %b = load i16, ptr %g\n"
                    "  %x = zext i16 %a to i32\n  %y = zext i16 %b to i32\n  %z = shl i32 %y, 16\n  %r = or i32 %x, %z\n  ret i32 %r",
      PH_VERDICT_NOTHING, NULL);
  /* how large a pointer is, how i64 is aligned, a type with a name */
  try_pair (HEAD ("ptr %p") "  %g = getelementptr ptr, ptr %p, i64 1\n  %r = load i32, ptr %g\n  ret i32 %r", plain,
            PH_VERDICT_NONE, "target");
  try_pair (HEAD ("ptr %p") "  %g = getelementptr {i32, i64}, ptr %p, i64 1\n  %r = load i32, ptr %g\n  ret i32 %r", plain,
            PH_VERDICT_NONE, "target");
  try_pair (HEAD ("ptr %p") "  %g = getelementptr %struct.S, ptr %p, i64 1\n  %r = load i32, ptr %g\n  ret i32 %r", plain,
            PH_VERDICT_NONE, NULL);
  /* what is read is said to be small, of which the second makes use */
  try_pair (HEAD ("ptr %p") "  %a = load i8, ptr %p, !range !0\n  %r = zext i8 %a to i32\n  ret i32 %r",
            HEAD ("ptr %p") "  %a = load i8, ptr %p\n  %b = and i8 %a, 1\n  %r = zext i8 %b to i32\n  ret i32 %r",
            PH_VERDICT_NONE, "promises");
  /* a copy of the caller's, which nobody sees any more */
  try_pair (VOID ("ptr byval(i32) align 4 %p") "  store i32 1, ptr %p\n  ret void",
            VOID ("ptr byval(i32) align 4 %p") "  ret void", PH_VERDICT_NONE, "parameter");
  /* more slots than there is room for */
  try_pair (
      "i8 @f(i8 %x) {\nentry:\n  br label %loop\nloop:\n  %i = phi i16 [ 0, %entry ], [ %j, %loop ]\n  %a = alloca [60000 x i8]\n"
      "  %j = add i16 %i, 1\n  %c = icmp ult i16 %j, 300\n  br i1 %c, label %loop, label %end\nend:\n  ret i8 %x",
      "i8 @f(i8 %x) {\nentry:\n  ret i8 %x", PH_VERDICT_NOTHING, NULL);
  /* the addresses of two objects */
  try_pair ("i1 @f(ptr %p, ptr %q) {\nentry:\n  %r = icmp ult ptr %p, %q\n  ret i1 %r",
            "i1 @f(ptr %p, ptr %q) {\nentry:\n  ret i1 true", PH_VERDICT_NOTHING, NULL);
  try_pair ("i1 @f(ptr %p) {\nentry:\n  %g = getelementptr inbounds i8, ptr %p, i64 1\n  %r = icmp ugt ptr %g, %p\n  ret i1 %r",
            "i1 @f(ptr %p) {\nentry:\n  ret i1 true", PH_VERDICT_SAME, NULL);
  try_pair ("i1 @f(ptr %p) {\nentry:\n  %g = getelementptr inbounds i8, ptr %p, i64 1\n  %r = icmp eq ptr %g, %p\n  ret i1 %r",
            "i1 @f(ptr %p) {\nentry:\n  ret i1 true", PH_VERDICT_DIFFERENT, NULL);
}

/* Loops over arrays: one that is moved out of the loop, and one that is made a memset. */
static void
test_loops (void)
{
#define LOOP(before, inside, after)                                                      \
  VOID ("ptr %p, ptr %q, i32 %n")                                                        \
  before "  %some = icmp sgt i32 %n, 0\n  br i1 %some, label %loop, label %end\nloop:\n" \
         "  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n" inside                          \
         "  %j = add nsw i32 %i, 1\n  %c = icmp slt i32 %j, %n\n  br i1 %c, label %loop, label %end\nend:\n" after "  ret void"
#define AT(name, of) "  %" name " = getelementptr inbounds i32, ptr %" of ", i32 %i\n"
  try_pair (LOOP ("", "  %k = load i32, ptr %q\n" AT ("g", "p") "  store i32 %k, ptr %g\n", ""),
            LOOP ("  %k = load i32, ptr %q\n", AT ("g", "p") "  store i32 %k, ptr %g\n", ""), PH_VERDICT_SAME, NULL);
  try_pair (LOOP ("", "  %k = load i32, ptr %p\n  %m = add i32 %k, 1\n" AT ("g", "p") "  store i32 %m, ptr %g\n", ""),
            LOOP ("  %k = load i32, ptr %p\n  %m = add i32 %k, 1\n", AT ("g", "p") "  store i32 %m, ptr %g\n", ""),
            PH_VERDICT_DIFFERENT, NULL);
  try_pair (
      LOOP ("", AT ("g", "p") "  store i32 0, ptr %g\n", ""),
      VOID (
          "ptr %p, ptr %q, i32 %n") "  %some = icmp sgt i32 %n, 0\n  %m = select i1 %some, i32 %n, i32 0\n  %w = zext i32 %m to i64\n"
                                    "  %b = shl i64 %w, 2\n  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %b, i1 false)\n  ret void",
      PH_VERDICT_SAME, NULL);
  try_pair (
      LOOP ("", AT ("g", "p") "  store i32 0, ptr %g\n", ""),
      VOID (
          "ptr %p, ptr %q, i32 %n") "  %some = icmp sgt i32 %n, 0\n  %m = select i1 %some, i32 %n, i32 0\n  %w = zext i32 %m to i64\n"
                                    "  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %w, i1 false)\n  ret void",
      PH_VERDICT_DIFFERENT, "behind %p");
#undef AT
#undef LOOP
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/llvm-memory/written", test_written);
  g_test_add_func ("/llvm-memory/read", test_read);
  g_test_add_func ("/llvm-memory/slots", test_slots);
  g_test_add_func ("/llvm-memory/unknown", test_unknown);
  g_test_add_func ("/llvm-memory/loops", test_loops);
  return g_test_run ();
}
