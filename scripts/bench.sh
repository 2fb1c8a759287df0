#!/bin/sh
# bench.sh [ROW…] - the rows P1, P2, P4 and P7 of PERFORMANCE.md, each beside its peer and its bar.
# Only ratios taken in one run count; a row whose tools are missing is named and left out.
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
usage='usage: sh bench.sh [P1|P2|P4|P7]…      (default: all four)'
# shellcheck source=kit.sh
. "$scripts/kit.sh"

[ $# -gt 0 ] || set -- P1 P2 P4 P7
seconds=0
for row in "$@"; do
    case $row in
        P1) seconds=$((seconds + 45)) ;;
        P2) seconds=$((seconds + 155)) ;;
        P4) seconds=$((seconds + 15)) ;;
        P7) seconds=$((seconds + 50)) ;;
        *) misused "there is no row '$row'" ;;
    esac
done
cd "${scripts%/*}"
ROUNDS=5

# nginx lies there on Debian.
PATH=$PATH:/usr/sbin:/sbin

tmp=$(mktemp -d)
record=$tmp/record.json
nginx=''
clean_up() {
    if [ -n "$nginx" ]; then
        kill "$nginx" 2>/dev/null || :
    fi
    rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# --- Numbers --------------------------------------------------------------------------------------

# median_of FILE - "median min max" of the numbers in it, one a line.
median_of() {
    sort -n "$1" | awk '
        { value[NR] = $1 }
        END { print value[int((NR + 1) / 2)], value[1], value[NR] }'
}

# judged VALUE BAR - whether a value is within its bar.
judged() {
    awk -v value="$1" -v bar="$2" 'BEGIN { print (value <= bar) ? "met" : "NOT MET" }'
}

# from_json FILE OBJECT FIELD - a number of a flat object in a record of lab-driver.
from_json() {
    printf '%s\n' "$(tr -d ' \n' <"$1" | sed -n "s/.*\"$2\":{[^}]*\"$3\":\([0-9.eE+-]*\).*/\1/p")"
}

# cpu_seconds COMMAND… - user and system time of the command and what it starts; its own output goes
# to $tmp/output. The function runs in a subshell of its own: `times` there knows no other children.
cpu_seconds() {
    (
        "$@" >"$tmp/output"
        times
    ) | awk '
        # The second line tells of the children, as 1m2.34s 0m5.67s.
        NR == 2 {
            for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] }
            print sum
        }'
}

# --- The peer's server: one nginx worker on core 0 ------------------------------------------------

start_nginx() {
    nginx_port=18080
    while listens "$nginx_port"; do
        nginx_port=$((nginx_port + 1))
    done
    cat >"$tmp/nginx.conf" <<CONF
daemon off;
master_process off;
worker_processes 1;
pid $tmp/nginx.pid;
error_log $tmp/nginx.log;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path $tmp/body;
    proxy_temp_path $tmp/proxy;
    fastcgi_temp_path $tmp/fastcgi;
    uwsgi_temp_path $tmp/uwsgi;
    scgi_temp_path $tmp/scgi;
    server {
        listen 127.0.0.1:$nginx_port backlog=4096;
        location / { return 200 "ok"; }
    }
}
CONF
    taskset -c 0 nginx -e "$tmp/nginx.log" -c "$tmp/nginx.conf" &
    nginx=$!
    url=http://127.0.0.1:$nginx_port/
    checks=0
    until listens "$nginx_port"; do
        checks=$((checks + 1))
        if [ "$checks" = 100 ] || ! kill -0 "$nginx"; then
            cat "$tmp/nginx.log" >&2
            fail "$ENVIRONMENT" "nginx does not start"
        fi
        sleep 0.05
    done
}

# missing TOOL… - names those that are not here.
missing() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null || printf '%s ' "$tool"
    done
    if [ "$(getconf _NPROCESSORS_ONLN)" -lt 2 ]; then
        printf 'a-second-core '
    fi
}

# --- The rows -------------------------------------------------------------------------------------

# drive ARGUMENTS… - one run of lab-driver on core 1; its record goes to $record.
drive() {
    rm -f "$record"
    # A run that it calls invalid has a record all the same.
    taskset -c 1 "$driver" run "$url" "$@" --threads 1 --json "$record" --table none \
        >"$tmp/driver.log" 2>&1 || :
    if [ ! -s "$record" ]; then
        cat "$tmp/driver.log" >&2
        fail "$ENVIRONMENT" "lab-driver left no record"
    fi
}

