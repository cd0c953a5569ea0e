"""Tests of the diff engine and the cases they share."""
