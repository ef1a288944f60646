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
# # Caps in AG(4,3) for researchers
#
# This notebook explores a small target, reads the caps as arrays, classifies some, and draws. A hand without a set is
# a cap in the affine space of dimension 4 over the field of three elements; code calls it a list. The notebook makes
# a workspace in the folder `caps` and takes about a minute.

# %%
import numpy as np

import setset

# %% [markdown]
# ## A workspace
#
# Target 18 drops a list if too few cards remain to reach 18. You can stop the run at any moment; the next call
# resumes.

# %%
with setset.open("caps", mode="a") as workspace:
    workspace.exploration(target=18).run(size=4, workers=2)

workspace = setset.open("caps")
workspace

# %%
counts = workspace.counts()
counts

# %% [markdown]
# ## Lists as arrays
#
# A size is a sequence of its lists in lexicographic order; `arrays()` is the fast way through all of them.

# %%
four = workspace.exploration(18)[4]
four

# %%
block = next(four.arrays(start=600_000, chunk=5))
block

# %%
seen = np.zeros(81, dtype=np.int64)
for block in four.arrays():
    seen += np.bincount(block.ravel(), minlength=81)
print(seen[:10], seen.sum() == 4 * four.lists)

# %% [markdown]
# ## Classes
#
# The 1,965,150,720 affine symmetries divide all caps into classes, SIZE/NUMBER. Their numbers never change.

# %%
setset.catalogue_in_memory().level(8)

# %%
found = setset.classify(four[600_000])
found

# %%
one = found.list_class
setset.charts.neighbours(one.size, one.number)

# %% [markdown]
# Any cap has a rank among all caps of its size, so samples are uniform and exact.

# %%
hand = setset.sample(12, count=1, seed=1)[0]
assert setset.unrank(12, setset.rank(hand)) == tuple(sorted(hand.tolist()))
setset.charts.cap(hand)

# %% [markdown]
# ## Plots and files
#
# Charts are Altair charts; `setset.charts.save` writes SVG, PNG, PDF, HTML, the specification or the data.

# %%
setset.charts.counts(workspace)

# %%
setset.charts.save(setset.charts.bytes(workspace, target=18), "bytes.pdf")

# %% [markdown]
# `export` writes Parquet, NumPy, CSV or JSON lines for other programs, as `setset export` does. A folder gets one
# file per batch. Next: `docs/export.md`.

# %%
four.export("four.npy", overwrite=True)
assert np.load("four.npy", mmap_mode="r").shape == (four.lists, 4)

# %%
workspace.sql("SELECT size, SUM(bytes) * 1.0 / SUM(lists) AS bytes_per_list FROM files GROUP BY size")

# %%
workspace.close()
