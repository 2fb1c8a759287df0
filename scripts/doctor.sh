#!/bin/sh
# doctor.sh - before a workshop: is this machine, as it is now, good enough for the labs?
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh doctor.sh'
# shellcheck source=kit.sh
. "$scripts/kit.sh"

[ $# -eq 0 ] || misused "no arguments are taken"
driver=$(driver_binary)
exec "$driver" doctor
