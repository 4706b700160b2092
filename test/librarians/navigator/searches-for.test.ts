import { expect, it } from 'vitest';
import type { SearchToDo } from '../../../src/knowledge/edition/current-edition.ts';
import { createRetriever, questionText } from '../../../src/knowledge/search/retrieve.ts';
import { answerQuestion, searchesFor } from '../../../src/librarians/navigator/answer-question.ts';
import { OFTEN, openSmallKb } from '../../answering/write/small-kb.ts';

const user = (text: string) => ({ speaker: 'user' as const, text });
const textOf = ({ question, history = [] }: SearchToDo) => questionText(question, { history });

it.each([
  [OFTEN, []],
  [`${OFTEN} How do I clean the milk frother?`, []],
  ['How often?', [user('How do I descale the boiler?')]],
  ['And how often is that needed?', [user(OFTEN), user('How do I clean the milk frother?')]],
  [OFTEN, [user('Barista II')]],
])('names every search that answering does: %j after %j', async (question, history) => {
  const done: string[] = [];
  const plain = createRetriever({});
  await answerQuestion(openSmallKb().edition, question, {
    history,
    timeLeftMs: () => 5000,
    retrieve: (searched, text, options = {}) => {
      done.push(questionText(text, options));
      return plain(searched, text, options);
    },
  });
  expect(done.length).toBeGreaterThan(0);
  expect(searchesFor(question, history).map(textOf)).toEqual(expect.arrayContaining(done));
});
