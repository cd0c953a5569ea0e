"""The steps of a run: each does one thing again without harm and says whether the run is over."""
