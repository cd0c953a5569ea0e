"""Webhook event in, intent out: pure functions, one module a concern."""
