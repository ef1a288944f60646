"""`setset doctor`: the installation and the workspace in a few lines."""

from pathlib import Path

import click

from setset.cli import options
from setset.cli.settings import read_settings
from setset.errors import BadInput


@click.command("doctor")
@options.as_json
@options.workspace
def command(as_json: bool, workspace: Path) -> None:
    """Show the workspace, its schema, storage roots and settings, free disk, extras and versions, one per line.

    Exit code 1 if the workspace has a problem. 'setset check' compares the files with the database.

    \b
    Example:
      setset doctor
    """
    from setset.show.doctor import examine_programs, print_lines_of
    from setset.show.formatting import print_json

    lines, is_sound = _examine_workspace(workspace)
    try:
        settings = [f"{name} {value}" for name, value in read_settings(workspace).items()]
    except BadInput as error:
        settings, is_sound = [str(error)], False
    lines["settings"] = ", ".join(settings) or "none: setset.toml in the workspace may have target, output and workers"
    lines |= examine_programs(workspace)
    if as_json:
        print_json({"sound": is_sound, **lines})
    else:
        print_lines_of(lines)
    if not is_sound:
        raise SystemExit(1)


def _examine_workspace(workspace: Path) -> tuple[dict[str, str], bool]:
    """Returns the lines about the workspace, and True if the workspace is sound or missing, otherwise False."""
    import setset
    from setset.show.formatting import byte_count, how_many

    try:
        schema = setset.open(workspace, mode="a").schema()
        lines = {"schema": f"{schema.database}, current" if schema.database == schema.setset else f"{schema.database}"}
        with setset.open(workspace) as opened:
            targets = [str(exploration.target) for exploration in opened.explorations]
            description = f"{workspace.absolute()}, target {', '.join(targets) or 'none yet'}"
            lines = {"workspace": description + (", in use" if opened.in_use() else ""), **lines}
            for root in opened.roots():
                free = "" if root.free_bytes is None else f", {byte_count(root.free_bytes)} free"
                files = f"{how_many(root.files, 'file')}, {byte_count(root.bytes)}"
                lines[f"storage root {root.number}"] = f"{root.path}: {root.state}, {files}{free}"
            is_sound = all(str(root.state) in ("present", "moved") for root in opened.roots())
        return lines, is_sound
    except setset.NotAWorkspace as error:
        return {"workspace": f"none yet: {error}"}, True
    except setset.SetsetError as error:
        return {"workspace": str(error)}, False
