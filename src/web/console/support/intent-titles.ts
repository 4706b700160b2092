import { signal } from '@preact/signals';
import type { Taxonomy } from '../../../contract/wire/taxonomy.ts';
import { call, may } from '../session/deployment.ts';
import { t } from '../texts/texts.ts';

const titles = signal<Readonly<Record<string, string>> | undefined>(undefined);

/** The intents of the workspace by id, with their titles; empty until they are read, and for keys that may not read them. */
export function intentTitles(): Readonly<Record<string, string>> {
  if (titles.value === undefined && may('support:analyze') === true) void readTitles();
  return titles.value ?? {};
}

let reading: Promise<void> | undefined;

const readTitles = (): Promise<void> => {
  reading ??= call<{ taxonomy: Taxonomy }>('GET /v1/support/taxonomy', { taxonomy: 'object' }).then(
    ({ taxonomy }) => {
      titles.value = Object.fromEntries(taxonomy.intents.map(({ id, title }) => [id, title]));
    },
    () => {
      titles.value = {};
    },
  );
  return reading;
};

/** What an intent is called; the words of its id where no title is known. */
export function intentTitle(id: string): string {
  if (id === UNKNOWN) return t('intent.unknown');
  return intentTitles()[id] ?? id.replaceAll('_', ' ');
}

/** As in the contract, whose schemas the console does without. */
const UNKNOWN = 'unknown';
