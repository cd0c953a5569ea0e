"""Patchwright's composition root and everything that speaks to the outside."""
