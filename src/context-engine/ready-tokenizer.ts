import { CharacterTokenizer, loadTokenizer, type Tokenizer } from '../ai/tokenizer.ts';
import { cl100k } from '../ai/tokenizers/cl100k.ts';
import { describeCause } from '../runtime/log.ts';
import type { ContextEngineConfig } from './config.ts';
import { logSafely } from './errors.ts';

/**
 * Loads the tokenizer of an engine for its first context. When loading fails, that context is estimated as a whole, and the next one tries
 * again.
 */
export const readyTokenizer = ({
  tokenizer = () => loadTokenizer('gpt-4', [cl100k]),
  logger,
}: ContextEngineConfig): (() => Promise<Tokenizer>) => {
  let ready = typeof tokenizer === 'function' ? undefined : tokenizer;
  return async () => {
    if (ready !== undefined || typeof tokenizer !== 'function') return ready ?? new CharacterTokenizer();
    try {
      ready = await tokenizer();
      return ready;
    } catch (error) {
      const fields = { cause: describeCause(error) };
      logSafely(logger, 'warn', {
        message: 'context engine: the tokenizer was not loaded, tokens are estimated',
        fields,
      });
      return new CharacterTokenizer();
    }
  };
};
