"""Maintenance: check, repair, compact, clean up, rebuild, recount."""
