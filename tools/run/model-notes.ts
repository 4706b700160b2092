import { type AdapterVariables, readAdapters } from '../../src/ai/adapters/settings.ts';
import { examineModels } from '../release/examine.ts';

/** Enough to find a limit of most services, and few to pay for. */
const TEXTS = 40;
/** Later than that nothing is said: the product runs in any case. */
const PATIENCE_MS = 8000;

/**
 * What the configured models refuse, or why one cannot be used, a line each; none without a model. Asks each of them a short question, which
 * a slow one does not delay the start with.
 */
export async function modelNotes(variables: AdapterVariables): Promise<string[]> {
  const settings = readAdapters({ ...variables, ENVIRONMENT: 'development' });
  if (settings.openai === undefined) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  const findings = await Promise.race([
    examineModels(settings, { texts: TEXTS }).catch(() => undefined),
    late,
  ]);
  clearTimeout(timer);
  const shown = (findings ?? []).filter(
    ({ what, state }) => what !== 'prices' && state !== 'not configured',
  );
  return shown.flatMap(({ what, state, reported }) =>
    state === 'wrong'
      ? [`WRONG ${what}: ${reported}`]
      : state === 'worth knowing'
        ? [`note: ${reported}`]
        : [],
  );
}
