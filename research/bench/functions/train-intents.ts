import { openClassifier } from '../../../src/support/intents/classifier.ts';
import type { TrainingSource } from '../../../src/support/intents/intent-model.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';

/** Trains on the body at `/train`; only parses it on other paths. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    // The bench sends nothing else.
    const taxonomy = (await request.json()) as TrainingSource;
    if (new URL(request.url).pathname !== '/train')
      return new Response(String(taxonomy.intents.length));
    const classifier = openClassifier(trainClassifier(taxonomy), taxonomy);
    return new Response(String(classifier.threshold));
  },
};
