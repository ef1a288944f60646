"""Who does the work? Local worker processes, a Dask cluster, or any `concurrent.futures.Executor`."""
