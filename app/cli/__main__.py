"""`python -m app.cli`: the console script by another name."""

from app.cli.main import main

main()
