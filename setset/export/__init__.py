"""Export of lists to Parquet, NumPy, CSV and JSON lines, and of tables to CSV, JSON, Parquet and GAP."""
