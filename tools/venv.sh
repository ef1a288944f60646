# Sourced by the tools: `need EXTRAS` makes sure that .venv has setset, editable, with these extras.
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.venv

need() {
    wanted="$1 $(cksum <"$root/pyproject.toml")"
    if [ "$(cat "$venv/installed-$1" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    echo "installing setset${1:+[$1]} into .venv ..." >&2
    [ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv" || exit 1
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$root${1:+[$1]}" >&2 || exit 1
    printf '%s' "$wanted" >"$venv/installed-$1"
}
