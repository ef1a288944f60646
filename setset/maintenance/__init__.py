"""Maintenance (is it sound, and if not?): check, repair, compact, clean up, rebuild, recount."""
