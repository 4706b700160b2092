/** The directions that imports run in (CONTRIBUTING.md, "Layout"). Checked by `npm run check`. */
const DOMAINS = ['navigator', 'agents', 'support', 'helpdesk', 'gateway', 'memory', 'mcp', 'a2a', 'answers'];
const MIDDLE = ['knowledge', 'context-engine'];
const LOWER = ['storage', 'ai', 'runtime', 'signing'];
const BASE = ['http', 'documents', 'markup', 'text', 'contract'];
const BELOW_MIDDLE = ['grounding', 'search', 'delegation', ...LOWER, ...BASE];

const may = (folder, allowed) => ({
  name: `${folder}-imports`,
  severity: 'error',
  comment: `src/${folder} may import only ${[folder, ...allowed].join(', ')}`,
  from: { path: `^src/${folder}/` },
  to: { path: '^(src|functions|test)/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
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
    may('documents', ['text', 'contract']),
    may('http', ['text', 'contract']),
    may('signing', BASE),
    may('runtime', ['signing', ...BASE]),
    may('storage', ['runtime', 'signing', ...BASE]),
    may('ai', ['storage', 'runtime', 'signing', ...BASE]),
    may('delegation', ['runtime', 'signing', ...BASE]),
    may('search', [...LOWER, ...BASE]),
    may('grounding', ['search', ...LOWER, ...BASE]),
    ...MIDDLE.map((folder) => may(folder, BELOW_MIDDLE)),
    ...DOMAINS.map((folder) => may(folder, [...MIDDLE, ...BELOW_MIDDLE])),
    may('console', ['contract', 'markup']),
    {
      name: 'console-is-sent-without-the-contract',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^src/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'console-is-built-for-itself',
      severity: 'error',
      from: { path: '^(src|functions|client)/', pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    {
      name: 'views-do-not-import-one-another',
      severity: 'error',
      from: { path: '^src/console/views/([^/]+)/' },
      to: { path: '^src/console/views/', pathNot: '^src/console/views/$1/' },
    },
    may('widget', ['markup', 'text']),
    // Where adapters are chosen from the environment: for functions alone.
    may('adapters', [...MIDDLE, ...BELOW_MIDDLE]),
    {
      name: 'functions-stand-alone',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: '^(functions|test|src/dev)/', pathNot: '^functions/$1/' },
    },
    {
      name: 'client-imports-types-of-the-contract-alone',
      severity: 'error',
      from: { path: '^client/[^/]+$' },
      to: { path: '^(src|functions|test)/', pathNot: '^src/contract/' },
    },
    {
      name: 'client-is-sent-without-the-contract',
      severity: 'error',
      from: { path: '^client/[^/]+$' },
      to: { path: '^src/', dependencyTypesNot: ['type-only'] },
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
    // The types of numfmt end with .d.cts, which this tool does not look for.
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(cloudflare:|numfmt$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^client/dist/' },
    // TypeScript 7 has no compiler API yet, so swc reads the sources.
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
