"""Sandbox images: makes sure of the image in which a repository's tests run."""

from sandbox.images.ensure import ensure
from sandbox.images.recipe import Recipe, load
from sandbox.images.types import BuilderMissing, ImageError, ImageRef, Progress

__all__ = ["BuilderMissing", "ImageError", "ImageRef", "Progress", "Recipe", "ensure", "load"]
