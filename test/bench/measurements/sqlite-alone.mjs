import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The same texts in a table of SQLite with its own full text: what is asked of it is what is asked of the transcripts. */
export async function measure({ directory, path }) {
  const { DatabaseSync } = await import('node:sqlite');
  const writing = new DatabaseSync(path);
  writing.exec(`
    CREATE TABLE sessions (id INTEGER PRIMARY KEY, name TEXT, updatedAt TEXT);
    CREATE VIRTUAL TABLE texts USING fts5(text);
    BEGIN`);
  const addSession = writing.prepare('INSERT INTO sessions (name, updatedAt) VALUES (?, ?)');
  const addText = writing.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
  const start = performance.now();
  for (const name of readdirSync(directory).filter((each) => each.endsWith('.jsonl'))) {
    const text = readFileSync(join(directory, name), 'utf8');
    const { lastInsertRowid } = addSession.run(name, new Date().toISOString());
    addText.run(lastInsertRowid, text);
  }
  writing.exec('COMMIT');
  writing.close();
  const writeMs = performance.now() - start;
  const opened = performance.now();
  const database = new DatabaseSync(path);
  const sessions = database.prepare('SELECT * FROM sessions ORDER BY updatedAt DESC').all();
  const listMs = performance.now() - opened;
  const asked = performance.now();
  const hit = database
    .prepare(`SELECT snippet(texts, 0, '[', ']', '…', 16) AS text FROM texts WHERE texts MATCH ? LIMIT 1`)
    .get('"velvet xylo" *');
  const firstHitMs = performance.now() - asked;
  database.close();
  assert.ok(sessions.length > 0);
  assert.match(hit.text, /xylophone/);
  return { writeMs, listMs, firstHitMs };
}
