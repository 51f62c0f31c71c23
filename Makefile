# The tasks of this project. `make help` lists them.

CARGO ?= cargo
# One target directory for everything, also for the server that the tests start.
export CARGO_TARGET_DIR ?= $(CURDIR)/target

# Every tracked file, also the modules that a macro declares, which `cargo fmt` does not see.
RUSTFMT = git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the tasks
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: run
run: ## build and serve on 127.0.0.1:8080 with SQLite under ./data
	$(CARGO) build --profile quick --package daybook-server --package daybook-cli
	$(CARGO_TARGET_DIR)/quick/daybook serve

# `--workspace` everywhere: the features of dependencies are those of all packages, and nothing is
# built twice.
.PHONY: build
build: ## what `make test` tests
	@tests/timed build $(CARGO) build --workspace $(TARGETS)

TARGETS = --tests --bin daybook --bin dbk

.PHONY: test
test: tools build ## the fast suite; see docs/testing.md
	@{ tests/timed console tests/check-console && DAYBOOK_BIN=$(CARGO_TARGET_DIR)/debug/daybook \
	        tests/timed browser tests/check-console --browser --grep @short; } & console=$$!; \
	    tests/timed unit $(CARGO) test --workspace --lib --bin daybook --bin dbk \
	        --test readers --test writers --test arch && \
	    tests/timed doc $(CARGO) test --workspace --exclude daybook-client --doc; \
	    rust=$$?; wait $$console && exit $$rust
	@DAYBOOK_BIN=$(CARGO_TARGET_DIR)/debug/daybook DBK_BIN=$(CARGO_TARGET_DIR)/debug/dbk \
	    tests/timed it $(CARGO) test --workspace --test it

.PHONY: console
console: ## build the web console from console/ into crates/console/dist
	@tests/check-console --write

.PHONY: console-dev
console-dev: ## serve the console with reload, against a demo server of this build
	$(CARGO) build --workspace --bin daybook
	cd console && npm ci && DAYBOOK_BIN=$(CARGO_TARGET_DIR)/debug/daybook npm run demo:dev

.PHONY: nightly
nightly: tools v5-packages libreoffice
nightly: ## the long tests, at most 100 minutes (NIGHTLY="torture siege" runs these parts)
	@tests/run-nightly $(NIGHTLY)

.PHONY: tools
tools: postgres fault-tools schemathesis oidc-provider chromium hledger ledger beancount

.PHONY: postgres
postgres: ## install PostgreSQL for the tests where it is missing
	@tests/install-postgres

.PHONY: fault-tools
fault-tools: ## install libfaketime and pgbouncer for the tests where they are missing
	@tests/install-fault-tools

.PHONY: schemathesis
schemathesis: ## install the Python packages of the tests, under the target directory
	@tests/install-schemathesis

.PHONY: oidc-provider
oidc-provider: ## install an OpenID provider for the tests, under the target directory
	@tests/install-oidc-provider

.PHONY: v5-packages
v5-packages: ## install what npm serves of the public v5 clients, under the target directory
	@tests/install-v5-packages

.PHONY: chromium
chromium: ## install Chromium and its driver for the tests where they are missing
	@tests/install-chromium

.PHONY: hledger
hledger: ## install hledger for the tests where it is missing
	@tests/install-hledger

.PHONY: ledger
ledger: ## install ledger for the tests where it is missing
	@tests/install-ledger

.PHONY: beancount
beancount: ## install beancount for the tests, under the target directory
	@tests/install-beancount

.PHONY: libreoffice
libreoffice: ## install LibreOffice and pdftotext for the long tests where they are missing
	@tests/install-libreoffice

.PHONY: alerts
alerts: ## check the alerts for Prometheus; installs promtool where it is missing
	@tests/install-promtool
	promtool check rules ops/prometheus/alerts.yml
	promtool test rules ops/prometheus/alerts-test.yml

.PHONY: openapi
openapi: ## make what is generated from openapi/openapi.json
	$(CARGO) build --workspace --bin openapi
	$(CARGO_TARGET_DIR)/debug/openapi

.PHONY: fmt
fmt: ## format the code
	$(RUSTFMT)

.PHONY: deny
deny: ## licences and sources of dependencies; installs cargo-deny under the target directory
	@tests/install-cargo-deny
	@deny=$(CARGO_TARGET_DIR)/cargo-deny/bin/cargo-deny; \
	    test ! -x "$$deny" || "$$deny" --locked check licenses bans sources

