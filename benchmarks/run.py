"""`python -m benchmarks.run`: compare sortkey with its peers and with its targets."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.ceiling import second_process_gain
from benchmarks.client_costs import (
    client_targets,
    clients_tables,
    embedded_table,
    embedded_targets,
)
from benchmarks.clients import measure_clients, measure_embedded
from benchmarks.cold_start import cold_start_table, measure_cold_starts
from benchmarks.environments import MissingToolError, Tools, install_tools
from benchmarks.figures import Measured
from benchmarks.growth import HUGE, LARGE, SMALL, growth_table, growth_targets, measure_growth
from benchmarks.imports import import_targets, imports_table, measure_imports
from benchmarks.in_process import in_process_table, in_process_targets, measure_in_process
from benchmarks.peers import (
    PeerError,
    dynalite,
    dynamodb_local,
    dynoxide,
    ministack,
    moto,
    sortkey,
)
from benchmarks.progress import Progress
from benchmarks.report import NoPlaceError, Report, describe_machine, find_place
from benchmarks.side_by_side import Pace, measure
from benchmarks.startup import measure_start_up, start_up_table, start_up_targets
from benchmarks.stopping import stop_on_sigterm
from benchmarks.systems import measure_systems, systems_table
from benchmarks.table import rates, times
from benchmarks.targets import (
    ONE_WORKER,
    OURS,
    TWO_WORKERS,
    ahead_targets,
    peer_targets,
    worker_targets,
)
from benchmarks.workloads import workloads
from benchmarks.wrk import CONNECTIONS, WrkError

SECTIONS = (
    "memory",
    "files",
    "workers",
    "clients",
    "in-process",
    "start-up",
    "systems",
    "growth",
)
QUICK_SECTIONS = ("memory", "workers", "in-process", "start-up")
NEED_TOOLS = frozenset({"memory", "files", "workers", "clients"})
SHARED = ("GetItem", "Query", "PutItem")
NORMAL, FULL = "sortkey normal", "sortkey full"

THOROUGH = Pace(rounds=3, seconds=1, warm_up=1, longest_warm_up=12)
QUICK = Pace(rounds=2, seconds=1, warm_up=0, longest_warm_up=4)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 0 if all targets are met, 1 if not, 2 if it cannot run."""
    options = _parser().parse_args(arguments)
    stop_on_sigterm()
    try:
        if options.write:
            find_place(options.write)  # fail now, not after minutes of measuring
        with Progress() as progress:
            report = _run(options, progress)
        if options.write:
            report.write_into(options.write)
    except (MissingToolError, NoPlaceError, PeerError, WrkError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(report.as_json() if options.format == "json" else report.as_text())
    return 0 if report.all_kept else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="take about a minute, with rougher figures"
    )
    parser.add_argument(
        "--full", action="store_true", help="also measure growth to ten million items"
    )
    parser.add_argument(
        "--rounds", type=int, help="rounds for each engine and operation, instead of 3"
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="run only these sections")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--write", type=Path, help="write the figures into this Markdown page")
    return parser


def _pace(options: argparse.Namespace) -> Pace:
    pace = QUICK if options.quick else THOROUGH
    return replace(pace, rounds=options.rounds) if options.rounds else pace


