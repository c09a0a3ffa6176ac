#!/bin/sh
# Measures the checked-out commit against its merge base with TARGET, for a pull request:
#
#   sh verify.sh TARGET [OPTION of maxcode verify]...
#
# It leaves verdict.md (a comment) and verdict.xml (JUnit), and ends with maxcode's exit code.
# MAXCODE: the requirement that pip installs. MAXCODE_UNDECIDED=0 lets undecided pull requests pass.
set -eu
target=${1:?usage: verify.sh TARGET [OPTION]...}
shift
if ! command -v maxcode >/dev/null; then
    python3 -m pip install --quiet "${MAXCODE:-maxcode}"
fi
git rev-parse --verify --quiet "$target^{commit}" >/dev/null || git fetch --quiet origin "${target#origin/}"
code=0
maxcode verify "$target...HEAD" --markdown verdict.md --junit verdict.xml "$@" || code=$?
if [ "$code" = 5 ]; then
    code=${MAXCODE_UNDECIDED:-5}
fi
exit "$code"
