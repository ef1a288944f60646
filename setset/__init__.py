"""Every hand of SET cards that holds no set: enumerated, stored, classified.

    import setset

    with setset.open("caps", mode="a") as workspace:
        workspace.exploration(12).run(size=6)
        print(workspace.counts())

    setset.classify([0, 1, 3, 9])
    setset.find_sets(setset.deal(12, seed=7))

What is listed in `__all__` is public; docs/python.md teaches it in one page. Names are loaded when they are first
used, so that `import setset` takes milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from setset.lazy import Shown, lazy_exports

if TYPE_CHECKING:
    from setset.batches.roots import RootState as RootState
    from setset.cards import HoldsSet as HoldsSet
    from setset.errors import BadInput as BadInput
    from setset.errors import Interrupted as Interrupted
    from setset.errors import Locked as Locked
    from setset.errors import MissingExtra as MissingExtra
    from setset.errors import NoSpace as NoSpace
    from setset.errors import NotAWorkspace as NotAWorkspace
    from setset.errors import ReadOnly as ReadOnly
    from setset.errors import SetsetError as SetsetError
    from setset.export.lists import Exported as Exported
    from setset.jobs.signals import StopRequest as StopRequest
    from setset.maintenance.findings import Finding as Finding
    from setset.maintenance.findings import FindingKind as FindingKind
    from setset.maintenance.findings import Repaired as Repaired
    from setset.maintenance.relocation import MovedRoot as MovedRoot
    from setset.maintenance.remove import Removed as Removed
    from setset.maintenance.remove import RemovedSize as RemovedSize
    from setset.progress import Activity as Activity
    from setset.progress import NoProgress as NoProgress
    from setset.progress import ProgressListener as ProgressListener
    from setset.sat.encoding import Problem as Problem
    from setset.sat.encoding import dimacs_lines as dimacs_lines
    from setset.sat.encoding import encode as encode
    from setset.sat.fixing import Fixing as Fixing
    from setset.sat.fixing import fix_cards as fix_cards
    from setset.sat.fixing import spanning_sevens as spanning_sevens
    from setset.sat.reading import parse_answer as parse_answer
    from setset.sat.reading import read_answer as read_answer
    from setset.sat.solving import Answer as Answer
    from setset.sat.solving import NoAnswer as NoAnswer
    from setset.sat.solving import WrongAnswer as WrongAnswer
    from setset.sat.solving import solve as solve
    from setset.show import charts as charts
    from setset.show.notebook import draw as draw
    from setset.symmetry.affine import AffineMap as AffineMap
    from setset.symmetry.build import build_level as build_level
    from setset.symmetry.canonical import CanonicalForm as CanonicalForm
    from setset.symmetry.canonical import canonical_form as canonical_form
    from setset.symmetry.canonical import canonicalize as canonicalize
    from setset.symmetry.catalogue import Catalogue as Catalogue
    from setset.symmetry.catalogue import catalogue_in_memory as catalogue_in_memory
    from setset.symmetry.classes import Level as Level
    from setset.symmetry.classes import Link as Link
    from setset.symmetry.classes import Links as Links
    from setset.symmetry.classes import ListClass as ListClass
    from setset.symmetry.classes import Totals as Totals
    from setset.symmetry.classification import Classification as Classification
    from setset.symmetry.classification import chance as chance
    from setset.symmetry.classification import classes_of as classes_of
    from setset.symmetry.classification import classify as classify
    from setset.symmetry.classification import classify_many as classify_many
    from setset.symmetry.description import ClassDescription as ClassDescription
    from setset.symmetry.description import ClassOrder as ClassOrder
    from setset.symmetry.description import Direction as Direction
    from setset.symmetry.description import Neighbour as Neighbour
    from setset.symmetry.description import describe_class as describe_class
    from setset.symmetry.description import find_classes as find_classes
    from setset.symmetry.game import game_classes as game_classes
    from setset.symmetry.geometry import GROUP_ORDER as GROUP_ORDER
    from setset.symmetry.ranking import member_arrays as member_arrays
    from setset.symmetry.ranking import member_rank as member_rank
    from setset.symmetry.ranking import members as members
    from setset.symmetry.ranking import rank as rank
    from setset.symmetry.ranking import unrank as unrank
    from setset.symmetry.sampling import sample as sample
    from setset.table.autoplay import Policy as Policy
    from setset.table.autoplay import Step as Step
    from setset.table.autoplay import play_out as play_out
    from setset.table.deck import Stream as Stream
    from setset.table.deck import deal as deal
    from setset.table.deck import new_seed as new_seed
    from setset.table.estimates import estimate_ends as estimate_ends
    from setset.table.estimates import estimate_random_hands as estimate_random_hands
    from setset.table.estimates import estimate_rounds as estimate_rounds
    from setset.table.estimates import estimate_tables as estimate_tables
    from setset.table.exact import chance_without_set as chance_without_set
    from setset.table.exact import mean_sets as mean_sets
    from setset.table.game import Game as Game
    from setset.table.game import Verdict as Verdict
    from setset.table.game import call_none as call_none
    from setset.table.game import call_set as call_set
    from setset.table.game import deal_more as deal_more
    from setset.table.game import new_game as new_game
    from setset.table.sets import UltraSet as UltraSet
    from setset.table.sets import find_sets as find_sets
    from setset.table.sets import find_ultra_sets as find_ultra_sets
    from setset.table.sets import why_no_set as why_no_set
    from setset.table.simulation import Simulation as Simulation
    from setset.table.simulation import simulate as simulate
    from setset.workspace.catalogue import class_totals as class_totals
    from setset.workspace.catalogue import load_catalogue as load_catalogue
    from setset.workspace.counts import Count as Count
    from setset.workspace.counts import CountVerdict as CountVerdict
    from setset.workspace.estimate import Estimate as Estimate
    from setset.workspace.estimate import SizeEstimate as SizeEstimate
    from setset.workspace.estimate import estimate as estimate
    from setset.workspace.expectation import CountOrigin as CountOrigin
    from setset.workspace.exploration import Exploration as Exploration
    from setset.workspace.roots import Root as Root
    from setset.workspace.size import Batch as Batch
    from setset.workspace.size import Size as Size
    from setset.workspace.status import SizeState as SizeState
    from setset.workspace.status import SizeStatus as SizeStatus
    from setset.workspace.status import Status as Status
    from setset.workspace.tables import export_classes as export_classes
    from setset.workspace.tables import export_counts as export_counts
    from setset.workspace.tables import export_links as export_links
    from setset.workspace.watch import Watch as Watch
    from setset.workspace.watch import reading_copies as reading_copies
    from setset.workspace.workspace import Workspace as Workspace
    from setset.workspace.workspace import open as open  # noqa: A004 (as `tarfile.open`)

__version__ = "0.1.0"

Shown.shown_by = "setset.show.notebook"

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "batches.roots": ("RootState",),
        "cards": ("HoldsSet",),
        "errors": (
            "BadInput",
            "Interrupted",
            "Locked",
            "MissingExtra",
            "NoSpace",
            "NotAWorkspace",
            "ReadOnly",
            "SetsetError",
        ),
        "export.lists": ("Exported",),
        "jobs.signals": ("StopRequest",),
        "maintenance.findings": (
            "Finding",
            "FindingKind",
            "Repaired",
        ),
        "maintenance.relocation": ("MovedRoot",),
        "maintenance.remove": (
            "Removed",
            "RemovedSize",
        ),
        "progress": (
            "Activity",
            "NoProgress",
            "ProgressListener",
        ),
        "sat.encoding": (
            "Problem",
            "dimacs_lines",
            "encode",
        ),
        "sat.fixing": (
            "Fixing",
            "fix_cards",
            "spanning_sevens",
        ),
        "sat.reading": (
            "parse_answer",
            "read_answer",
        ),
        "sat.solving": (
            "Answer",
            "NoAnswer",
            "WrongAnswer",
            "solve",
        ),
        "show.charts": (),
        "show.notebook": ("draw",),
        "symmetry.affine": ("AffineMap",),
        "symmetry.build": ("build_level",),
        "symmetry.canonical": (
            "CanonicalForm",
            "canonical_form",
            "canonicalize",
        ),
        "symmetry.catalogue": (
            "Catalogue",
            "catalogue_in_memory",
        ),
        "symmetry.classes": (
            "Level",
            "Link",
            "Links",
            "ListClass",
            "Totals",
        ),
        "symmetry.classification": (
            "Classification",
            "chance",
            "classes_of",
            "classify",
            "classify_many",
        ),
        "symmetry.description": (
            "ClassDescription",
            "ClassOrder",
            "Direction",
            "Neighbour",
            "describe_class",
            "find_classes",
        ),
        "symmetry.game": ("game_classes",),
        "symmetry.geometry": ("GROUP_ORDER",),
        "symmetry.ranking": (
            "member_arrays",
            "member_rank",
            "members",
            "rank",
            "unrank",
        ),
        "symmetry.sampling": ("sample",),
        "table.autoplay": (
            "Policy",
            "Step",
            "play_out",
        ),
        "table.deck": (
            "Stream",
            "deal",
            "new_seed",
        ),
        "table.estimates": (
            "estimate_ends",
            "estimate_random_hands",
            "estimate_rounds",
            "estimate_tables",
        ),
        "table.exact": (
            "chance_without_set",
            "mean_sets",
        ),
        "table.game": (
            "Game",
            "Verdict",
            "call_none",
            "call_set",
            "deal_more",
            "new_game",
        ),
        "table.sets": (
            "UltraSet",
            "find_sets",
            "find_ultra_sets",
            "why_no_set",
        ),
        "table.simulation": (
            "Simulation",
            "simulate",
        ),
        "workspace.catalogue": (
            "class_totals",
            "load_catalogue",
        ),
        "workspace.counts": (
            "Count",
            "CountVerdict",
        ),
        "workspace.estimate": (
            "Estimate",
            "SizeEstimate",
            "estimate",
        ),
        "workspace.expectation": ("CountOrigin",),
        "workspace.exploration": ("Exploration",),
        "workspace.roots": ("Root",),
        "workspace.size": (
            "Batch",
            "Size",
        ),
        "workspace.status": (
            "SizeState",
            "SizeStatus",
            "Status",
        ),
        "workspace.tables": (
            "export_classes",
            "export_counts",
            "export_links",
        ),
        "workspace.watch": ("Watch", "reading_copies"),
        "workspace.workspace": (
            "Workspace",
            "open",
        ),
    },
)
