"""Executors of tasks: local worker processes, a Dask cluster, or any `concurrent.futures.Executor`."""
