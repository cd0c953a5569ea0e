"""Plain HTML pages of repositories, issues and pull requests."""
