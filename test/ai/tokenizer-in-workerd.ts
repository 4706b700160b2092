import { TiktokenTokenizer } from '../../src/ai/tokenizer.ts';

/** Counts the tokens of a text at once, with nothing loaded before. */
export default {
  fetch: async (request: Request): Promise<Response> => {
    const { model, text } = (await request.json()) as { model: string; text: string }; // the test beside this file writes it
    try {
      const tokenizer = new TiktokenTokenizer(model);
      const tokens = tokenizer.encode(text);
      return Response.json({
        count: tokenizer.count(text),
        tokens,
        text: tokenizer.decode(tokens),
      });
    } catch (error) {
      const { name, message } = error as Error; // one of our own classes
      return Response.json({ name, message });
    }
  },
};
