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

# `offer EXTRA MODULE COMMAND`: asks on a terminal to install the extra that a command needs if MODULE is missing. Where
# nobody can be asked, the command itself says what to do.
offer() {
    "$venv/bin/python" -c "import $2" 2>/dev/null && return
    if [ -t 0 ] && [ -t 2 ]; then
        printf '%s needs the extra setset[%s]: install it into .venv? [Y/n] ' "$3" "$1" >&2
        read -r answer
        case $answer in
            "" | [yY]*) need "$1" ;;
        esac
    fi
}
