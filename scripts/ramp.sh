#!/bin/sh
# ramp.sh USERS… - one 30-second run for each number of users, then one table; results go to ./out
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh ramp.sh USERS…
       example: sh ramp.sh 10 20 40 60 80      (LAB_SECONDS=5 makes each run shorter)'
# shellcheck source=kit.sh
. "$scripts/kit.sh"
refuse_docker

[ $# -ge 1 ] || misused "at least one number of users is needed"
for users in "$@"; do
    need_number USERS "$users"
done
need_number LAB_SECONDS "${LAB_SECONDS:-30}"
port=$(port_of api)
driver=$(driver_binary)
need_api "$port"
exec "$driver" ramp "$@" -f locustfile -t "${LAB_SECONDS:-30}s" \
    --host "http://127.0.0.1:$port" --out out
