import { AnswersPage, KeptAnswer } from '../../src/contract/wire/answers.ts';
import type { Product } from '../../tools/run/product.ts';
import { seededRandom } from '../../tools/sample/shop/seeded-random.ts';

const DAY_MS = 86_400_000;

/**
 * Asks the questions, waits until their answers are kept, and keeps each again on days before, so that a page has a past to show. Of those
 * that answer, the share `judged` gets a thumb, up as often as the confidence says.
 */
export async function keepPastAnswers(
  product: Product,
  questions: readonly string[],
  { days, judged = 0, now = Date.now() }: { days: number; judged?: number; now?: number },
): Promise<void> {
  for (const query of questions) {
    const response = await product.fetch('/v1/ask', {
      method: 'POST',
      body: JSON.stringify({ query }),
    });
    if (!response.ok) throw new Error(`Cannot ask ${query}: the answer is ${response.status}`);
  }
  const answers = await keptAnswers(product, questions);
  const namespace = await product.miniflare.getDurableObjectNamespace(
    'ANSWERS',
    'constellation-memory',
  );
  // The type of the runtime does not know the methods of this object, `AnswersObject`.
  const object = namespace.getByName('default') as unknown as {
    keep(workspace: string, answers: KeptAnswer[]): Promise<void>;
  };
  const random = seededRandom(1);
  for (let day = days; day >= 1; day -= 1) {
    for (const answer of answers) {
      if (random.next() > 0.4 + 0.5 * (1 - day / days)) continue;
      const asked_at = new Date(now - day * DAY_MS).toISOString();
      const id = crypto.randomUUID();
      await object.keep('default', [{ ...answer, id, asked_at }]);
      if (answer.sources.length === 0 || random.next() > judged) continue;
      const value = random.next() < (answer.confidence ?? 0) ? 'up' : 'down';
      const response = await product.fetch(`/v1/answers/${id}/feedback`, {
        method: 'POST',
        body: JSON.stringify({ value }),
      });
      if (!response.ok)
        throw new Error(
          `Cannot judge the answer to ${answer.question}: the reply is ${response.status}`,
        );
    }
  }
}

/** They are kept after their responses. */
const keptAnswers = async (
  product: Product,
  questions: readonly string[],
): Promise<KeptAnswer[]> => {
  for (;;) {
    const { answers } = AnswersPage.parse(
      await (await product.fetch('/v1/answers?limit=200')).json(),
    );
    const kept = questions.map((each) => answers.find(({ question }) => question === each));
    if (kept.every((each) => each !== undefined))
      return Promise.all(
        kept.map(async ({ id }) =>
          KeptAnswer.parse(await (await product.fetch(`/v1/answers/${id}`)).json()),
        ),
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
