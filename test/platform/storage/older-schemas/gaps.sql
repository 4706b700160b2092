CREATE TABLE gaps (id TEXT PRIMARY KEY, kind TEXT NOT NULL, product TEXT, intent TEXT, gap TEXT NOT NULL,
  stems TEXT NOT NULL, vector BLOB, model TEXT, count INTEGER NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
  closed_at INTEGER, edition TEXT NOT NULL, edition_number INTEGER NOT NULL);
CREATE TABLE gap_examples (place INTEGER PRIMARY KEY AUTOINCREMENT, gap TEXT NOT NULL, message TEXT NOT NULL, subject TEXT,
  intent TEXT NOT NULL, product TEXT);
INSERT INTO gaps VALUES ('g-1', 'question', NULL, 'x', 'No article covers zigbee', '[]', NULL, NULL, 3, 1, 1, NULL, 'e000001', 1);
INSERT INTO gap_examples (gap, message, intent) VALUES ('g-1', 'Zigbee?', 'x');
