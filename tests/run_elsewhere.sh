#!/usr/bin/env bash
# Run the chapters as somebody does who downloaded them, and compare each output with the stored one:
# in an empty folder outside of this tree, with the packages of ENVIRONMENT and nothing else.
#
#   tests/run_elsewhere.sh ENVIRONMENT [WORKERS] [NOTEBOOK ...]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath -s "$1")/bin/python
workers=${2:-2}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- notebooks/*.ipynb

elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
cp "$@" tests/nbval_sanitize.cfg "$elsewhere"
cd "$elsewhere"
unset PYTHONPATH
"$python" -m pytest -q -n "$workers" --dist loadfile -p no:cacheprovider --nbval \
  --nbval-sanitize-with nbval_sanitize.cfg .

left=$(find . -type f ! -name '*.ipynb' ! -name nbval_sanitize.cfg)
[ -z "$left" ] || { echo "a chapter left files behind: $left" >&2; exit 1; }
