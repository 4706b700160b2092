/** Part of `npm run check`: npm verifies every package that package-lock.json names. */
import { readFileSync } from 'node:fs';
import { type LockFile, lockProblems } from './lock-entries.ts';

const lock = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as LockFile; // npm writes it
const problems = lockProblems(lock);
for (const problem of problems)
  console.error(`package-lock.json: ${problem}. Run npx constellation lock`);
process.exitCode = problems.length > 0 ? 1 : 0;
