import { describe, expect, it } from 'vitest';
import { decide, HOUSE, targetsOf } from './house.ts';

describe('createConcierge() and messages that ask for no knowledge', () => {
  it.each([
    'hi',
    'Hello there!',
    'Good morning, how are you today?',
    'Thanks, you have been a great help!',
    'ok thank you so much, bye',
    'Who are you?',
    'Write me a poem about the sea',
    'Can you write a Python function that sorts a list?',
    'please tell me a joke',
    'Draft a cover letter for a job as a gardener',
    'translate "good night" to french',
  ])('hands %j to nobody', async (message) => {
    const { response } = await decide(message);
    expect(response.delegate).toBeUndefined();
    expect(response.error).toMatchObject({ code: 'NOT_FOUND', suggestion: expect.stringContaining('(Navigator)') });
  });

  it.each([
    ['Hello! How many orders were cancelled last week?', ['analytics']],
    ['Thanks, that was helpful. Which port do I have to open?', ['navigator']],
    ['How do I write a function that calls the API?', ['navigator']],
    ['Tell me a bit about the code E31', ['navigator']],
    ['Create a list of the orders of May', ['analytics']],
    ['Is it good?', ['navigator']],
    ['再见', ['navigator']],
    ['Hello 你好', ['navigator']],
  ])('takes %j for a question', async (message, targets) => {
    expect(await targetsOf(message)).toEqual(targets);
  });

  it('hands a request to write on where a librarian gives such a request as an example', async () => {
    const poet = {
      id: 'poet',
      name: 'Poet',
      examples: ['Write a poem about the autumn', 'Compose a song for a wedding'],
    };
    expect(await targetsOf('Write me a poem about the sea', { librarians: [...HOUSE, poet] })).toEqual(['poet']);
  });
});
