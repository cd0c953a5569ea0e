"""The honest room: guards, runs, verdicts and the loop, without GitHub, model or web."""
