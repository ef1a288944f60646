"""Everything a person looks at: tables, progress, pictures."""
