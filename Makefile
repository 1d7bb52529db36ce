# One word for each thing that one does here. `make help` lists them; the work itself is in tools/.

.DEFAULT_GOAL := help
.PHONY: help run dev test try test-all check fmt generate bench release

# Queries are checked against .sqlx; only `generate` and `check` ask a database.
export SQLX_OFFLINE := true

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Builds what changed and starts the demo; Ctrl-C stops everything (settings: ARGS="--bind 127.0.0.1:9000")
	@tools/run $(ARGS)

dev: ## The demo with hot reload of both sides: server on 8080, pages on 5173
	@tools/dev $(ARGS)

test: ## Everything that must hold before a change lands: check, tests of both sides, flows in a browser (ARGS=--slowest: a table)
	@tools/test $(ARGS)

try: ## Some tests of the server while one edits, without lints: make try T=pix (what the names contain), T=pix IN=--lib
	@tools/try $(or $(IN),--test api) $(T)

test-all: ## test, then what takes longer: every screen for every role, load and chaos, files in a bucket, files in a spreadsheet, the API against its document, Lighthouse
	@tools/test-all

check: ## Without running tests: formatting, lints, types, the walls, stale generated files
	@tools/check

fmt: ## Formats everything
	@tools/setup check
	@cargo fmt --all
	@cd web && npm run --silent format

generate: ## Writes what is generated: .sqlx, web/openapi.json, the TypeScript client's types
	@tools/generate

bench: ## Load test beside its peers, in a release build; one table at the end
	@tools/bench $(ARGS)

release: ## The optimised server and the pages, in dist/
	@tools/release
