#!/bin/sh
# test.sh [--install-deps] - every check of the project; names what it skips; the last line counts
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh test.sh [--install-deps]      (the flag, as root on Debian, installs what is missing)'
# shellcheck source=kit.sh
. "$scripts/kit.sh"

case "$#${1:-}" in
    0) install=false ;;
    1--install-deps) install=true ;;
    *) misused "'$*' means nothing here" ;;
esac
cd "${scripts%/*}"
PATH=$PATH:${CARGO_HOME:-${HOME:-}/.cargo}/bin

passed=0
failed=0
skipped=0
notes=''

# step NAME COMMAND… - runs it, and goes on whatever comes of it.
step() {
    name=$1
    shift
    printf '\n== %s\n' "$name"
    begin=$(date +%s)
    code=0
    "$@" || code=$?
    case $code:$name in
        0:*)
            passed=$((passed + 1))
            outcome=passed
            ;;
        # As for lab-driver: the machine was too busy to judge. Named, and no failure.
        3:lesson*)
            outcome=inconclusive
            skip "$name" "inconclusive: this machine was too busy for the driver to keep its schedule"
            ;;
        *)
            failed=$((failed + 1))
            outcome=FAILED
            note "failed:  $name"
            ;;
    esac
    printf -- '-- %s: %s, %s s\n' "$name" "$outcome" "$(($(date +%s) - begin))"
}

skip() {
    skipped=$((skipped + 1))
    note "skipped: $1 ($2)"
}

note() {
    notes="$notes$1
"
}

# step_with TOOL NAME COMMAND… - the step, where its tool is there.
step_with() {
    tool=$1
    shift
    if $tool --version >/dev/null 2>&1; then
        step "$@"
    else
        skip "$1" "no $tool"
    fi
}

# --- What the checks need -------------------------------------------------------------------------

debian_packages() {
    set --
    command -v cc >/dev/null || set -- "$@" gcc libc6-dev
    command -v git >/dev/null || set -- "$@" git ca-certificates
    command -v shellcheck >/dev/null || set -- "$@" shellcheck
    [ $# -gt 0 ] || return 0
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

rust_tools() {
    if ! cargo fmt --version || ! cargo clippy --version; then
        rustup component add rustfmt clippy
    fi
}

# Built from source, a few minutes on two cores; kept among cargo's programs for the next time.
cargo_deny() {
    cargo deny --version >/dev/null 2>&1 || cargo install cargo-deny --locked
}

# What cannot be installed shows below, as a step that fails or is skipped.
if $install; then
    debian_packages || say "apt-get could not install the packages above"
fi
command -v cargo >/dev/null ||
    fail "$ENVIRONMENT" "cargo is missing: install Rust from https://rustup.rs"
if $install; then
    rust_tools || say "rustfmt and clippy could not be installed"
    cargo_deny || say "cargo-deny could not be installed"
fi

# --- The checks -----------------------------------------------------------------------------------

documentation() {
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked
}

# The contract between the two is HTTP; a test may start the one for the other.
members_apart() {
    for pair in lab-driver:lab-server lab-server:lab-driver; do
        if cargo tree --locked -e normal -p "${pair%:*}" | grep "${pair#*:} v"; then
            say "${pair%:*} must not depend on ${pair#*:}"
            return 1
        fi
    done
}

# Crates for other systems are looked at too, and no build here has fetched those.
dependencies() {
    cargo fetch --locked || say "not all crates could be fetched"
    cargo deny --offline check bans licenses sources
}

lab() {
    "$(built lab-driver)" lab "$@"
}

step_with "cargo fmt" "format" cargo fmt --all --check
step_with "cargo clippy" "clippy" \
    cargo clippy --workspace --all-targets --locked -- -D warnings
step "unit, integration and documentation tests" cargo test --workspace --locked
step "documentation" documentation
step "no dependency between the members" members_apart
step_with shellcheck "shellcheck" shellcheck scripts/*.sh scripts/tests/*.sh .ci/run
step_with "cargo deny" "bans, licenses, sources" dependencies
if ! cargo deny --version >/dev/null 2>&1; then
    skip "advisories" "no cargo deny"
elif cargo deny fetch db >/dev/null 2>&1; then
    step "advisories" cargo deny check --disable-fetch advisories
else
    skip "advisories" "the advisory database cannot be reached"
fi
step "release build" cargo build --release --locked -p lab-server -p lab-driver
# A fixed first part of the seeds, held against the counts that are kept beside the labs.
step "labs: texts and claims over seeds" lab lint
step "labs: every claim in virtual time" lab check --all --virtual
step "lesson L0, as typed" sh scripts/tests/lesson_l0.sh

printf '\n%s%s passed, %s failed, %s skipped\n' "$notes" "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
