/** What the drivers share. A driver is copied beside the client that it tries, so that it imports that version. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers';

/** Address of the product, without a slash at the end. */
export const url = variable('CONSTELLATION_URL');
export const key = variable('CONSTELLATION_API_KEY');
/** How the client is used, for drivers that know several ways. */
export const mode = process.env.CLIENT_MODE ?? '';
/** Package and version that is tried. */
export const client = variable('CLIENT');
export const headers = { Authorization: `Bearer ${key}` };

/** Asked of every client: the sample knowledge base answers the first, and not the second. */
export const ANSWERED = 'How long does shipping to Canada take?';
export const DECLINED = 'Which opera houses did Verdi write for?';

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`Cannot run without ${name}`);
  return value;
}

/** Loads a module of the client: its types differ from version to version, so the caller says what it uses of it. */
export async function load<T>(specifier: string): Promise<T> {
  return (await import(specifier)) as T;
} // see above

/** An answer that says how long, with its source: a number, or the address in structured content. */
export function isAnswer(text: string): void {
  assert.match(text, /Canada/);
  assert.match(text, /\[1\]|https?:/);
}

/** A refusal: words for people, without an answer, a path, an id or a number of ours. */
export function isDecline(text: string): void {
  assert.match(text, /\w+ \w+/);
  assert.doesNotMatch(text, /Verdi wrote|\.md\b|threshold|similarity|0\.\d/);
}

/** The error that an action ends with. */
export async function errorOf(
  action: () => PromiseLike<unknown>,
): Promise<Error & Record<string, unknown>> {
  try {
    await action();
  } catch (error) {
    assert(error instanceof Error);
    return error as Error & Record<string, unknown>; // an error is an object
  }
  return assert.fail('it did not fail');
}

const ACTION_MS = 30_000;

/** Tries each action alone, prints a line of JSON for each, and ends the process: some clients keep connections open. */
export async function tryAll(actions: Record<string, () => Promise<unknown>>): Promise<never> {
  for (const [tried, action] of Object.entries(actions)) {
    const problem = await bounded(action).then(
      () => undefined,
      (error: unknown) =>
        (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 400),
    );
    process.stdout.write(`${JSON.stringify({ tried, problem })}\n`);
  }
  process.exit(0);
}

const bounded = (action: () => Promise<unknown>): Promise<unknown> =>
  Promise.race([
    action(),
    new Promise((_resolve, reject) => {
      setTimeout(
        () => reject(new Error(`no result within ${ACTION_MS / 1000} s`)),
        ACTION_MS,
      ).unref();
    }),
  ]);
