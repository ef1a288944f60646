"""Histograms over all lists of a size."""
