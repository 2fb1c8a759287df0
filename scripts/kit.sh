# kit.sh - what the scripts share: messages, the binaries, and the servers that start.sh started.
# Sourced, never run; the caller sets `scripts` (the folder of this file) and `usage` first.
# shellcheck shell=sh
set -eu

: "${scripts:?is set by the script that sources kit.sh}"
usage=${usage:-}

# Exit codes, the same as those of lab-driver.
USAGE=2
ENVIRONMENT=4

say() {
    printf '%s\n' "$*" >&2
}

# fail CODE LINE… - say the lines, and end.
fail() {
    code=$1
    shift
    printf '%s\n' "$@" >&2
    exit "$code"
}

misused() {
    fail "$USAGE" "$@" "$usage"
}

whole_number() {
    case $1 in
        '' | 0* | *[!0-9]*) return 1 ;;
    esac
    [ "${#1}" -le 9 ]
}

# need_number WHAT VALUE
need_number() {
    whole_number "$2" || misused "$1 must be a whole number of 1 or more, not '$2'"
}

refuse_docker() {
    case ${LAB_DOCKER:-0} in
        '' | 0) ;;
        *) fail "$USAGE" "LAB_DOCKER: Docker is not in this version yet; unset it to run here" ;;
    esac
}

# --- The binaries -------------------------------------------------------------------------------

# binary NAME GIVEN - the path of a binary: as given, from the offline bundle, or built here.
binary() {
    if [ -n "$2" ]; then
        if [ ! -f "$2" ] || [ ! -x "$2" ]; then
            fail "$USAGE" "'$2' is not a program: correct LAB_SERVER_BIN or LAB_DRIVER_BIN," \
                "or unset it to have $1 built"
        fi
        printf '%s\n' "$2"
    elif [ -x "$scripts/bin/$1" ]; then
        printf '%s\n' "$scripts/bin/$1"
    else
        built "$1"
    fi
}

server_binary() {
    binary lab-server "${LAB_SERVER_BIN:-}"
}

driver_binary() {
    binary lab-driver "${LAB_DRIVER_BIN:-}"
}

# built NAME - the path of a binary that cargo built, fresh; in silence unless there is work to do.
built() {
    root=${scripts%/*}
    path=${CARGO_TARGET_DIR:-target}/release/$1
    # A relative one is relative to the root, where cargo runs.
    case $path in
        /*) ;;
        *) path=$root/$path ;;
    esac
    PATH=$PATH:${CARGO_HOME:-${HOME:-}/.cargo}/bin
    if ! command -v cargo >/dev/null; then
        [ -x "$path" ] || fail "$ENVIRONMENT" \
            "$1 is not built yet, and cargo, which builds it, is not installed." \
            "Install Rust from https://rustup.rs and type the command again."
    elif [ ! -x "$path" ]; then
        say "building lab-server and lab-driver: once, some minutes"
        cargo_build "$root"
    elif [ -n "$(find "$root/$1/src" "$root/labs" "$root/Cargo.lock" -newer "$path")" ]; then
        cargo_build "$root"
    else
        cargo_build "$root" --quiet
    fi
    [ -x "$path" ] || fail "$ENVIRONMENT" "the build left no $path; unset CARGO_BUILD_TARGET"
    printf '%s\n' "$path"
}

cargo_build() {
    # From the root, so that rust-toolchain.toml counts.
    (cd "$1" && shift && cargo build --release --locked -p lab-server -p lab-driver "$@") >&2 && return
    say "the build failed, for the reason above; after mending it, type the command again."
    command -v cc >/dev/null || say "a C linker is missing: apt-get install gcc, or your system's"
    fail "$ENVIRONMENT" "the first build also needs the network, to fetch the crates in Cargo.lock."
}

# --- Ports and processes ------------------------------------------------------------------------

# The port of a target, unless LAB_PORT is set.
port_of() {
    case $1 in
        api) port=8000 ;;
        products) port=8080 ;;
        *) misused "no target is named '$1'" ;;
    esac
    checked_port "${LAB_PORT:-$port}"
}

checked_port() {
    if ! whole_number "$1" || [ "$1" -gt 65535 ]; then
        misused "'$1' is not a port from 1 to 65535"
    fi
    printf '%s\n' "$1"
}

# Whether anything listens on a port; asks the system, because a connection would be counted.
listens() {
    if [ -r /proc/net/tcp ]; then
        cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
            awk -v port="$(printf ':%04X' "$1")" '
                $4 == "0A" && substr($2, length($2) - 4) == port { found = 1 }
                END { exit !found }'
    else
        nc -z 127.0.0.1 "$1" >/dev/null 2>&1
    fi
}

# When a process started, in whatever form the system has it; nothing once it has ended. A number
# may come back as another process, a number with its start time cannot.
start_time() {
    if [ -r /proc/self/stat ]; then
        # The name, in brackets, may itself hold blanks and brackets. Z and X have ended.
        sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 !~ /[ZX]/ { print $20 }'
    else
        ps -o stat= -o lstart= -p "$1" | awk '$1 !~ /^Z/ { $1 = ""; print }'
    fi
}

# --- The servers that start.sh started ----------------------------------------------------------

# The folder that remembers them, for whoever sets `state`: this user's alone, or a stranger could name us a process to stop.
state_home() {
    home=${XDG_RUNTIME_DIR:-/tmp}
    [ -d "$home" ] || home=/tmp
    home=$home/loadlab-$(id -u)
    mkdir -m 700 "$home" 2>/dev/null || :
    # shellcheck disable=SC2012 # `ls` is the portable way to owner and mode; the name is ours.
    owner_and_mode=$(ls -ldn "$home" 2>/dev/null | awk '{ print $3, substr($1, 1, 10) }')
    [ "$owner_and_mode" = "$(id -u) drwx------" ] || fail "$ENVIRONMENT" \
        "$home must be a folder of yours that nobody else may read; remove it," \
        "or set XDG_RUNTIME_DIR to a folder of your own"
    printf '%s\n' "$home"
}

# ours PORT - whether the server that start.sh started there still runs; sets `pid`.
ours() {
    pid='' started=''
    [ -f "$state/$1/pid" ] || return 1
    # "PID START-TIME"; without either, nothing is ours.
    read -r pid started <"$state/$1/pid" || return 1
    whole_number "$pid" && [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ]
}

# stop_ours PORT - ends the server that start.sh started there, and waits until it has ended.
stop_ours() {
    ours "$1" || return 1
    tenths=0
    while ours "$1"; do
        # It finishes what is in flight; a second signal cuts that short, the last ends it anyhow.
        case $tenths in
            0 | 70) kill "$pid" 2>/dev/null || : ;;
            100) kill -KILL "$pid" 2>/dev/null || : ;;
            150) fail "$ENVIRONMENT" "process $pid on :$1 does not end" ;;
        esac
        tenths=$((tenths + 1))
        sleep 0.1
    done
    rm -f "$state/$1/pid"
}

# need_api PORT - starts the api target unless something answers there already.
need_api() {
    state=$(state_home)
    if ours "$1"; then
        return
    fi
    if listens "$1"; then
        say "using what listens on :$1 (start.sh did not start it)"
        return
    fi
    LAB_PORT=$1 sh "$scripts/start.sh" api >&2
    say "(started for this run, and left running: 'sh stop.sh $1' ends it)"
}
