/** @param version Such as `22.18.0`. @param path The executable, which the problem names. */
export function sourcesProblem(version: string, path: string): string | undefined;
export function productProblem(command: string, version: string, path: string): string | undefined;
