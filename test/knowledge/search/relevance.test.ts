import { expect, it } from 'vitest';
import {
  DOMAIN_THRESHOLD,
  domainProbability,
  keynessOf,
  relevanceOfHits,
} from '../../../src/knowledge/search/relevance.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { editionOf } from './edition-fixture.ts';

const PARTS =
  'valve rotor stator gasket manifold impeller flange bearing coupling spindle nozzle piston'.split(
    ' ',
  );
const STATES = 'vibration cavitation corrosion leakage overheating misalignment'.split(' ');

/** 72 sections on machine parts, each about one part and one fault. */
const EDITION = editionOf(
  ...PARTS.map((part) => ({
    id: `${part}.md`,
    title: `The ${part} of the turbine`,
    sections: STATES.map((state, at) => ({
      heading: [`${part} and ${state}`],
      text: `Technicians record ${state} of the ${part} in logbook ${part}-${at} before they make a new start.`,
    })),
  })),
);
const domain = (question: string) => domainProbability(EDITION, searchEdition(EDITION, question));

it.each(['What do I do about cavitation of the impeller?', 'Corrosion of the flange?'])(
  'domainProbability() is above the threshold for a question on the subject: %s',
  (question) => expect(domain(question)).toBeGreaterThan(DOMAIN_THRESHOLD),
);

it.each(['Can I open a savings account for my daughter?', 'Does the train to Lyon stop here?'])(
  'domainProbability() is below the threshold for a question about something else: %s',
  (question) => expect(domain(question)).toBeLessThan(DOMAIN_THRESHOLD),
);

it('keynessOf() is higher for a word of the subject than for a common one, and lowest for one that no article has', () => {
  const keyOf = (word: string) =>
    keynessOf(EDITION, searchEdition(EDITION, word).query.terms).highest;
  expect(keyOf('impeller')).toBeGreaterThan(keyOf('make'));
  expect(keyOf('make')).toBeGreaterThan(keyOf('daughter'));
});

it('relevanceOfHits() is above 0.7 for the best source of a clear question, and lower for the others', () => {
  const outcome = searchEdition(
    EDITION,
    'Who records cavitation of the impeller in logbook impeller-1?',
  );
  const [best = 0, ...others] = relevanceOfHits(outcome);
  expect(best).toBeGreaterThan(0.7);
  expect(Math.max(...others)).toBeLessThan(best);
});
