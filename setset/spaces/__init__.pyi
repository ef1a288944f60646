from setset.spaces.decks import Deck as Deck
from setset.spaces.decks import DeckTotals as DeckTotals
from setset.spaces.points import read_points as read_points
from setset.spaces.verification import LARGEST_CAPS as LARGEST_CAPS
from setset.spaces.verification import Verification as Verification
from setset.spaces.verification import verify as verify
