import type { NewLibrarianOptions } from './new-librarian-options.ts';

/** The files of a new librarian by path from the checkout's root; their layout is the formatter's. */
export function librarianTemplates(options: NewLibrarianOptions): Record<string, string> {
  const { id } = options.info;
  return {
    [`functions/${id}/librarian.ts`]: librarianText(options),
    [`functions/${id}/info.ts`]: infoText(options),
    [`functions/${id}/index.ts`]: indexText(id),
    [`functions/${id}/wrangler.toml`]: configText(options),
    [`test/conformance/${id}.test.ts`]: testText(options),
  };
}

/** `opening-hours` -> `openingHours`. */
const camelOf = (id: string): string =>
  id.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const questionFor = (name: string): string => `What do you know about ${name}?`;

const librarianText = ({ info: { id, name } }: NewLibrarianOptions): string => `
import type { Librarian } from '../../src/contract/core/librarian.ts';

export const ${camelOf(id)}: Librarian = async (query) => {
  if (!query.toLowerCase().includes(${quoted(name.toLowerCase())})) return { delegate: { to: 'navigator' } };
  return {
    answer: ${quoted(`Write what is known about ${name} into functions/${id}/librarian.ts.`)},
    sources: [{ name: ${quoted(`Notes about ${name}`)}, type: 'document' }],
    confidence: 0.9,
  };
};
`;

const infoText = ({
  info: { id, name, description, capabilities },
}: NewLibrarianOptions): string => `
import type { LibrarianInfo } from '../../src/contract/core/librarian.ts';

/** How people and other librarians get to know it. Questions without a name find their way by the description and the examples. */
export const INFO: LibrarianInfo = {
  id: '${id}',
  name: ${quoted(name)},
  description: ${quoted(description)},
  capabilities: ${JSON.stringify(capabilities)},
  examples: [${quoted(questionFor(name))}],
};
`;

const indexText = (id: string): string => `
import { chatModelOf } from '../../src/ai/adapters/models.ts';
import { type ModelVariables, readModels } from '../../src/ai/adapters/settings.ts';
import { delegateTo } from '../../src/librarians/delegation/delegates.ts';
import { serviceTargets } from '../../src/librarians/delegation/librarian-directory.ts';
import { serveLibrarian } from '../../src/librarians/serve/serve-librarian.ts';
import { type IdentityVariables, identityFrom } from '../../src/platform/context/identity.ts';
import { serveApp } from '../../src/platform/serve/serve-app.ts';
import { INFO } from './info.ts';
import { ${camelOf(id)} } from './librarian.ts';

type Env = IdentityVariables & ModelVariables;

const fetch = serveApp(INFO.id, async (env: Env) =>
  serveLibrarian(${camelOf(id)}, INFO, {
    ...(await identityFrom(env, INFO.id)),
    ...chatModelOf(readModels(env)),
    targets: delegateTo(serviceTargets(env)),
  }),
);

export default { fetch } satisfies ExportedHandler<Env>;
`;

const configText = ({ info: { id, name, description } }: NewLibrarianOptions): string =>
  `# ${name}: ${description}
name = "constellation-${id}"
main = "index.ts"
# Half the size; the source map keeps traces readable without the names of functions.
minify = true
keep_names = false
upload_source_maps = true
compatibility_date = "2026-11-01"
# Work is given up when no one waits for it any more.
compatibility_flags = ["enable_request_signal"]
workers_dev = false

[vars]
ENVIRONMENT = "production"

# The librarians that questions may be handed on to, { delegate: { to: "navigator" } }, which are context.availableDelegates.
[[services]]
binding = "NAVIGATOR"
service = "constellation-navigator"

# What all functions count, for GET /metrics.
[[durable_objects.bindings]]
name = "COUNTERS"
class_name = "CountersObject"
script_name = "constellation-library"

[observability]
enabled = true

# The platform's own line for each request would hold its URL, and with it ids of persons; ours hold none.
[observability.logs]
invocation_logs = false
`;

const testText = ({ info: { id, name } }: NewLibrarianOptions): string => `
import { describe, it } from 'vitest';
import { INFO } from '../../functions/${id}/info.ts';
import { ${camelOf(id)} } from '../../functions/${id}/librarian.ts';
import { describeLibrarian } from '../../src/contract/conformance/describe-librarian.ts';
import { servedBesideNavigator } from './served-librarian.ts';

// As it is asked in the product: the runtime refuses invalid questions, keeps the deadline and follows delegations.
describeLibrarian(
  ${quoted(name)},
  await servedBesideNavigator(${camelOf(id)}, INFO),
  {
    info: INFO,
    answers: { query: ${quoted(questionFor(name))} },
    fails: { query: ' ', code: 'INVALID_QUERY' },
    declines: 'never',
    delegates: { query: 'Xyzzy?', to: 'navigator' },
    waits: 'never',
  },
  { describe, it },
);
`;

/** A text of TypeScript; the formatter chooses the quotes. */
const quoted = (text: string): string => JSON.stringify(text);
