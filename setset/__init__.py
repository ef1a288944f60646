"""Enumerates, stores and classifies all hands of SET cards that hold no set.

    import setset

    with setset.open("caps", mode="a") as workspace:
        workspace.exploration(12).run(size=6)
        print(workspace.counts())

    setset.classify([0, 1, 3, 9])
    setset.find_sets(setset.deal(12, seed=7))

The names in `__all__` are public. `__init__.pyi` declares them, and docs/python.md explains them on one page. A name is
imported on first use, so `import setset` takes milliseconds.
"""

from setset.lazy import Shown, lazy_exports

__version__ = "0.2.0"

Shown.shown_by = "setset.show.notebook"

__getattr__, __dir__, __all__ = lazy_exports(__name__)
