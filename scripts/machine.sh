#!/bin/sh
# machine.sh - the machine in one line, to stand beside every number measured on it
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh machine.sh'
# shellcheck source=kit.sh
. "$scripts/kit.sh"

[ $# -eq 0 ] || misused "no arguments are taken"
driver=$(driver_binary)
exec "$driver" machine
