"""Data that ships with the distribution: toolchains, images, deployment files."""
