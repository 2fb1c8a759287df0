#!/bin/sh
# start.sh [TARGET] [FLAGS…] - (re)start lab-server, and leave it running
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh start.sh [api|products] [FLAGS…]
       example: sh start.sh --report-pool 4      (--help lists the flags of a target)'
# shellcheck source=kit.sh
. "$scripts/kit.sh"
refuse_docker

# How long a server may take until it is ready.
BOUND_SECONDS=60

target=api
case ${1:-} in
    '' | -*) ;;
    *)
        target=$1
        shift
        ;;
esac
port=$(port_of "$target")
server=$(server_binary)
for flag in "$@"; do
    case $flag in
        -h | --help) exec "$server" "$target" --help ;;
        --port | --port=*) misused "the other scripts must know the port too: set LAB_PORT instead" ;;
    esac
done

state=$(state_home)
stop_ours "$port" || :
if listens "$port"; then
    fail "$ENVIRONMENT" "port $port is taken by a program that start.sh did not start; it is left alone." \
        "Stop it yourself, or choose another port: LAB_PORT=8100 sh start.sh"
fi

place=$state/$port
mkdir -p "$place"
ready=$place/ready log=$place/log
rm -f "$ready"
mkfifo -m 600 "$ready"

# Detached: Ctrl-C and a closing terminal are meant for the script, not for the server.
detached() {
    if command -v setsid >/dev/null; then
        exec setsid "$@"
    fi
    exec nohup "$@"
}
detached "$server" "$target" --port "$port" "$@" </dev/null >"$ready" 2>"$log" &
pid=$!
printf '%s %s\n' "$pid" "$(start_time "$pid")" >"$place/pid"
printf '%s\n' "$target${*:+ $*}" >"$place/flags"

# Reading the pipe waits for the ready line or, when the server ends, for its end.
(
    sleep "$BOUND_SECONDS" &
    sleeper=$!
    trap 'kill "$sleeper"; wait "$sleeper"; exit' TERM
    wait "$sleeper"
    kill "$pid"
) </dev/null >/dev/null 2>&1 &
watchdog=$!
line=''
read -r line <"$ready" || :
kill "$watchdog" 2>/dev/null || :
wait "$watchdog" || :
rm -f "$ready"

if [ "$line" = "$target listening on :$port" ]; then
    printf '%s\n' "$line"
    exit
fi
code=0
wait "$pid" || code=$?
rm -f "$place/pid"
cat "$log" >&2
case $code in
    "$USAGE" | "$ENVIRONMENT") exit "$code" ;;
    143) fail "$ENVIRONMENT" "lab-server was not ready within $BOUND_SECONDS s, and was ended" ;;
    *) fail "$ENVIRONMENT" "lab-server ended (status $code) before it was ready${line:+: $line}" ;;
esac
