#!/bin/sh
# format.sh ROOT: every file in C is laid out as .clang-format says. `sh tests/format.sh ROOT --mend` lays out what is not.
set -eu
cd "$1"
command -v clang-format > /dev/null || { echo "clang-format is missing: make deps"; exit 77; }
if [ "${2:-}" = --mend ]; then find app core layout-helper passes tests views examples -name '*.[ch]' 2>/dev/null | xargs clang-format -i; exit; fi
find app core layout-helper passes tests views examples -name '*.[ch]' 2>/dev/null | xargs -P 2 -n 80 clang-format --dry-run -Werror
