# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # SET for players and students
#
# A tour of cards, sets, games and odds. To open this file in Jupyter, run `pip install 'setset[plot]' jupytext
# notebook`, then right-click, "Open with notebook". It needs no workspace and takes about a minute.

# %%
import setset

# %% [markdown]
# ## Cards and sets
#
# A card is a number from 0 to 80. Three cards are a set if colour, count, shading and shape are each all the same or
# all different. Here are twelve cards, with a ring around the cards of each set.

# %%
table = setset.deal(12, seed=7)
setset.draw(table, with_sets=True)

# %%
setset.find_sets(table)

# %% [markdown]
# Which three cards are no set, and why?

# %%
setset.why_no_set(0, 1, 3)

# %% [markdown]
# ## A game
#
# A game is a frozen value: each call returns a new game.

# %%
game = setset.new_game(setset.deal(81, seed=7), players=2)
game

# %%
verdict = setset.call_set(game, 0, setset.find_sets(game.table)[0])
print(verdict.right, verdict.game.scores)

# %% [markdown]
# ## How likely is no set?
#
# For random cards there is an exact answer: 12 cards hold no set once in about 31 times.

# %%
chance = setset.chance_without_set(12)
print(chance, float(chance), "odds", float((1 - chance) / chance))

# %%
setset.charts.odds()

# %% [markdown]
# A table in play holds no set more often, because players have taken sets away. How much more often depends on the
# round.

# %%
simulation = setset.simulate(games=20_000, seed=1)
setset.charts.rounds(simulation)

# %% [markdown]
# ## The largest hand without a set
#
# Twenty cards can be without a set, 21 cannot. All such hands of twenty are alike: a symmetry of the deck turns any
# of them into any other. Next: the notebook `researchers.py`.

# %%
largest = setset.catalogue_in_memory().level(20).classes[0]
largest

# %%
setset.charts.cap(largest.cards)
