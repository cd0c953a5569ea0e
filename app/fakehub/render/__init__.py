"""GitHub's JSON for each kind of resource, complete enough for strict clients."""
