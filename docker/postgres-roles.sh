#!/bin/sh
# Runs once, when the database is made: the role that the servers use, which owns nothing.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$APP_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE arbora_app LOGIN PASSWORD :'password';
SQL
