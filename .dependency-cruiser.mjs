/**
 * The rooms of `src` from the ground up (CONTRIBUTING.md, "Layout"): a room may import what stands below it, and none beside
 * it. Checked by `npm run check`.
 */
const FLOORS = [
  ['contract'],
  ['platform'],
  ['language'],
  ['documents', 'ai'],
  ['knowledge'],
  ['answering'],
  ['librarians', 'support', 'memory'],
  ['web'],
  ['gateway'],
];

const rules = FLOORS.flatMap((rooms, floor) =>
  rooms.map((room) => {
    const allowed = [room, ...FLOORS.slice(0, floor).flat()];
    return {
      name: `${room}-imports`,
      severity: 'error',
      comment: `src/${room} may import only ${allowed.join(', ')}`,
      from: { path: `^src/${room}/` },
      to: {
        path: '^(src|functions|tools|research|test)/',
        pathNot: `^src/(${allowed.join('|')})/`,
      },
    };
  }),
);

/** Readers of whole files and folders, for the runner and the command line: the only part of `src` that needs Node. */
const ON_NODE = '^src/documents/node/';

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
    ...rules,
    {
      name: 'console-is-sent-without-the-contract',
      severity: 'error',
      from: { path: '^src/web/(console|panel)/' },
      to: { path: '^src/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'console-is-built-for-itself',
      severity: 'error',
      from: { path: '^(src|functions|client)/', pathNot: '^src/web/(console|panel)/' },
      to: { path: '^src/web/(console|panel)/' },
    },
    {
      name: 'views-do-not-import-one-another',
      severity: 'error',
      from: { path: '^src/web/console/views/([^/]+)/' },
      to: { path: '^src/web/console/views/', pathNot: '^src/web/console/views/$1/' },
    },
    {
      name: 'functions-stand-alone',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: '^(functions|test|tools|research)/', pathNot: '^functions/$1/' },
    },
    {
      name: 'client-imports-types-of-the-contract-alone',
      severity: 'error',
      from: { path: '^client/[^/]+$' },
      to: { path: '^(src|functions|tools|research|test)/', pathNot: '^src/contract/' },
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
      from: { path: '^(src|functions)/', pathNot: ON_NODE },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'readers-on-node-stand-apart',
      severity: 'error',
      from: { path: '^(src|functions)/', pathNot: ON_NODE },
      to: { path: ON_NODE },
    },
    {
      name: 'product-needs-no-dev-dependency',
      severity: 'error',
      from: { path: '^(src|functions)/', pathNot: ON_NODE },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: '@cloudflare/workers-types',
      },
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
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
    },
  },
};
