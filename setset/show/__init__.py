"""Everything that a person sees: tables, messages, progress, pictures, charts and reports."""
