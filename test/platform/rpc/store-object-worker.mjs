// No TypeScript: its base class has types of the runtime, which are not visible in this folder.
import { DurableObject } from 'cloudflare:workers';
import * as a2a from '../../../functions/a2a/index.ts';
import * as library from '../../../functions/library/index.ts';
import * as memory from '../../../functions/memory/index.ts';
import * as navigator from '../../../functions/navigator/index.ts';
import * as support from '../../../functions/support/index.ts';
import * as webhooks from '../../../functions/webhooks/index.ts';

/** Every Durable Object class that a function exports, by its name. */
const CLASSES = Object.fromEntries(
  [a2a, library, memory, navigator, support, webhooks]
    .flatMap(Object.entries)
    .filter(([, each]) => each.prototype instanceof DurableObject),
);

export class AnswersObject extends memory.AnswersObject {}
export class ChecksObject extends navigator.ChecksObject {}
export class CountersObject extends library.CountersObject {}
export class DeskObject extends webhooks.DeskObject {}
export class LibraryObject extends library.LibraryObject {}
export class MemoryObject extends memory.MemoryObject {}
export class TasksObject extends a2a.TasksObject {}
export class TicketObject extends webhooks.TicketObject {}
/** One with a hook and an accessor of its own. */
export class GapsObject extends support.GapsObject {
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
    for (const [className, base] of Object.entries(CLASSES)) {
      const stub = env[className].getByName('one');
      reached[className] = [];
      for (const name of namesOf(base))
        if (await isCallable(stub, name)) reached[className].push(name);
    }
    return Response.json(reached);
  },
};
