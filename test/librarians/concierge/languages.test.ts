import { expect, it } from 'vitest';
import analytics from '../../../src/librarians/analytics/question-examples.json' with {
  type: 'json',
};
import semantic from '../../../src/librarians/semantic/question-examples.json' with {
  type: 'json',
};
import webSearch from '../../../src/librarians/web-search/question-examples.json' with {
  type: 'json',
};
import { LIBRARIANS, targetsOf } from './decide.ts';
import questions from './questions-by-language.json' with { type: 'json' };

/** The sample librarians with the examples of the product. */
const EXAMPLES: Record<string, string[]> = { analytics, semantic, 'web-search': webSearch };
const librarians = LIBRARIANS.map((each) => ({
  ...each,
  examples: EXAMPLES[each.id] ?? each.examples ?? [],
}));

it.each(questions.routed)('routes $question to $targets', async ({ question, targets }) => {
  expect(await targetsOf(question, { librarians })).toEqual(targets);
});
it.each(questions.followUps)(
  'keeps the librarian for $question after $before',
  async ({ before, question, target }) => {
    const history = [
      { speaker: 'user', text: before },
      { speaker: 'assistant', text: 'So.', librarian: target },
    ];
    expect(await targetsOf(question, { librarians, metadata: { history } })).toEqual([target]);
  },
);
