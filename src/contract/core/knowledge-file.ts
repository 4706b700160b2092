import * as z from 'zod';

/**
 * An article's path from the root of its knowledge base, or its id there. 1 to 300 characters, parts joined by `/`; no leading or doubled
 * slash, no `.` or `..` part, no backslash, no URL scheme, no control character or line separator. Percent-encoded, as in an address, it
 * has at most 1,800 characters: a signed call names its path, which may have 2,047.
 */
export const KnowledgeFile = z
  .string()
  .min(1, 'is empty')
  .max(300)
  .superRefine((file, check) => {
    const problem = problemWith(file);
    if (problem !== undefined) check.addIssue({ code: 'custom', message: problem });
  });
export type KnowledgeFile = z.infer<typeof KnowledgeFile>;

const MAX_ENCODED = 1800;

const problemWith = (file: string): string | undefined => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(file))
    return 'has a URL scheme; a path from the root of the knowledge base is asked for';
  if (file.startsWith('/'))
    return 'starts with a slash; a path from the root of the knowledge base is asked for';
  if (file.includes('\\')) return 'has a backslash; parts are joined by /';
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(file)) return 'has a control character';
  if (file.trim() !== file) return 'starts or ends with white space';
  // No half of a surrogate pair is left, which could not be encoded.
  const encoded = encodeURIComponent(file).length;
  if (encoded > MAX_ENCODED)
    return `has ${encoded} characters in an address, more than ${MAX_ENCODED}`;
  return file.split('/').some((part) => ['', '.', '..'].includes(part))
    ? 'has an empty, . or .. part'
    : undefined;
};