# One round of P1: CPU µs per completed request of each, and their ratio, each to a file of its own.
round_of_p1() {
    cpu=$(cpu_seconds drive -u 50 -t 4s)
    [ -s "$record" ] || exit "$ENVIRONMENT"
    by_driver=$(from_json "$record" totals completed | awk -v cpu="$cpu" '{ print cpu * 1e6 / $1 }')
    cpu=$(cpu_seconds taskset -c 1 wrk -t1 -c50 -d4s "$url")
    by_wrk=$(awk -v cpu="$cpu" '/ requests in / { print cpu * 1e6 / $1 }' "$tmp/output")
    echo "$by_driver" >>"$tmp/p1.driver"
    echo "$by_wrk" >>"$tmp/p1.wrk"
    awk -v driver="$by_driver" -v wrk="$by_wrk" 'BEGIN { print driver / wrk }' >>"$tmp/p1.ratio"
}

p1() {
    for _ in $(seq "$ROUNDS"); do
        round_of_p1
    done
    echo "P1  CPU per request, closed loop, 50 keep-alive connections against nginx"
    for tool in driver wrk; do
        median_of "$tmp/p1.$tool" | awk -v tool="$tool" \
            '{ printf "      %-8s %6.2f µs per request   (%.2f–%.2f)\n", tool, $1, $2, $3 }'
    done
    ratio=$({ median_of "$tmp/p1.driver"; median_of "$tmp/p1.wrk"; } |
        awk '{ median[NR] = $1 } END { printf "%.3f", median[1] / median[2] }')
    median_of "$tmp/p1.ratio" | awk -v ratio="$ratio" -v verdict="$(judged "$ratio" 1.00)" \
        '{ printf "      ÷ wrk    %6.3f   (single rounds %.3f–%.3f)   bar ≤ 1.00: %s\n", ratio, $2, $3, verdict }'
    echo "      first slice ≤ 1.15: $(judged "$ratio" 1.15); goal ≤ 0.90: $(judged "$ratio" 0.90)"
}

p2() {
    echo "P2  dispatch lag of an open loop against nginx, no spinning; medians of $ROUNDS runs of 10 s"
    for rate in 317 997 4999; do
        rm -f "$tmp"/p2.*
        for _ in $(seq "$ROUNDS"); do
            drive --rate "$rate" -t 10s
            for field in lag_p50_us lag_p99_us cpu_share; do
                from_json "$record" generator "$field" >>"$tmp/p2.$field"
            done
        done
        lag_row "$rate"
    done
}

# lag_row RATE - the medians of P2's fields beside their bars.
lag_row() {
    for bound in lag_p50_us:100 lag_p99_us:250 cpu_share:0.30; do
        field=${bound%:*}
        # shellcheck disable=SC2046 # three numbers
        set -- "$1" $(median_of "$tmp/p2.$field")
        printf '      %5s/s  %-10s %7.7s   (%s–%s)   bar ≤ %s: %s\n' \
            "$1" "$field" "$2" "$3" "$4" "${bound#*:}" "$(judged "$2" "${bound#*:}")"
    done
}

ten_virtual_ramps() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        "$driver" ramp 10 20 40 60 80 --virtual 2>/dev/null
    done
}

p4() {
    echo "P4  simulator: million requests per second of one core (bar ≥ 5), and the ramp of lesson L0"
    cargo run --release --locked --quiet -p lab-driver --example sim_speed >"$tmp/p4"
    # Rows end in the speed; the heading and the line on theory do not.
    awk 'NR > 1 && $NF ~ /^[0-9.]+$/ { verdict = ($NF >= 5) ? "met" : "NOT MET" }
         { print "      " $0 "   " verdict; verdict = "" }' "$tmp/p4"
    ramp=$(cpu_seconds ten_virtual_ramps | awk '{ printf "%.0f", $1 * 100 }')
    echo "      ramp 10 20 40 60 80 --virtual, CPU of the whole command: $ramp ms   bar ≤ 50: $(judged "$ramp" 50)"
}

p7() {
    echo "P7  lab-server's sleeps, µs longer than asked (bar p50 ≤ 300, p99 ≤ 1000)"
    cargo run --release --locked --quiet -p lab-server --example sleep_precision >"$tmp/p7"
    awk 'NR == 1 { print "      " $0; next }
         { verdict = ($3 <= 300 && $4 <= 1000) ? "met" : "NOT MET"; print "      " $0 "   " verdict }' "$tmp/p7"
}

# with_nginx ROW TOOL… - runs the row where its tools are here.
with_nginx() {
    row=$1
    shift
    lacks=$(missing "$@")
    if [ -n "$lacks" ]; then
        echo "$row  left out: missing ${lacks}(Debian: apt-get install wrk nginx-light util-linux)"
        return
    fi
    [ -n "$nginx" ] || start_nginx
    case $row in
        P1) p1 ;;
        P2) p2 ;;
    esac
}

driver=$(driver_binary)
echo "about $seconds s, and the builds; begun at $(date +%H:%M:%S)"
"$driver" machine || :
for row in "$@"; do
    case $row in
        P1) with_nginx P1 nginx wrk taskset ;;
        P2) with_nginx P2 nginx taskset ;;
        P4) p4 ;;
        P7) p7 ;;
    esac
done
