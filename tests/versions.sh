#!/usr/bin/env bash
# Build sdist and wheel, look into them, install the wheel alone and run its demo; then run the suite against the
# installed wheel with the oldest versions of everything that pyproject.toml allows, and with the newest, on each Python.
#     tests/versions.sh [PYTHON...]
# Pythons are versions or paths, the oldest first; default: 3.11 3.12 3.13 3.14. What cannot be had is named and left out.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pythons=("$@")
[ $# -gt 0 ] || pythons=(3.11 3.12 3.13 3.14)

python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet uv
uv="$work/tools/bin/uv --quiet"

$uv build --out-dir "$work/dist" .   # the wheel from the sdist
wheel=$(ls "$work"/dist/*.whl)
python3 tests/check_wheel.py "$wheel" "$work"/dist/*.tar.gz
mkdir "$work/source"
tar -xzf "$work"/dist/*.tar.gz -C "$work/source" --strip-components 1
mv "$work/source/arraycoref" "$work/source/not-arraycoref"   # what is tested is what the wheel installs

echo "== the wheel alone"
$uv venv --python "${pythons[0]}" "$work/base"
$uv pip install --python "$work/base/bin/python" "$wheel"
$uv pip list --python "$work/base/bin/python" --format freeze
(cd "$work" && env -i PATH=/usr/bin:/bin HOME="$work" "$work/base/bin/arraycoref" demo | tail -n 3)

suite() {  # name, Python, resolution
    echo "== $1: Python $2"
    if ! $uv venv --python "$2" "$work/$1"; then
        echo "   left out: there is no Python $2 here, and it cannot be fetched"
        return
    fi
    local python="$work/$1/bin/python" warnings=()
    $uv pip install --python "$python" --resolution "$3" "$root[test]"
    $uv pip install --python "$python" --reinstall --no-deps "$wheel"
    $uv pip list --python "$python" --format freeze | grep -E '^(numpy|scipy|numba|click|ormsgpack|pandas|polars|pyarrow|narwhals)=='
    # Old releases warn of newer ones that they stand on; an old Dask also of threads beside the cluster of other tests.
    [ "$3" = highest ] || warnings=(
        -W ignore::DeprecationWarning -W ignore::FutureWarning -W "ignore:Running on a single-machine:UserWarning"
    )
    (cd "$work/source" && NUMBA_CACHE_DIR="$work/$1/cache" "$python" -m pytest -q -n 2 -p no:cacheprovider "${warnings[@]}" tests) || failed+=("$1")
}

failed=()

suite lowest "${pythons[0]}" lowest-direct
for n in "${!pythons[@]}"; do
    suite "newest-$n" "${pythons[$n]}" highest
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
echo "all passed"
