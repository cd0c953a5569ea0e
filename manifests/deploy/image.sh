#!/bin/sh
# Makes sure of the sandbox image, with mmdebstrap installed first where it is all that is missing.
set -eu
cd "$(dirname "$0")/../.."
. manifests/deploy/steps.sh

no_builder=3
status=0
.venv/bin/python -m sandbox.images "$@" || status=$?
[ $status -eq $no_builder ] && can_install || exit $status
apt_install mmdebstrap debian-archive-keyring gpg || exit 1
exec .venv/bin/python -m sandbox.images "$@"
