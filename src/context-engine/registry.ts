import type { ContextTemplate } from '../contract/context-template.ts';
import type { RankingFunction } from '../contract/search-options.ts';
import { InvalidContextConfiguration, templateNotFound, validationFailure } from './errors.ts';
import { DEFAULT_RANKINGS, type Ranking } from './ranker.ts';
import { checkedTemplate, DEFAULT_TEMPLATES, withMetadata } from './templates.ts';

/** The templates and rankers of one engine, by name. */
export interface Registry {
  /** Replaces a template of the same name. @throws {InvalidContextConfiguration} */
  addTemplate(name: string, template: ContextTemplate): void;
  addRanker(name: string, ranker: RankingFunction): void;
  /** @throws {ContextFailure} `template_not_found`, with the registered names. */
  template(name: string, includeMetadata: boolean | undefined): ContextTemplate;
  /** @throws {ContextFailure} `validation_error`, with the registered names. */
  ranking(ranker: string | RankingFunction): Ranking;
}

const MAX_NAMES = 100;

export const registry = (): Registry => {
  const templates = new Map<string, ContextTemplate>(Object.entries(DEFAULT_TEMPLATES));
  const rankings = new Map<string, Ranking>(Object.entries(DEFAULT_RANKINGS));

  return {
    addTemplate: (name, template) => {
      const checked = checkedTemplate(name, template);
      add(templates, name, checked);
    },
    addRanker: (name, order) => {
      if (typeof name !== 'string' || name === '' || name.length > 64)
        throw new InvalidContextConfiguration('Cannot register the ranker: name is not 1 to 64 characters');
      if (typeof order !== 'function')
        throw new InvalidContextConfiguration(`Cannot register the ranker ${name}: it is no function`);
      add(rankings, name, { order });
    },
    template: (name, includeMetadata) => {
      const template = templates.get(name);
      if (template === undefined) throw templateNotFound(name, [...templates.keys()]);
      return withMetadata(template, includeMetadata);
    },
    ranking: (ranker) => {
      if (typeof ranker === 'function') return { order: ranker };
      const ranking = rankings.get(ranker);
      if (ranking !== undefined) return ranking;
      throw validationFailure(`options.ranker: is not known; there are ${[...rankings.keys()].join(', ')}`);
    },
  };
};

const add = <T>(named: Map<string, T>, name: string, item: T): void => {
  if (!named.has(name) && named.size >= MAX_NAMES)
    throw new InvalidContextConfiguration(`Cannot register ${name}: there are ${MAX_NAMES} names already`);
  named.set(name, item);
};
