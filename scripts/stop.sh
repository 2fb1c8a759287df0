#!/bin/sh
# stop.sh [PORT] - stop the server that start.sh started, and nothing else
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh stop.sh [PORT]      (default: LAB_PORT, or 8000)'
# shellcheck source=kit.sh
. "$scripts/kit.sh"

[ $# -le 1 ] || misused "one port at most"
port=$(checked_port "${1:-${LAB_PORT:-8000}}")
state=$(state_home)
if stop_ours "$port"; then
    say "stopped :$port"
elif listens "$port"; then
    fail "$ENVIRONMENT" "what listens on :$port was not started by start.sh; it is left alone"
else
    say "nothing to stop on :$port"
fi
for place in "$state"/*/; do
    other=$(basename "$place")
    if ours "$other"; then
        say "still running on :$other: $(cat "$place/flags") ('sh stop.sh $other' ends it)"
    fi
done
