/** Names of external librarians by their ids, which are the same in all answers of a deployment. */
const NAMES = new Map<string, string>();

/** Remembers the names that an answer brings under `metadata.reporters`. */
export function learnReporters(metadata: Readonly<Record<string, unknown>> | undefined): void {
  for (const [id, name] of Object.entries(metadata?.reporters ?? {}))
    if (typeof name === 'string') NAMES.set(id, name);
}

/** Remembers the names of the librarians that a question goes to. */
export function learnRouted(
  librarians: readonly { id: string; name?: string | undefined }[],
): void {
  for (const { id, name } of librarians) if (name !== undefined) NAMES.set(id, name);
}

/** What a reader calls an external librarian. Answers of earlier versions bring no name. */
export function reporterName(id: string): string {
  return NAMES.get(id) ?? id.replace(/^partner\./, '');
}
