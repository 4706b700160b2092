/** What a title says that is about something that does not go as it should. */
export const TROUBLE =
  /(?<!\p{L})(?:not|no|never|won['’]t|can['’]?t|cannot|does(?:n['’]t)|fail\p{L}*|errors?|problems?|trouble\p{L}*|issues?|slow\p{L}*|lower|lost|stuck|broken|missing|rejected|overheat\p{L}*|crash\p{L}*|fix\p{L}*|nicht|kein\p{L}*|fehler\p{L}*|störung\p{L}*|langsam|probleme?|panne|erreurs?|pas|problèmes?|fallos?|errores|problemas?|non|errori?|guasto|não|erros?|avaria|niet|geen|fouten?|storing)(?!\p{L})/iu;
