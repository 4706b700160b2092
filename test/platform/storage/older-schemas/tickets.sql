CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, about TEXT NOT NULL UNIQUE, state TEXT NOT NULL, step TEXT NOT NULL,
  attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, nudge_at INTEGER NOT NULL, nudges INTEGER NOT NULL,
  settle_at INTEGER NOT NULL, deliveries INTEGER NOT NULL, ticket TEXT, note TEXT, draft TEXT, marker TEXT, note_id TEXT,
  result TEXT, error TEXT, accepted_at INTEGER NOT NULL, begun_at INTEGER NOT NULL, changed_at INTEGER NOT NULL,
  version INTEGER NOT NULL, told INTEGER NOT NULL);
INSERT INTO jobs (about, state, step, attempts, due_at, nudge_at, nudges, settle_at, deliveries, accepted_at, begun_at,
  changed_at, version, told) VALUES ('m-1', 'open', 'accepted', 2, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0);
