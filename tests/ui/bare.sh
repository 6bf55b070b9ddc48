#!/bin/bash
# bare.sh: the window's program where there is next to nothing: no fonts; no session bus.
# bare.sh PEEPHOLE
# SPDX-License-Identifier: GPL-3.0-or-later
program=$1
[ -n "$DISPLAY" ] || { echo "there is no display: run this below xvfb-run"; exit 77; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config XDG_CACHE_HOME=$home/cache ASAN_OPTIONS=detect_leaks=0

# Without fonts it says so at once, instead of showing nothing.
echo "<fontconfig><cachedir>$home/fonts</cachedir></fontconfig>" >"$home/fonts.conf"
said=$(FONTCONFIG_FILE=$home/fonts.conf timeout 30 "$program" 2>&1)
status=$?
[ $status -eq 1 ] && grep -q 'no fonts' <<<"$said" || { echo "Without fonts it ended with $status and said: $said"; exit 1; }

# Without a bus it has nothing to say. It runs until it is ended.
env -u DBUS_SESSION_BUS_ADDRESS -u DBUS_STARTER_ADDRESS XDG_RUNTIME_DIR="$home/none" PATH="$home/none" "$program" 2>"$home/said" &
pid=$!
for ((i = 0; i < 300; i++)); do
  [ -e "$home/state/peephole/session.ini.lock" ] && break
  sleep 0.1
done
sleep 2
kill -KILL $pid
wait $pid 2>/dev/null
! grep -i ' bus' "$home/said" || exit 1
[ -e "$home/state/peephole/session.ini.lock" ] || { echo "Without a bus there is no window:"; cat "$home/said"; exit 1; }
