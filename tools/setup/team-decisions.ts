import { appendFileSync } from 'node:fs';
import { NO_MODEL } from '../../src/ai/adapters/settings.ts';
import { readKeepAnswers } from '../../src/gateway/history/keep-answers.ts';
import type { SetupRun } from './account.ts';

export interface DecisionOptions {
  /** Variables of the file; what is decided is added. */
  given: Record<string, string>;
  /** The file that `--env` names. */
  file: string;
  /** Asks a person; `undefined` where there is none. */
  ask: ((question: string) => Promise<string>) | undefined;
}

interface Decision {
  name: string;
  question: string;
  /** The reply of somebody who only presses Enter. */
  usual: string;
  /** For those who were not asked. */
  unset: string;
  /** In a dry run. */
  what: string;
  /** Whether there is something to decide. */
  isOpen(given: Readonly<Record<string, string>>): boolean;
  /** The value to write. @throws {Error} For a reply that is none. */
  read(reply: string): string;
}

/** What only the team can decide, where its file does not say. A decision is written into the file, and not asked for again. */
const DECISIONS: readonly Decision[] = [
  {
    name: 'KEEP_ANSWERS',
    question:
      'Keep questions and answers for the console, masked, for 30 days (docs/answers-kept.md)? all, none, or workspaces [none]: ',
    usual: 'none',
    unset:
      'KEEP_ANSWERS is not set: answers are not kept, and the Answers and Charts of the console stay empty',
    what: 'ask whether answers are kept',
    isOpen: () => true,
    read: (reply) => {
      readKeepAnswers({ KEEP_ANSWERS: reply });
      return reply;
    },
  },
  {
    name: 'WORKERS_AI',
    question:
      'No model is configured. Let Workers AI of your account write and check answers, for which Cloudflare bills (docs/providers.md#workers-ai)? yes or no [no]: ',
    usual: 'no',
    unset:
      'WORKERS_AI is not set, and no other model: answers are quotes (docs/providers.md#workers-ai)',
    what: 'ask whether Workers AI answers',
    isOpen: (given) =>
      !given.OPENAI_API_KEY &&
      !given.OPENAI_BASE_URL &&
      given.MODELS !== NO_MODEL &&
      given.CHAT_MODEL !== NO_MODEL,
    read: (reply) => {
      const word = /^(?:(y)(?:es)?|(n)o?)$/i.exec(reply);
      if (word === null) throw new Error(`Cannot use ${reply}: answer yes or no`);
      return word[1] === undefined ? 'no' : 'yes';
    },
  },
];

/** Asks for each decision that is open, or reports what follows from its absence. */
export async function makeDecisions(
  run: Pick<SetupRun, 'dryRun' | 'report'>,
  { given, file, ask }: DecisionOptions,
): Promise<void> {
  for (const { name, question, usual, unset, what, isOpen, read } of DECISIONS) {
    if (given[name] !== undefined || !isOpen(given)) continue;
    if (run.dryRun) {
      run.report('would do', `${what}, and write ${name} into the file`);
    } else if (ask === undefined) {
      run.report('skipped', unset);
    } else {
      const value = read((await ask(question)).trim() || usual);
      appendFileSync(file, `\n${name}=${value}\n`);
      given[name] = value;
      run.report('changed', `${file}: ${name}=${value}`);
    }
  }
}
