"""What the local GitHub remembers: accounts, repositories and what hangs on them."""
