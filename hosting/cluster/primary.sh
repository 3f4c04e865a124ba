#!/bin/sh
# Runs once, in a new primary: standbys may connect, and a commit waits until one of the two has it on its disk.
set -eu
echo "host replication $POSTGRES_USER all scram-sha-256" >> "$PGDATA/pg_hba.conf"
# Not on the command line: nothing could be committed before the standbys are there.
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 <<'SQL'
ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby1, standby2)';
ALTER SYSTEM SET synchronous_commit = 'on';
SQL
