"""Benches and the tools they share; run one with `python -m tests.bench.NAME`."""
