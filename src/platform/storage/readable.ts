/**
 * `mayReadAsked` of platform/context/capabilities.ts as a condition of SQL: for rows whose column `audiences` is a list as JSON, and the
 * audiences that are held, as JSON, in the first parameter.
 */
export const READABLE = `(audiences = '[]' OR EXISTS (SELECT 1 FROM json_each(?1) WHERE value = '*')
  OR NOT EXISTS (SELECT 1 FROM json_each(audiences) WHERE value NOT IN (SELECT value FROM json_each(?1))))`;
