/** The directions that imports run in (CONTRIBUTING.md, "The map"). Checked by `npm run check`. */
const DOMAINS = ['navigator', 'agents', 'support', 'helpdesk', 'gateway', 'memory'];
const MIDDLE = ['knowledge', 'context-engine'];
const LOWER = ['storage', 'ai', 'runtime'];
const BASE = ['http', 'markup', 'text', 'contract'];
const BELOW_MIDDLE = ['grounding', 'search', 'delegation', ...LOWER, ...BASE];

const may = (room, allowed) => ({
  name: `${room}-imports`,
  severity: 'error',
  comment: `src/${room} may import only ${[room, ...allowed].join(', ')}`,
  from: { path: `^src/${room}/` },
  to: { path: '^(src|functions|test)/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
});

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-cycles',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(src|functions)/' },
      to: { circular: true },
    },
    {
      name: 'contract-imports-zod-alone',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: { pathNot: ['^src/contract/', 'node_modules/zod/'] },
    },
    may('text', []),
    may('markup', ['text']),
    may('http', ['text', 'contract']),
    may('runtime', BASE),
    may('storage', ['runtime', ...BASE]),
    may('ai', ['storage', 'runtime', ...BASE]),
    may('delegation', ['runtime', ...BASE]),
    may('search', [...LOWER, ...BASE]),
    may('grounding', ['search', ...LOWER, ...BASE]),
    ...MIDDLE.map((room) => may(room, BELOW_MIDDLE)),
    ...DOMAINS.map((room) => may(room, [...MIDDLE, ...BELOW_MIDDLE])),
    // Where adapters are chosen from the environment: for functions, and for nobody else.
    may('adapters', [...MIDDLE, ...BELOW_MIDDLE]),
    {
      name: 'functions-stand-alone',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: '^(functions|test|src/dev)/', pathNot: '^functions/$1/' },
    },
    {
      name: 'product-needs-no-node',
      severity: 'error',
      from: { path: '^(src|functions)/', pathNot: '^src/dev/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'product-needs-no-dev-dependency',
      severity: 'error',
      from: { path: '^(src|functions)/', pathNot: '^src/dev/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '@cloudflare/workers-types' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^cloudflare:' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // TypeScript 7 has no compiler API yet, so swc reads the sources.
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
