"""Tests of Patchwright."""
