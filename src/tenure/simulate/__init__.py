"""Workload logs played through a scheduler: what lengths of lease, numbers of workers and crashes do to them."""
