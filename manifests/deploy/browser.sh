#!/bin/sh
# Makes sure of Chromium for the tests of the pages. Where it cannot be had, they say so and skip.
set -eu
cd "$(dirname "$0")/../.."
. manifests/deploy/steps.sh

for name in chromium chromium-browser google-chrome; do
	! command -v $name >/dev/null || exit 0
done
apt_install chromium fonts-dejavu-core ||
	say "No Chromium: the tests marked browser will skip (as root on Debian, make browser installs it)."
