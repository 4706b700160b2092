/** Options and templates of the context engine (docs/contract.md#context-engine). */
export const SEARCH_OPTIONS = { limit: 5, memoryTypes: ['fact', 'decision'] };

export const CONTEXT_OPTIONS = {
  'the options of the prompt example': {
    template: 'chat',
    tokenBudget: 1500,
    includeRelationships: true,
    relationshipDepth: 1,
  },
  'those of the preview example': { template: 'detailed', tokenBudget: 2000 },
  'those of the template example': { template: 'code-focused' },
};

export const TEMPLATES = {
  chat: {
    name: 'chat',
    header: 'Relevant context from past conversations:\n\n',
    memoryFormat: '- {{content}}',
    separator: '\n',
    footer: '\n',
    includeMetadata: false,
  },
  detailed: {
    name: 'detailed',
    header: 'Relevant memories:\n\n',
    memoryFormat: '[{{type}}] {{content}} (confidence: {{confidence}}, {{timestamp}})',
    separator: '\n\n',
    footer: '\n',
    includeMetadata: true,
  },
  summary: {
    name: 'summary',
    header: 'Key information:\n',
    memoryFormat: '{{content}}',
    separator: ' | ',
    footer: '',
    includeMetadata: false,
  },
  'code-focused': {
    name: 'code-focused',
    header: '# Relevant Code Context\n\n',
    memoryFormat: '## {{type}}\n```\n{{content}}\n```\n',
    separator: '\n',
    footer: '\n---\n',
    includeMetadata: true,
  },
};
