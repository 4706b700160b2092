/** `npx constellation new <id>`: makes a librarian that runs and answers at once (docs/librarians.md). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { helpIfAsked, orFail, orUsageError } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { HELP, type NewLibrarianOptions, newLibrarianOptions } from './new-librarian-options.ts';
import { type PlannedFile, planLibrarian } from './plan-librarian.ts';

main();

function main(): void {
  helpIfAsked(HELP);
  const options = orUsageError(() => newLibrarianOptions(process.argv.slice(2)));
  const files = orFail(() => planLibrarian(options, ROOT));
  files.forEach(write);
  console.log(nextSteps(options));
}

function write({ path, text, isNew }: PlannedFile): void {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  // A file that came up in the meantime is not written over.
  writeFileSync(file, text, { flag: isNew ? 'wx' : 'w' });
  console.log(`${isNew ? 'made   ' : 'changed'} ${path}`);
}

function nextSteps({ info: { id, name } }: NewLibrarianOptions): string {
  const body = JSON.stringify({
    query: `What do you know about ${name}?`,
    librarian: id,
  }).replaceAll("'", "'\\''");
  return `
Write what it knows in functions/${id}/librarian.ts. To run and to ask it, with the key that npm start prints:

  npm start
  curl -s http://127.0.0.1:8787/v1/ask -H "Authorization: Bearer $CONSTELLATION_API_KEY" \\
    -H 'Content-Type: application/json' -d '${body}'

  npm test -- test/conformance/${id}.test.ts

For production: npx constellation keys rotate ${id}, give the function its key, npm run deploy.`;
}
