import standalone from './standalone.json' with { type: 'json' };

/** Ten questions about the sample knowledge base, of which none refers to another. */
export const QUESTIONS: readonly string[] = standalone.sample;

/**
 * A conversation in which every question follows directly after every other one once: `count` questions make `count * (count - 1)` pairs. An
 * Eulerian circuit of the complete directed graph (Hierholzer).
 */
export function everyPair(questions: readonly string[]): string[] {
  const left = questions.map((_, from) => questions.flatMap((__, to) => (to === from ? [] : [to])));
  const path = [0];
  const circuit: number[] = [];
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const next = left[at]?.pop();
    if (next === undefined) circuit.push(path.pop() ?? 0);
    else path.push(next);
  }
  return circuit.reverse().map((at) => questions[at] ?? '');
}
