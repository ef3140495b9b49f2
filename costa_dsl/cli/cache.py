"""`costa cache`: what the shared cache holds, why a result was not in it, and keeping it in order."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from costa_dsl.cli.amounts import SPANS, UNITS, amount
from costa_dsl.cli.common import tell_all
from costa_dsl.cli.options import format_option
from costa_dsl.diagnostics import CostaError, Diagnostic

if TYPE_CHECKING:
    from costa_dsl.store.action_cache import ActionCache
    from costa_dsl.store.cache_entry import Entry
    from costa_dsl.store.preimage import Preimage

_DEFAULT_BYTES, _DEFAULT_DAYS = 2 * 1000**3, 30.0


@click.group("cache")
def cache_group() -> None:
    """The results that all runs share: what is there, why something is not, and keeping it in order.

    It lies in the folder that COSTA_CACHE_DIR names, else in the user's cache folder.
    """


@cache_group.command("path")
def path_command() -> None:
    """Print the folder of the cache."""
    click.echo(_cache().folder.root)


@cache_group.command("list")
@click.option("--tool", metavar="NAME", help="Only the results of this tool.")
@format_option()
def list_command(tool: str | None, output_format: str) -> None:
    """Every result, the last used first."""
    from costa_dsl.report.cache import entry_table, entry_value, size, title

    cache = _cache()
    found = sorted(_entries(cache), key=lambda entry: (-entry.used, entry.key))
    if tool is not None:
        found = [entry for entry in found if title(entry.preimage)[1] == tool]
    held = {(output.ref.path, output.size) for entry in found for output in entry.outputs.values()}
    total = sum(entry.size for entry in found) + sum(count for _, count in held)
    if output_format == "json":
        value = {"folder": str(cache.folder.root), "bytes": total, "results": [entry_value(entry) for entry in found]}
        click.echo(json.dumps({"version": 1, **value}, indent=2, ensure_ascii=False))
        return
    if found:
        click.echo(entry_table(found, time.time()), nl=False)
    click.echo(f'{_counted(len(found), "result")}, {size(total)}, in "{cache.folder.root}"')


@cache_group.command("why")
@click.argument("one", metavar="RUN:NUMBER|KEY")
@click.argument("other", metavar="[RUN:NUMBER|KEY]", required=False)
@format_option()
def why_command(one: str, other: str | None, output_format: str) -> None:
    """Why a result was not in the cache: each field in which the nearest one differs.

    RUN:NUMBER is a run's folder and the number of a tool in it, as in `runs/20261201-120000-plan:3`; `:3.1` is the
    first attempt of that tool, else the last one counts. KEY is a key of `costa cache list`, or its beginning.
    With two of them, they are compared.
    """
    from costa_dsl.report.cache import ago, difference_lines, difference_value, title
    from costa_dsl.store.preimage import action_key, differences

    cache = _cache()
    entries = {entry.key: entry for entry in _entries(cache)}
    here = _preimage(one, entries)
    key = action_key(here)
    value: dict[str, Any] = {"version": 1, "key": key, "cached": key in entries}
    if other is not None:
        there = _preimage(other, entries)
        nearest_key = action_key(there)
        differs = differences(here, there)
    else:
        near = cache.why(here)
        nearest_key = near[0].entry.key if near else ""
        differs = near[0].differs if near else ()
    value |= {"compared": nearest_key or None, "differs": [difference_value(difference) for difference in differs]}
    if output_format == "json":
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
        return
    kind, tool, subtask = title(here)
    state = f"in the cache, {ago(time.time() - entries[key].made)}" if key in entries else "not in the cache"
    click.echo(f"{key[:12]}  {kind} · {tool} · {subtask}: {state}")
    if not nearest_key:
        click.echo("there is no other result to compare it with")
        return
    if not differs:
        click.echo("both are made of the same")
        return
    if other is None and any(difference.path in (("kind",), ("tool",), ("tool", "name")) for difference in differs):
        click.echo(f"no other result of {tool if tool != '-' else 'this kind'} is in the cache")
        return
    fields = "1 field differs" if len(differs) == 1 else f"{len(differs)} fields differ"
    nearest = "the other" if other is not None else "the nearest other"
    when = f", {ago(time.time() - entries[nearest_key].made)}" if nearest_key in entries else ""
    click.echo(f"{nearest} is {nearest_key[:12]}{when}; {fields}:")
    click.echo("\n".join(difference_lines(differs, "here", "there")))


@cache_group.command("gc")
@click.option(
    "--max-size", metavar="SIZE", callback=amount(UNITS, "2GB"),
    help="Remove what was unused the longest until the rest is not larger, as in 500MB.",
)  # fmt: skip
@click.option(
    "--unused", metavar="TIME", callback=amount(SPANS, "30d"),
    help="Remove what was not used for this long, as in 30d or 12h.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Remove every result.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@format_option()
def gc_command(
    max_size: float | None, unused: float | None, everything: bool, dry_run: bool, output_format: str
) -> None:
    """Remove old results, damaged ones, and what killed processes left. By default: --unused 30d --max-size 2GB.

    A result that a run is about to use may go too; the run makes it anew. Files that are not the cache's own stay.
    """
    from dataclasses import asdict

    from costa_dsl.report.cache import size
    from costa_dsl.store.cache_upkeep import collect

    if max_size is None and unused is None:
        max_size, unused = _DEFAULT_BYTES, _DEFAULT_DAYS
    limit = None if max_size is None else int(max_size)
    done = collect(_cache(), limit, unused, everything=everything, dry_run=dry_run)
    if output_format == "json":
        click.echo(json.dumps({"version": 1, "dry_run": dry_run, **asdict(done)}, indent=2))
        return
    parts = [
        (done.entries, "result"),
        (done.damaged, "damaged result"),
        (done.blobs, "value"),
        (done.unfinished, "unfinished file"),
    ]
    told = ", ".join(_counted(count, what) for count, what in parts if count) or "nothing"
    click.echo(f"{'would remove' if dry_run else 'removed'} {told} ({size(done.bytes)})")
    stay = "stays" if done.entries_left == 1 else "stay"
    click.echo(f"{_counted(done.entries_left, 'result')} {stay} ({size(done.bytes_left)})")


@cache_group.command("verify")
@click.option("--repair", is_flag=True, help="Remove what is damaged.")
@format_option()
@click.pass_context
def verify_command(context: click.Context, repair: bool, output_format: str) -> None:
    """Decode every value and compare it with its digest; read every result. Exit code 1 when something is damaged."""
    from costa_dsl.report.diagnostics import to_json
    from costa_dsl.store.cache_upkeep import verify

    found = verify(_cache(), repair=repair)
    if output_format == "json":
        counts = {"entries": found.entries, "blobs": found.blobs, "unreferenced": found.unreferenced}
        counts |= {"unfinished": found.unfinished, "removed": found.removed}
        click.echo(
            json.dumps({"version": 1, **counts, "diagnostics": to_json(found.findings)["diagnostics"]}, indent=2)
        )
    else:
        tell_all(found.findings)
        whole = f"{_counted(found.entries, 'result')}, {_counted(found.blobs, 'value')}"
        click.echo(f"whole: {whole}; damaged: {len(found.findings)}")
        if found.unreferenced or found.unfinished:
            left = found.unreferenced + found.unfinished
            click.echo(f"{_counted(left, 'file')} that no result names; `costa cache gc` removes what a kill has left")
        if found.removed:
            click.echo(f"removed: {found.removed}")
    context.exit(1 if found.findings else 0)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _cache() -> ActionCache:
    from costa_dsl.store.action_cache import ActionCache

    return ActionCache()


def _entries(cache: ActionCache) -> list[Entry]:
    from costa_dsl.store.cache_upkeep import unusable

    try:
        return list(cache.entries())
    except OSError as error:
        raise unusable(cache.folder, error) from error


def _preimage(name: str, entries: dict[str, Entry]) -> Preimage:
    """Of RUN:NUMBER[.ATTEMPT] or of a key or its beginning.

    Raises:
        CostaError: COS8504 there is none, or several.
    """
    run, colon, number = name.rpartition(":")
    if colon:
        return _preimage_of_run(Path(run), number, entries)
    wanted = name.lower()
    found = [key for key in entries if key.startswith(wanted)] if re.fullmatch(r"[0-9a-f]{4,64}", wanted) else []
    if len(found) == 1:
        return entries[found[0]].preimage
    if found:
        message = f'{len(found)} keys in the cache begin with "{name}"'
        help = f"give more digits: {', '.join(key[:16] for key in found[:3])}"
    else:
        message = f'"{name}" is neither a key in the cache, nor its beginning of at least 4 digits, nor RUN:NUMBER'
        help = "`costa cache list` shows the keys"
    raise CostaError(Diagnostic("COS8504", message, help=help), exit_code=3)


def _preimage_of_run(run: Path, number: str, entries: dict[str, Entry]) -> Preimage:
    from costa_dsl.store.run_preimages import attempt_keys, read_preimage

    match = re.fullmatch(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?", number)
    if match is None:
        message = f'"{number}" is not the number of a tool in a run, as in 3 or 3.1'
        raise CostaError(Diagnostic("COS8504", message, help="name it as in runs/20261201-120000-plan:3"), exit_code=3)
    keys = attempt_keys(run, int(match[1]), int(match[2]) if match[2] else None)
    if keys.action is None:
        message = f'attempt {keys.attempt} of tool {keys.number} in the run "{run}" is never kept in the cache'
        help = "its manifest has `determinism: none`, a file it was given could not be read, or the run had no cache"
        raise CostaError(Diagnostic("COS8504", message, help=help), exit_code=3)
    preimage = read_preimage(run, keys.action)
    if preimage is None and keys.action in entries:
        preimage = entries[keys.action].preimage
    if preimage is None:
        message = f'what attempt {keys.attempt} of tool {keys.number} was made of is not in the run "{run}" any more'
        raise CostaError(Diagnostic("COS8504", message, help="run the plan again"), exit_code=3)
    return preimage
