"""Statistics: histograms over all lists of a size, by properties such as the highest card or the class."""
