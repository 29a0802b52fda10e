"""Plots of measurements: what stands where (scale.py, chart.py, without Qt), and the views that draw it."""
