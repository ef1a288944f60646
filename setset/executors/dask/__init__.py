"""Workers on a Dask cluster. Imported only when asked for."""
