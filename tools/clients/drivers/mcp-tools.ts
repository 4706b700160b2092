import assert from 'node:assert/strict';
import { ANSWERED, DECLINED, isAnswer, isDecline } from './driver.ts';

/** What a tool call came to, in any client: its text, and whether the client takes it for a failure. */
export interface Called {
  text: string;
  isError: boolean;
}

/** The actions that every client of MCP can do, by a client's way to list and to call tools. */
export function toolActions(
  list: () => Promise<string[]>,
  call: (name: string, given: Record<string, unknown>) => Promise<Called>,
): Record<string, () => Promise<unknown>> {
  return {
    'list tools': async () => {
      const names = await list();
      for (const name of [
        'ask',
        'search',
        'read_article',
        'list_gaps',
        'analyze_ticket',
        'remember',
        'recall',
      ])
        assert(
          names.some((each) => each.endsWith(name)),
          `no tool ${name} in ${names.join()}`,
        );
    },
    'a tool call': async () => {
      const { text, isError } = await call('search', { query: 'reset the password' });
      assert(!isError, text);
      assert.match(text, /https?:\/\//);
    },
    'a question answered': async () => {
      const { text, isError } = await call('ask', { query: ANSWERED });
      assert(!isError, text);
      isAnswer(text);
    },
    'a question declined': async () => {
      const { text, isError } = await call('ask', { query: DECLINED });
      assert(!isError, text);
      isDecline(text);
    },
    'a call that fails': async () => {
      const { text, isError } = await call('read_article', { id: 'nope.md' });
      assert(isError, text);
      assert.match(text, /Cannot find this article/);
    },
    'wrong arguments': async () => {
      const { text, isError } = await call('list_gaps', { limit: 1000 });
      assert(isError, text);
      // Some clients check the arguments themselves.
      assert.match(text, /limit|1000|schema/);
    },
  };
}

/** A call of a client that throws what fails. */
export async function orThrown(call: () => Promise<string>): Promise<Called> {
  try {
    return { text: await call(), isError: false };
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isError: true };
  }
}

interface Content {
  content: { type: string; text?: string }[];
  isError?: boolean;
}

/** A result as the protocol has it. */
export function calledOf({ content, isError }: Content): Called {
  return {
    text: content.map(({ text = '' }) => text).join('\n'),
    isError: isError === true,
  };
}

/** What a client returns for a call: the answer in its structured content, where there is one, else all. */
export function answerOf(result: unknown): string {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const { answer, statements, sources } = structuredOf(result);
  return answer === undefined ? text : `${answer}\n${JSON.stringify([statements, sources])}`;
}

interface Structured {
  answer?: string;
  statements?: unknown;
  sources?: unknown;
}

const structuredOf = (result: unknown): Structured => {
  const [first] = [result].flat() as unknown[]; // a list of blocks, or one object
  const { structuredContent, ...own } = (first ?? {}) as Structured & {
    structuredContent?: Structured;
  }; // as both clients return it
  return structuredContent ?? own;
};
