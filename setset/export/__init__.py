"""The lists in everybody's tools: Parquet, NumPy, CSV, JSON lines; and tables for them and for GAP."""
