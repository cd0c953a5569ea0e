#!/bin/sh
# Makes .venv hold what requirements.lock and pyproject.toml ask for; done already: does nothing.
set -eu
cd "$(dirname "$0")/../.."
. manifests/deploy/steps.sh

stamp=.venv/.patchwright-setup
wanted="$(cat requirements.lock pyproject.toml | cksum) $PWD"

is_recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
	for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3}; do
		if command -v "$candidate" >/dev/null && is_recent "$candidate"; then
			python=$candidate
			return 0
		fi
	done
	return 1
}

has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }

make_venv() {
	find_python || { can_install && apt_install python3-venv && find_python; } ||
		fail "Patchwright needs Python 3.11 or newer and found none: install one, or name it: make setup PYTHON=/path/to/python3"
	if ! has_venv; then
		version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
		apt_install "python$version-venv" && has_venv ||
			fail "$python cannot make virtual environments: install the package python$version-venv and run this again."
	fi
	clocked "Making the virtual environment .venv with $python" "$python" -m venv --clear .venv
}

was_made_here() {
	[ -x .venv/bin/pip ] && is_recent .venv/bin/python || return 1
	# The scripts of a virtual environment that was moved still name its old place.
	head -n 1 .venv/bin/pip | grep -qF "$PWD/.venv/bin/"
}

install() { exec .venv/bin/python -m pip install --disable-pip-version-check --no-input --no-deps "$@"; }

if [ -x .venv/bin/python ] && [ "$(cat $stamp 2>/dev/null)" = "$wanted" ]; then
	exit 0
fi
was_made_here || make_venv
rm -f $stamp
clocked "Installing $(grep -c '^[^ #].*==' requirements.lock) locked packages" \
	install --require-hashes --requirement requirements.lock
clocked "Installing Patchwright itself" install --no-build-isolation --editable .
printf '%s\n' "$wanted" >$stamp