def _run(options: argparse.Namespace, progress: Progress) -> Report:
    sections = options.only or (QUICK_SECTIONS if options.quick else SECTIONS)
    tools = None
    if NEED_TOOLS & set(sections):
        progress.say("installing the peers (some minutes, once)")
        tools = install_tools()
    report = Report(describe_machine(tools, CONNECTIONS))
    if tools:
        _side_by_side(report, sections, tools, pace=_pace(options), progress=progress)
        if "clients" in sections:
            rounds = options.rounds or (3 if options.quick else 9)
            _clients(report, tools, rounds=rounds, progress=progress)
    if "in-process" in sections:
        compared = measure_in_process(5 if options.quick else 15, progress)
        figures = [asdict(each) for each in compared]
        report.add("in-process", in_process_table(compared), in_process_targets(compared), figures)
    if "start-up" in sections:
        start_up = measure_start_up(5, progress)
        targets = start_up_targets(start_up)
        report.add("start-up", start_up_table(start_up), targets, asdict(start_up))
    if "systems" in sections:
        answered = measure_systems(9, progress)
        report.add("systems", systems_table(answered), [], [asdict(each) for each in answered])
    if "growth" in sections:
        sizes = (SMALL, LARGE // 10 if options.quick else LARGE, *[HUGE] * options.full)
        growth = measure_growth(sizes, progress)
        report.add("growth", growth_table(growth), growth_targets(growth), asdict(growth))
    return report


def _side_by_side(
    report: Report, sections: Sequence[str], tools: Tools, *, pace: Pace, progress: Progress
) -> None:
    every = workloads()
    if "memory" in sections:
        peers = [
            sortkey(),
            dynoxide(tools),
            dynamodb_local(tools),
            dynalite(tools),
            ministack(tools),
            moto(tools),
        ]
        measured = measure(tools.wrk, peers, every, pace, progress)
        rivals = {peer.name: OURS for peer in peers[1:]}
        table = rates("In memory, one worker", measured, rivals)
        targets = [*peer_targets(measured), *ahead_targets(measured, rivals, "in memory")]
        report.add("memory", table, targets, _plain(measured))
    if "files" in sections:
        # Dynoxide and DynamoDB Local sync each commit to the disk and dynalite none, so each is
        # compared with the same durability.
        peers = [
            sortkey(NORMAL, "--durability", "normal", file=True),
            dynalite(tools, file=True),
            sortkey(FULL, "--durability", "full", file=True),
            dynoxide(tools, file=True),
            dynamodb_local(tools, file=True),
        ]
        measured = measure(tools.wrk, peers, every, pace, progress)
        rivals = {"dynalite": NORMAL, "Dynoxide": FULL, "DynamoDB Local": FULL}
        table = rates("Files, one worker: two that do not sync, three that do", measured, rivals)
        targets = ahead_targets(measured, rivals, "on files")
        report.add("files", table, targets, _plain(measured))
    if "workers" in sections:
        peers = [
            sortkey(ONE_WORKER, "--workers", "1", file=True),
            sortkey(TWO_WORKERS, "--workers", "2", file=True),
        ]
        progress.say("workers: measuring the gain of a second process")
        ceiling = (
            f"two processes that only count did {times(second_process_gain())} the work of one"
        )
        shared = [workload for workload in every if workload.action in SHARED]
        measured = measure(tools.wrk, peers, shared, pace, progress)
        table = rates("One file, one worker and two", measured, {ONE_WORKER: TWO_WORKERS})
        table = replace(table, notes=(*table.notes, f"during this run, {ceiling}"))
        report.add("workers", table, worker_targets(measured), _plain(measured))


def _clients(report: Report, tools: Tools, *, rounds: int, progress: Progress) -> None:
    costs = measure_clients(rounds, progress)
    cpu, wall = clients_tables(costs)
    report.add("clients, CPU", cpu, client_targets(costs), _plain(costs.cpu))
    report.add("clients, time", wall, [], _plain(costs.wall))
    embedded = measure_embedded(dynamodb_local(tools), rounds, progress)
    targets = embedded_targets(embedded)
    report.add("embedded, time", embedded_table(embedded), targets, _plain(embedded.wall))
    imports = measure_imports(rounds, progress)
    table = imports_table(imports)
    figures = {name: series.as_json() for name, series in imports.cpu.items()}
    report.add("import", table, import_targets(imports), figures)
    starts = measure_cold_starts(rounds, progress)
    figures = {name: series.as_json() for name, series in starts.cpu.items()}
    report.add("cold start", cold_start_table(starts), [], figures)


def _plain(measured: Measured) -> dict[str, dict[str, object]]:
    return {
        operation: {name: series.as_json() for name, series in row.items()}
        for operation, row in measured.items()
    }


if __name__ == "__main__":
    sys.exit(main())
