#!/bin/sh
# Runs the image that is mounted at $1 with its data in $2, as a container does: user 10001, process 1, a root that is
# read-only, no capabilities, no new privileges. Asks for its health, and stops it. With DATABASE_URL and SUTLER_SECRET it
# runs on that PostgreSQL.
set -eu
root=$1 data=$2 log=$2.log
install -d -o 10001 -g 0 -m 770 "$data"
export PORT="${PORT:-18999}"
inside='
  mount --make-rprivate /
  mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"
  mount -t proc proc "$1/proc"
  mount -t tmpfs -o size=64m,mode=1777 tmpfs "$1/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$1/dev"
  for device in null zero random urandom; do touch "$1/dev/$device"; mount --bind "/dev/$device" "$1/dev/$device"; done
  mkdir "$1/dev/shm" && mount -t tmpfs -o size=64m,mode=1777 tmpfs "$1/dev/shm"
  mount --bind "$2" "$1/data"
  exec chroot "$1" setpriv --reuid 10001 --regid 0 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
    -- env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production HOME=/data SUTLER_DATA_DIR=/data HOST=127.0.0.1 \
    PORT="$PORT" DATABASE_URL="${DATABASE_URL:-}" SUTLER_SECRET="${SUTLER_SECRET:-}" sutler start'
unshare --mount --pid --fork --ipc --uts --kill-child sh -c "$inside" sh "$root" "$data" >"$log" 2>&1 &
outer=$!
began=$(date +%s%N)
until grep -q 'ready at' "$log"; do
  kill -0 "$outer" 2>/dev/null || { cat "$log"; exit 1; }
  sleep 0.1
done
ready=$(( ($(date +%s%N) - began) / 1000000 ))
server=$(pgrep --parent "$outer" | head -n 1)
within() { nsenter --target "$server" --all --root="/proc/$server/root" --setuid 10001 --setgid 0 -- "$@"; }
within env PATH=/usr/local/bin:/usr/bin SUTLER_DATA_DIR=/data HOST=127.0.0.1 PORT="$PORT" sutler health >/dev/null
if within touch /opt/sutler/file 2>/dev/null; then echo 'the root can be written to'; exit 1; fi
grep -q '^CapBnd:[[:space:]]*0*$' "/proc/$server/status"
began=$(date +%s%N)
kill -TERM "$server"
wait "$outer"
echo "ready after $ready ms as 10001 with a read-only root, healthy, stopped after $(( ($(date +%s%N) - began) / 1000000 )) ms"
