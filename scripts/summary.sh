#!/bin/sh
# summary.sh FILE… - one line per endpoint from result files: ours, or Locust's *_stats.csv
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh summary.sh FILE…
       example: sh summary.sh out/locustfile-u10_stats.csv'
# shellcheck source=kit.sh
. "$scripts/kit.sh"

[ $# -ge 1 ] || misused "at least one file is needed"
driver=$(driver_binary)
exec "$driver" summary "$@"
