#!/bin/sh
# lesson_l0.sh - types the command lines of the lesson on percentiles, knee and gate, in order, with
# short runs. Asserts exit codes and the shape of the output, never a figure that the machine sets.
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=../kit.sh
. "$scripts/kit.sh"

passed=0
failed=0
inconclusive=0
tmp=$(mktemp -d)
stranger='' port='' other=''

clean_up() {
    state=$(state_home)
    stop_ours "$port" || :
    stop_ours "$other" || :
    if [ -n "$stranger" ]; then
        kill "$stranger" 2>/dev/null || :
    fi
    rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# free_port FROM - the first port from there on that is free, and whose admin port is.
free_port() {
    candidate=$1
    while listens "$candidate" || listens $((candidate + 10000)); do
        candidate=$((candidate + 1))
    done
    printf '%s\n' "$candidate"
}

# typed COMMAND… - as typed in $folder; leaves the code in `code`, the streams in two files.
typed() {
    line=$*
    judged=true
    for _ in 1 2; do
        say "\$ sh $line"
        code=0
        (cd "$folder" && sh "$@") >"$tmp/stdout" 2>"$tmp/stderr" || code=$?
        [ "$code" = 3 ] || return 0
    done
    # A busy machine can spoil three seconds, even twice: such a run says nothing, good or bad, of the scripts.
    judged=false
    inconclusive=$((inconclusive + 1))
    say "INCONCLUSIVE: the driver could not keep its schedule, twice:"
    grep '^verdict' "$tmp/stdout" >&2 || :
}

# check WHAT COMMAND… - counts whether the command succeeds, unless nothing can be said.
check() {
    what=$1
    shift
    $judged || return 0
    if "$@" >/dev/null 2>&1; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    say "FAILED: $what" "  after: sh $line (exit code $code)"
    sed 's/^/  stdout: /' "$tmp/stdout" >&2
    sed 's/^/  stderr: /' "$tmp/stderr" >&2
}

ends_with() {
    check "the exit code is $1" [ "$code" = "$1" ]
}

shows() {
    check "stdout has a line like: $1" grep -Eq -- "$1" "$tmp/stdout"
}

tells() {
    check "stderr has a line like: $1" grep -Eq -- "$1" "$tmp/stderr"
}

is_ready() {
    ends_with 0
    check "stdout is the ready line" [ "$(cat "$tmp/stdout")" = "api listening on :$port" ]
}

wrote() {
    check "out/$1 is there" [ -s "$folder/out/$1" ]
}

# A verdict and its exit code agree, whichever way a short run goes.
verdict_agrees() {
    if grep -q '^FAIL: ' "$tmp/stdout"; then
        ends_with 1
    else
        shows '^PASS: '
        ends_with 0
    fi
}

HEADER='^run +endpoint +reqs +req/s +avg +p50 +p95 +p99 +max'

# reports_per_second RUN - from the table just printed.
reports_per_second() {
    awk -v run="$1" '$1 == run && $2 == "/report" { print $4; exit }' "$tmp/stdout"
}

# ramp_rows USERS… - the table has its header, and both endpoints of every level.
ramp_rows() {
    ends_with 0
    shows "$HEADER"
    for users in "$@"; do
        shows "^u$users +/items +[0-9]"
        shows "^u$users +/report +[0-9]"
        wrote "locustfile-u${users}_stats.csv"
    done
}

between() {
    awk -v value="$1" -v low="$2" -v high="$3" \
        'BEGIN { exit !(value != "" && value + 0 >= low && value + 0 <= high) }'
}

# --- An offline bundle in a folder with a blank in its name ---------------------------------------

server=$(server_binary)
driver=$(driver_binary)
folder="$tmp/lab kit"
mkdir -p "$folder/bin" "$tmp/else where" "$tmp/run time"
cp "$scripts"/*.sh "$folder"
ln -s "$(CDPATH='' cd -- "$(dirname -- "$server")" && pwd)/lab-server" "$folder/bin/lab-server"
ln -s "$(CDPATH='' cd -- "$(dirname -- "$driver")" && pwd)/lab-driver" "$folder/bin/lab-driver"
unset LAB_SERVER_BIN LAB_DRIVER_BIN LAB_DOCKER LAB_SECONDS
# The state of the person who runs this test is theirs.
XDG_RUNTIME_DIR="$tmp/run time"
port=$(free_port "${LAB_PORT:-8000}")
other=$(free_port $((port + 1)))
LAB_PORT=$port
export XDG_RUNTIME_DIR LAB_PORT

# --- The lesson -----------------------------------------------------------------------------------

typed start.sh
is_ready

typed load.sh 1 3
ends_with 0
wrote locustfile-u1_stats.csv
wrote locustfile-u1.json

typed load.sh 10 3
ends_with 0
typed summary.sh out/locustfile-u10_stats.csv
ends_with 0
shows "$HEADER"
for endpoint in /items /report Aggregated; do
    shows "^u10 +$endpoint +[0-9]"
done

export LAB_SECONDS=3
typed ramp.sh 10 20 40 60 80
ramp_rows 10 20 40 60 80
check "two permits serve at most 20 reports a second" between "$(reports_per_second u80)" 15 22

typed load.sh 10 3 locustfile_nowait.py
ends_with 0
typed summary.sh out/locustfile-u10_stats.csv out/locustfile_nowait-u10_stats.csv
ends_with 0
shows '^u10 +/report +[0-9]'
shows '^nowait-u10 +/report +[0-9]'

# The lesson hides stderr here: what it shows afterwards must be on stdout.
typed load.sh 20 3 locustfile_gate.py
verdict_agrees
typed load.sh 60 3 locustfile_gate.py
shows '^FAIL: p95 .*300 ms'
ends_with 1

# Practice 1 to 3.
typed start.sh --report-pool 4
is_ready
typed ramp.sh 40 60 80
ramp_rows 40 60 80
check "four permits serve more than two could" between "$(reports_per_second u80)" 25 44

typed start.sh
is_ready
typed load.sh 80 3 locustfile_slow.py
ends_with 1
typed load.sh 20 3 locustfile_budgets.py
shows '^(PASS|FAIL): /items p95 .* \(budget 100 ms\)'
shows '^(PASS|FAIL): /report p95 .* \(budget 150 ms\)'
shows '^for comparison, the total p95 is '
verdict_agrees

typed machine.sh
ends_with 0
shows .

# --- Servers: only our own, from any folder ----------------------------------------------------------

folder="$tmp/else where"
typed "../lab kit/stop.sh"
ends_with 0
check "the port is free again" [ "$(free_port "$port")" = "$port" ]
typed "../lab kit/stop.sh" "$port"
ends_with 0
tells 'nothing to stop'

typed "$tmp/lab kit/load.sh" 2 1
ends_with 0
tells 'left running'
wrote locustfile-u2_stats.csv
typed "$tmp/lab kit/stop.sh"
ends_with 0
tells '^stopped'

mkfifo "$tmp/ready"
"$server" api --port "$other" >"$tmp/ready" 2>/dev/null &
stranger=$!
read -r line <"$tmp/ready"
typed "$tmp/lab kit/start.sh"
is_ready
LAB_PORT=$other
typed "$tmp/lab kit/start.sh"
ends_with 4
tells "port $other is taken"
typed "$tmp/lab kit/stop.sh" "$other"
ends_with 4
tells 'left alone'
check "the stranger still runs" kill -0 "$stranger"
check "so does our own" listens "$port"
LAB_PORT=$port

# --- Another target, on the same port, with flags of its own and of all ----------------------------

typed "$tmp/lab kit/start.sh" products --slots 16 --freeze 2s/10s
ends_with 0
shows "^products listening on :$port\$"
typed "$tmp/lab kit/stop.sh"
ends_with 0
typed "$tmp/lab kit/start.sh" products --freeze 10s/2s --slots 0
ends_with 2
tells '--freeze 10s/2s: .* as 2s/10s'
tells '--slots 0: '

# --- Mistakes -------------------------------------------------------------------------------------

for mistake in "load.sh" "load.sh 20" "load.sh many 30" "load.sh 20 0" "ramp.sh" "ramp.sh 10 x" \
    "summary.sh" "machine.sh now" "start.sh nothing" "start.sh --port 9" "stop.sh 70000"; do
    # shellcheck disable=SC2086 # the words of a command line
    set -- $mistake
    script=$1
    shift
    typed "$tmp/lab kit/$script" "$@"
    ends_with 2
    tells "^usage: sh $script"
done
export LAB_DOCKER=1
typed "$tmp/lab kit/start.sh"
ends_with 2
tells 'not in this version yet'

say "lesson L0: $passed checks passed, $failed failed; $inconclusive commands inconclusive"
[ "$failed" = 0 ] || exit 1
# As for lab-driver: 3 is "not judged".
[ "$inconclusive" = 0 ] || exit 3
