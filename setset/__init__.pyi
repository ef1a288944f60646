from setset import cards as cards
from setset import sat as sat
from setset import symmetry as symmetry
from setset import table as table
from setset.batches.ownership import Root as Root
from setset.batches.ownership import RootState as RootState
from setset.batches.records import Batch as Batch
from setset.cards import HoldsSet as HoldsSet
from setset.database.copies import reading_copies as reading_copies
from setset.database.views import SizeState as SizeState
from setset.database.views import SizeStatus as SizeStatus
from setset.database.views import Status as Status
from setset.distribution import *  # noqa: F403 (the names of its stub)
from setset.errors import BadInput as BadInput
from setset.errors import ChangedMeanwhile as ChangedMeanwhile
from setset.errors import Interrupted as Interrupted
from setset.errors import Locked as Locked
from setset.errors import MissingExtra as MissingExtra
from setset.errors import NoSpace as NoSpace
from setset.errors import NotAWorkspace as NotAWorkspace
from setset.errors import NotStored as NotStored
from setset.errors import ReadOnly as ReadOnly
from setset.errors import SetsetError as SetsetError
from setset.export.lists import Exported as Exported
from setset.jobs.signals import StopRequest as StopRequest
from setset.maintenance.findings import Finding as Finding
from setset.maintenance.findings import FindingKind as FindingKind
from setset.maintenance.findings import Repaired as Repaired
from setset.maintenance.moved import MovedRoot as MovedRoot
from setset.maintenance.remove import Removed as Removed
from setset.maintenance.remove import RemovedSize as RemovedSize
from setset.progress import Activity as Activity
from setset.progress import NoProgress as NoProgress
from setset.progress import ProgressListener as ProgressListener
from setset.sat import *  # noqa: F403 (the names of its stub)
from setset.show import charts as charts
from setset.show.notebook import ProgressBars as ProgressBars
from setset.show.notebook import draw as draw
from setset.spaces import *  # noqa: F403 (the names of its stub)
from setset.statistics.histograms import Bin as Bin
from setset.statistics.histograms import By as By
from setset.statistics.histograms import Statistics as Statistics
from setset.symmetry import *  # noqa: F403 (the names of its stub)
from setset.table import *  # noqa: F403 (the names of its stub)
from setset.workspace.class_lists import ClassLists as ClassLists
from setset.workspace.class_lists import lists as lists
from setset.workspace.counts import Count as Count
from setset.workspace.counts import CountVerdict as CountVerdict
from setset.workspace.estimate import Estimate as Estimate
from setset.workspace.estimate import SizeEstimate as SizeEstimate
from setset.workspace.estimate import estimate as estimate
from setset.workspace.expectation import CountOrigin as CountOrigin
from setset.workspace.exploration import Exploration as Exploration
from setset.workspace.size import Size as Size
from setset.workspace.stored_classes import class_totals as class_totals
from setset.workspace.stored_classes import load_catalogue as load_catalogue
from setset.workspace.tables import export_classes as export_classes
from setset.workspace.tables import export_counts as export_counts
from setset.workspace.tables import export_links as export_links
from setset.workspace.watch import Watch as Watch
from setset.workspace.workspace import Workspace as Workspace
from setset.workspace.workspace import open as open  # noqa: A004 (as `tarfile.open`)

__all__: list[str]
__version__: str
