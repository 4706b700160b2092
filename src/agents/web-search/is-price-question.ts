/** Whether a question is about what something costs, here or elsewhere; English and German. */
export const isPriceQuestion = (query: string): boolean => PRICE.test(query);

const PRICE =
  /\b(?:price[sd]?|pricing|costs?|cheap(?:er|est|ly)?|expensive|how much|pay for|offers?|deals?|bargains?|elsewhere|competitors?|competition|compet(?:es?|ing)|compar(?:e|ed|ison|isons|ing)|market value|sell(?:s|ing)? (?:it )?for|sold (?:it )?for|undercut|preise?|preisvergleich|kosten|kostet|billig(?:er|ste[nrs]?)?|günstig(?:er|ste[nrs]?)?|teuer|teurer|wie ?viel|angebote?|woanders|anderswo|mitbewerber|konkurrenz)(?![\p{L}\p{N}])/iu;
