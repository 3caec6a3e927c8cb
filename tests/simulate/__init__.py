"""Workload logs, and what comes of playing them."""
