// No TypeScript: its base class has types of the runtime, which are not visible in this folder.
import { DurableObject } from 'cloudflare:workers';
import { AnswersObject as Answers } from '../../../src/gateway/history/answers-object.ts';
import { GapsObject as Gaps } from '../../../src/knowledge/gaps/gaps-object.ts';
import { CountersObject as Counters } from '../../../src/platform/serve/counters-object.ts';

const CLASSES = { ANSWERS: Answers, GAPS: Gaps, COUNTERS: Counters };

export class AnswersObject extends Answers {}
export class CountersObject extends Counters {}
/** One with a hook and an accessor of its own. */
export class GapsObject extends Gaps {
  hookOfOwn() {
    return 'secret';
  }
  get secretOfOwn() {
    return 'secret';
  }
}

/** Names on the prototypes of a class, down to the class of the runtime. */
const namesOf = (base) => {
  const names = new Set(['hookOfOwn', 'secretOfOwn']);
  for (let at = base.prototype; at !== DurableObject.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  // Every stub has one.
  names.delete('constructor');
  return [...names];
};

const isCallable = async (stub, name) => {
  try {
    // A getter is a property for callers.
    await (name === 'secretOfOwn' ? stub[name] : stub[name]('acme'));
    return true;
  } catch (error) {
    return !/does not implement|reserved|not a function/.test(String(error));
  }
};

/** For each class the names that another function can call. */
export default {
  fetch: async (_request, env) => {
    const reached = {};
    for (const [binding, base] of Object.entries(CLASSES)) {
      const stub = env[binding].getByName('one');
      reached[binding] = [];
      for (const name of namesOf(base))
        if (await isCallable(stub, name)) reached[binding].push(name);
    }
    return Response.json(reached);
  },
};
