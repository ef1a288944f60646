from setset.distribution.counts import KNOWN_HANDS as KNOWN_HANDS
from setset.distribution.counts import HandCounts as HandCounts
from setset.distribution.counts import hands as hands
from setset.distribution.counts import sets_by_differences as sets_by_differences
from setset.distribution.integers import IntegerSequence as IntegerSequence
from setset.distribution.integers import find_sequence as find_sequence
from setset.distribution.integers import sequences as sequences
from setset.distribution.levels import compute_hands as compute_hands
