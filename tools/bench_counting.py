"""Part of the benchmark: counting and expanding on one core, beside counters in C on the same lists."""

from __future__ import annotations

import bench_deep
from bench_figures import Bench, timed
from bench_kernels import TARGET, count_below, level, root, sample

from setset.engine import search
from setset.engine.bitstreams import Streams

LISTS_OF_12 = 2_284_535_476_080


def measure(bench: Bench) -> None:
    search.compile_kernels()
    for size in (6, 7) if bench.quick else (7, 8):
        measure_size(bench, size)
    measure_count_to_12(bench)
    for target in (12, 18):
        measure_deep_walk(bench, target)


def measure_size(bench: Bench, size: int) -> None:
    """Counts and expands a whole size, in turns with the counter in C. Each figure is the best of three."""
    source, sources = root(), level(size - 1)
    share = max(1, sum(batch.lists for batch in sources) // 150_000_000)
    c_rate = count_rate = expand_rate = 0.0
    for _ in range(3):
        in_c, rate = bench.counted_in_c("tree", TARGET, size)
        c_rate = max(c_rate, rate)
        counts, seconds = timed(search.count, source, TARGET, size)
        count_rate = max(count_rate, counts[size] / seconds)
        require_equal(counts[size], in_c)
        lists, seconds = timed(count_below_all, sources[::share], size)
        expand_rate = max(expand_rate, lists / seconds)
    bench.add(f"C counter, size {size}", c_rate / 1e6, "M lists/s")
    bench.add(f"kernel count, size {size}", count_rate / 1e6, "M lists/s")
    bench.add(f"kernel count / C, size {size}", count_rate / c_rate, "x", 1.0)
    bench.add(f"kernel expand, size {size}", expand_rate / 1e6, "M lists/s")
    bench.add(f"kernel expand / C, size {size}", expand_rate / c_rate, "x", 1.0)


def count_below_all(batches: list[Streams], size: int) -> int:
    return sum(count_below(batch, size) for batch in batches)


def measure_count_to_12(bench: Bench) -> None:
    """Counts the lists of 12 cards below a sample of lists of 9 cards, in turns with the counter in C. Each figure is
    the better of two."""
    raw = bench.folder / "lists"
    total, own_seconds, c_seconds = 0, 0.0, 0.0
    for source in sample(8, 2 if bench.quick else 6):
        batch = next(search.expand(source, TARGET, 4_000_000))
        raw.write_bytes(b"".join(rows.tobytes() for rows in search.unpack(batch)))
        c_rate = own_rate = 0.0
        for _ in range(2):
            in_c, rate = bench.counted_in_c("from", raw, 9, TARGET, 12)
            c_rate = max(c_rate, rate)
            counts, seconds = timed(search.count, batch, TARGET, 12)
            own_rate = max(own_rate, counts[12] / seconds)
            require_equal(counts[12], in_c)
        total, own_seconds, c_seconds = total + in_c, own_seconds + in_c / own_rate, c_seconds + in_c / c_rate
    bench.add("C counter, lists of 12 below 9-lists", total / c_seconds / 1e6, "M lists/s")
    bench.add("kernel count, lists of 12 below 9-lists", total / own_seconds / 1e6, "M lists/s")
    bench.add("kernel count / C, lists of 12 below 9-lists", c_seconds / own_seconds, "x", 0.8)


def measure_deep_walk(bench: Bench, target: int) -> None:
    """Counts and stores a size in one walk from random lists of 5 cards, in turns with the counter in C."""
    lists = 500 if bench.quick else bench_deep.SAMPLE.get(target, bench_deep.OTHER_SAMPLE)
    times = bench_deep.measure_target(target, bench_deep.via(target), lists, 1, bench.deep_counter)
    hours = bench_deep.LISTS_OF_5 / lists / 3600
    bench.add(f"C counter, deep walk to {target}", times.lists / times.c / 1e6, "M lists/s")
    bench.add(f"deep count to {target} / C", times.c / times.count, "x", 1.0)
    bench.add(f"deep expand to {target} / C", times.c / times.expand, "x")
    bench.add(f"count all lists of {target} on one core, projected", 60 * hours * times.count, "min")
    bench.add(f"store all lists of {target} on one core, projected", 60 * hours * (times.expand + times.encode), "min")


def require_equal(own: int, in_c: int) -> None:
    if own != in_c:
        raise SystemExit(f"setset counts {own} lists, but the counter in C counts {in_c}")
