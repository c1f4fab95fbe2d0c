# Everything a contributor runs. The two that matter: `make run` and `make test`.
export REPO VERSION KEY

.PHONY: run test setup fmt types licences screenshots bench advisories package package-test reproduce release release-key release-test
.DEFAULT_GOAL := run

# Opens diffsan on REPO, on this checkout where it has changes, or on the bundled sample. Installs what is missing.
run:
	@bash tests/run.sh

# Every check and every test. Installs what is missing.
test:
	@bash tests/check.sh

setup:
	@bash tests/setup.sh test

fmt:
	cargo fmt --all
	cd ui && npm run --silent format

# Writes what is generated from the Rust types: schemas and the interface's types.
types:
	UPDATE_EXPECT=1 cargo test --quiet --package diffsan-rpc --lib schemas
	cd ui && npm run --silent types && npm run --silent format -- --log-level warn

# Writes the licences of everything that is linked, which the window shows.
licences:
	cargo fetch --quiet --locked
	node tests/licences.mjs

# Takes a picture of every view, light and dark, into target/e2e/screenshots. Compresses those that README.md and docs/*.md
# show, and replaces docs/screenshots with them.
screenshots:
	@bash tests/setup.sh screenshots
	cd ui && npm run --silent build -- --logLevel warn
	cargo build --quiet
	node --test tests/e2e/screenshots.test.mjs
	rm -rf docs/screenshots && mkdir -p docs/screenshots
	for picture in $$(grep -oh 'screenshots/[a-z-]*\.png' README.md docs/*.md | sort -u); do \
	  pngquant --quality 70-95 --speed 1 --strip --output "docs/$$picture" "target/e2e/$$picture" || exit 1; \
	done

# Speed, memory and sizes as one table, with the last runs. FULL=1 measures large inputs and peers as well; see tests/bench.
bench:
	@bash tests/bench/run.sh

# Checks all dependencies for known vulnerabilities and unmaintained packages, where the databases can be reached.
advisories:
	@bash tests/setup.sh advisories
	@bash tests/advisories.sh

# Builds the packages of this system into target/packages.
package:
	@bash src-tauri/packaging/package.sh

# Installs, starts, upgrades and removes each package in a clean root of Debian. Run `make package` first.
package-test:
	@bash tests/setup.sh package-test
	@bash tests/packages.sh

# Builds the packages twice, in different folders, by different users, with different numbers of jobs, and compares them.
reproduce:
	@bash src-tauri/packaging/reproduce.sh

# Makes a signed release of VERSION in target/release-VERSION.
release:
	@bash src-tauri/packaging/release.sh

# Makes two signed releases in a clone, with a key of its own, and lets the window of the first one update itself to the second.
release-test:
	@bash tests/releases.sh

# Makes a key pair that signs releases, and adds the public key to config/release/keys.pub.
release-key:
	@bash src-tauri/packaging/release-key.sh
