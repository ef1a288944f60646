"""Executors, which carry out the tasks of a run: local worker processes, a Dask cluster, or any
`concurrent.futures.Executor`."""
