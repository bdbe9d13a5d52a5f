#!/usr/bin/env bash
# Run the chapters as somebody does who downloaded them, and compare each output with the stored one:
# in an empty folder outside of this tree, with ppdm from its wheel, what ppdm[chapters] installs,
# and nothing else. .venv builds the wheel.
#
#   tests/run_elsewhere.sh [NOTEBOOK ...]
set -euo pipefail
cd "$(dirname "$0")/.."
environment=$PWD/.venv-chapters
python=$environment/bin/python
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT

.venv/bin/python -m hatchling build -t wheel -d "$elsewhere" >/dev/null 2>&1
wheel=$(echo "$elsewhere"/*.whl)
.ci/environment "$environment" -c requirements.txt "${wheel}[chapters]" nbval pytest pytest-xdist
.ci/environment "$environment" --no-deps --force-reinstall "$wheel"
rm "$wheel"

[ $# -gt 0 ] || set -- notebooks/*.ipynb
cp "$@" tests/nbval_sanitize.cfg "$elsewhere"
cd "$elsewhere"
unset PYTHONPATH
"$python" -m pytest -q -n "${WORKERS:-2}" --dist loadfile -p no:cacheprovider \
  --nbval --nbval-cell-timeout 60 --nbval-sanitize-with nbval_sanitize.cfg "${@##*/}"

left=$(find . -type f ! -name '*.ipynb' ! -name nbval_sanitize.cfg)
[ -z "$left" ] || { echo "a chapter left files behind: $left" >&2; exit 1; }
