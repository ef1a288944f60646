"""Every hand of SET cards that holds no set: enumerated, stored, classified.

    import setset

    with setset.open("caps", mode="a") as workspace:
        workspace.exploration(12).run(size=6)
        print(workspace.counts())

    setset.classify([0, 1, 3, 9])
    setset.find_sets(setset.deal(12, seed=7))

The names in `__all__` are public; `__init__.pyi` lists them, docs/python.md teaches them in one page. Each is loaded
when it is first used, so that `import setset` takes milliseconds.
"""

from setset.lazy import Shown, lazy_exports

__version__ = "0.1.0"

Shown.shown_by = "setset.show.notebook"

__getattr__, __dir__, __all__ = lazy_exports(__name__)
