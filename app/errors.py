"""Errors that a person reads as they stand: what is wrong and what to change."""


class UserError(Exception):
    """The message is one or two plain sentences and valid Markdown; it never holds a secret."""
