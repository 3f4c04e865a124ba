#!/bin/sh
# standby.sh PRIMARY NAME: copies the primary into an empty folder, and runs as a standby of it.
set -eu
primary=$1 name=$2
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  until pg_isready --quiet --host "$primary" --username "$POSTGRES_USER"; do sleep 1; done
  pg_basebackup --host "$primary" --username "$POSTGRES_USER" --pgdata "$PGDATA" --wal-method stream \
    --write-recovery-conf --create-slot --slot "$name"
fi
# The primary counts a standby by its name. A standby that was promoted ignores the line.
sed -i '/^primary_conninfo/d' "$PGDATA/postgresql.auto.conf"
echo "primary_conninfo = 'host=$primary user=$POSTGRES_USER password=$PGPASSWORD application_name=$name'" \
  >> "$PGDATA/postgresql.auto.conf"
exec postgres