.PHONY: lint
lint: deny clippy ## formatting, clippy and dependencies, as CI checks them

.PHONY: clippy
clippy:
	@$(RUSTFMT) --check
	@tests/timed clippy $(CARGO) clippy --workspace $(LINTED) --quiet -- --deny warnings

.PHONY: demo
demo: ## record 49,102 real bank transactions and show the balance sheet
	$(CARGO) build --release --workspace
	DAYBOOK_BIN=$(CARGO_TARGET_DIR)/release/daybook $(CARGO_TARGET_DIR)/release/demo

.PHONY: bench
bench: postgres ## beside the raw limit of each engine, or another build (BENCH="--against PATH")
	$(CARGO) build --release --workspace
	DAYBOOK_BIN=$(CARGO_TARGET_DIR)/release/daybook $(CARGO_TARGET_DIR)/release/bench $(BENCH)

.PHONY: torture
torture: postgres fault-tools ## kills and other faults while clients write; looks for losses
	$(CARGO) build --release --workspace
	DAYBOOK_BIN=$(CARGO_TARGET_DIR)/release/daybook $(CARGO_TARGET_DIR)/release/torture $(TORTURE)

.PHONY: failover
failover: ## kill the primary of two PostgreSQL servers while clients write; needs root
	@tests/install-failover
	$(CARGO) build --release --workspace
	DAYBOOK_BIN=$(CARGO_TARGET_DIR)/release/daybook $(CARGO_TARGET_DIR)/release/failover $(FAILOVER)

.PHONY: siege
siege: postgres ## attack as one user, and see what another one notices (SIEGE="--only events")
	$(CARGO) build --release --workspace
	DAYBOOK_BIN=$(CARGO_TARGET_DIR)/release/daybook $(CARGO_TARGET_DIR)/release/siege $(SIEGE)

.PHONY: fuzz
fuzz: ## made-up input for all that reads text, for three minutes (FUZZ="--minutes 60")
	$(CARGO) build --release --workspace
	$(CARGO_TARGET_DIR)/release/fuzz $(FUZZ)

.PHONY: contract
contract: postgres schemathesis ## requests from the OpenAPI documents (CONTRACT="--minutes 60")
	$(CARGO) build --release --workspace
	DAYBOOK_BIN=$(CARGO_TARGET_DIR)/release/daybook $(CARGO_TARGET_DIR)/release/contract $(CONTRACT)

.PHONY: simulate
simulate: ## two million random operations beside a model (SIMULATE='--operations 100000')
	$(CARGO) build --release --package daybook-tests --bin simulate
	$(CARGO_TARGET_DIR)/release/simulate $(SIMULATE)

.PHONY: cargo-deb
cargo-deb: ## install cargo-deb for the packages, under the target directory
	@test -x $(CARGO_TARGET_DIR)/cargo-deb/bin/cargo-deb || \
	    $(CARGO) install cargo-deb --version 3.8.0 --locked \
	        --root $(CARGO_TARGET_DIR)/cargo-deb --target-dir $(CARGO_TARGET_DIR)/cargo-deb/build

.PHONY: dist
dist: cargo-deb ## make the Debian package and the archive, in target/dist/packages
	@PATH="$(CARGO_TARGET_DIR)/cargo-deb/bin:$$PATH" ops/dist

.PHONY: check-packages
check-packages: dist ## install, upgrade, purge and restore in a Debian 12; needs root
	@ops/check-packages

.PHONY: container
container: ## build the container image and start it once, where there is a container engine
	@ops/check-container

# Clippy is the compiler, so nothing is compiled for it alone. The tools are installed meanwhile:
# the one waits for the network, the other for the processor.
.PHONY: ci
ci: ## what CI runs
	@$(RUSTFMT) --check
	@$(MAKE) --no-print-directory tools deny & tools=$$!; \
	    $(WITH_CLIPPY) $(MAKE) --no-print-directory build TARGETS="$(LINTED)" && wait $$tools
	@$(WITH_CLIPPY) $(MAKE) --no-print-directory test TARGETS="$(LINTED)"

# What `cargo clippy -- --deny warnings` sets.
WITH_CLIPPY = RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/tests/lint-and-compile \
    CLIPPY_ARGS=--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
# `--all-targets` would also compile each library and program as a benchmark.
LINTED = --lib --bins --tests --examples
