"""Averages, moments, covariances, differences, quantiles and histograms."""
