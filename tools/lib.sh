# Shared by the tools: how they talk and where things are. Sourced by bash, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# What the tools remember between runs (stamps); never part of a commit.
stamps="$root/target/stamps"

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }

# One clear sentence and a non-zero exit.
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# A checksum of the named files and folders, by path and content, so that a touched but equal file changes nothing.
digest() {
  find "$@" -type f ! -path '*/node_modules/*' ! -path '*/dist/*' -print0 2>/dev/null |
    LC_ALL=C sort -z | xargs -0 cksum 2>/dev/null | cksum | cut -d' ' -f1
}

# fresh NAME DIGEST: true when the work called NAME was last done for exactly this digest.
fresh() { [ -f "$stamps/$1" ] && [ "$(cat "$stamps/$1")" = "$2" ]; }

# done_for NAME DIGEST: remembers that it was.
done_for() {
  mkdir -p "$stamps"
  printf '%s' "$2" >"$stamps/$1"
}

# From here on cargo compiles our own crates with clippy, which compiles as rustc does and lints beside it: one build for both, the
# dependencies once. `cargo clippy` does the same (these are its variables), but it only checks, so a build would have to follow.
lint_while_building() {
  export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS="-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"
}

# The browser of the tests; empty when there is none. The shell without a window is much quicker than the whole program.
chromium_bin() { printf '%s' "${CHROMIUM_PATH:-$(command -v chromium-headless-shell || command -v chromium || true)}"; }

# The folder with initdb and postgres, as the server looks for it; empty when there is none.
postgres_bin() {
  local dir
  for dir in "${PG_BIN_DIR:-}" \
    $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn) \
    $(ls -d /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin 2>/dev/null | sort -r) \
    "$(have pg_config && pg_config --bindir)"; do
    if [ -n "$dir" ] && [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
      printf '%s' "$dir"
      return
    fi
  done
}
