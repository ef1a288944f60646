"""The executor for workers on a Dask cluster. Imported only if the user chooses Dask."""
