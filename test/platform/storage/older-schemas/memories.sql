CREATE TABLE memories (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
  confidence REAL NOT NULL, conversation TEXT, person TEXT, memory TEXT NOT NULL);
INSERT INTO memories (id, place, type, confidence, conversation, memory) VALUES
  ('f', 'f', 'fact', 1, 'c', '{"id":"f","workspace_id":"w","type":"fact","content":"A yak.","confidence":1,
    "created_at":"2026-11-01T10:00:00.5Z","metadata":{"asked":"by"}}'),
  ('t', 't', 'fact', 1, 'c', '{"id":"t","workspace_id":"w","type":"fact","content":"A yak.","confidence":1,
    "created_at":"2026-11-01T10:00:00.5Z","metadata":{"turn":"1","asked_by":"user:ada"}}');
