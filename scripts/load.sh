#!/bin/sh
# load.sh USERS SECONDS [SCENARIO] - one run against the api target; results go to ./out
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh load.sh USERS SECONDS [SCENARIO]
       example: sh load.sh 20 30 locustfile_gate.py'
# shellcheck source=kit.sh
. "$scripts/kit.sh"
refuse_docker

[ $# -eq 2 ] || [ $# -eq 3 ] || misused "a number of users and of seconds is needed"
need_number USERS "$1"
need_number SECONDS "$2"
port=$(port_of api)
driver=$(driver_binary)
need_api "$port"
# All users start at once, as in the lesson. The table goes to stderr, so that `2>/dev/null` leaves the verdict.
exec "$driver" run -f "${3:-locustfile}" -u "$1" -t "${2}s" \
    --host "http://127.0.0.1:$port" --out out --table stderr
