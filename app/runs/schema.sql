-- The App's own inbox. Names on GitHub are case-insensitive, so leases are as well.

CREATE TABLE IF NOT EXISTS runs (
    run_id          TEXT PRIMARY KEY,
    delivery_id     TEXT NOT NULL UNIQUE,
    installation_id INTEGER NOT NULL,
    owner           TEXT NOT NULL,
    repo            TEXT NOT NULL,
    issue           INTEGER NOT NULL,
    title           TEXT NOT NULL,
    sender          TEXT NOT NULL,
    sender_type     TEXT NOT NULL,
    label           TEXT NOT NULL,
    state           TEXT NOT NULL DEFAULT 'queued' CHECK (state IN
        ('queued', 'running', 'waiting', 'done', 'refused', 'failed', 'cancelled')),
    outcome         TEXT CHECK (outcome IN
        ('fixed', 'no_progress', 'budget', 'gave_up', 'unrunnable')),
    reason          TEXT NOT NULL DEFAULT '',
    sentence        TEXT NOT NULL DEFAULT '',
    base_sha        TEXT NOT NULL DEFAULT '',
    pull_number     INTEGER,
    comment_id      INTEGER,
    dispatched      INTEGER NOT NULL DEFAULT 0,
    created         REAL NOT NULL,
    updated         REAL NOT NULL,
    CHECK ((state = 'done') = (outcome IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS runs_by_age ON runs (created DESC);
CREATE INDEX IF NOT EXISTS runs_to_dispatch ON runs (created) WHERE dispatched = 0;

CREATE TABLE IF NOT EXISTS deliveries (
    delivery_id TEXT PRIMARY KEY,
    result      TEXT NOT NULL CHECK (result IN ('accepted', 'leased')),
    run_id      TEXT NOT NULL REFERENCES runs (run_id),
    at          REAL NOT NULL
);

-- At most one live run for an issue: the row goes when its run reaches a final state.
CREATE TABLE IF NOT EXISTS leases (
    owner  TEXT NOT NULL COLLATE NOCASE,
    repo   TEXT NOT NULL COLLATE NOCASE,
    issue  INTEGER NOT NULL,
    run_id TEXT NOT NULL UNIQUE REFERENCES runs (run_id),
    PRIMARY KEY (owner, repo, issue)
);

CREATE TABLE IF NOT EXISTS events (
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    seq    INTEGER NOT NULL,
    at     REAL NOT NULL,
    stage  TEXT NOT NULL,
    text   TEXT NOT NULL,
    data   TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
);
