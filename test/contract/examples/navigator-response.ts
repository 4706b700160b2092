/** Responses of a navigator (docs/contract.md#navigator), some with a confidence of `high` although they decline: the schema allows it. */
export const NAVIGATOR_RESPONSES = {
  'pattern 1, high confidence': {
    answer:
      "To rollback a deployment, use 'kubectl rollout undo deployment/<name>' as documented in troubleshooting/rollback-procedures.md. This will revert to the previous revision.",
    sources: [
      {
        file: 'troubleshooting/rollback-procedures.md',
        section: 'Quick Rollback',
        relevance: 'Contains the exact kubectl command and rollback process',
      },
      {
        file: 'reference/kubectl-commands.md',
        section: 'Deployment Management',
        relevance: 'Provides additional context on rollout commands',
      },
    ],
    confidence: 'high',
    confidenceReason: 'Direct answer found with exact command syntax in two authoritative sources',
    relatedTopics: ['deployment history', 'rollout status', 'revision management'],
    outOfDomain: false,
  },
  'pattern 2, synthesis': {
    answer:
      'To optimize pod startup time, you can use init containers (mentioned in deployment/init-containers.md) and configure readiness probes appropriately (reference/pod-lifecycle.md). However, the specific optimization strategy depends on your application architecture.',
    sources: [
      {
        file: 'deployment/init-containers.md',
        section: 'Performance Considerations',
        relevance: 'Discusses init container impact on startup time',
      },
      {
        file: 'reference/pod-lifecycle.md',
        section: 'Readiness Probes',
        relevance: 'Explains probe configuration affecting startup',
      },
    ],
    confidence: 'medium',
    confidenceReason:
      'Multiple relevant sources but no single comprehensive guide. Answer synthesized from different sections.',
    relatedTopics: ['application startup optimization', 'container image optimization', 'probe tuning'],
    outOfDomain: false,
  },
  'pattern 3, incomplete information': {
    answer:
      "I found references to rate limiting in the API documentation (reference/api-spec.md) but no specific configuration examples. Rate limiting might be configured at the ingress level, but I don't have detailed documentation on this.",
    sources: [
      {
        file: 'reference/api-spec.md',
        section: 'Rate Limiting',
        relevance: 'Mentions that rate limiting exists but lacks configuration details',
      },
    ],
    confidence: 'low',
    confidenceReason: 'Only found indirect references without configuration details or examples',
    relatedTopics: ['ingress configuration', 'API gateway settings'],
    outOfDomain: false,
  },
  'pattern 4, no information': {
    answer:
      "I don't have information about database migration procedures in my knowledge base. My documentation focuses on Kubernetes operations and deployments.",
    sources: [],
    confidence: 'high',
    confidenceReason:
      'Thoroughly searched knowledge base with no relevant results. High confidence in the absence of information.',
    relatedTopics: [],
    outOfDomain: false,
  },
  'pattern 5, out of domain': {
    answer:
      'This question is about AWS IAM policies, which is outside my domain. I specialize in Kubernetes operations. You might want to consult the AWS navigator or the security team for IAM-related questions.',
    sources: [],
    confidence: 'high',
    confidenceReason: 'Question clearly outside my configured knowledge domain (Kubernetes ops)',
    relatedTopics: ['AWS navigator', 'security team contact'],
    outOfDomain: true,
  },
  'the out-of-domain example': {
    answer:
      'This question is about database indexing, which is outside my domain. I specialize in Kubernetes operations. You might want to consult the database team or a database-specific navigator.',
    sources: [],
    confidence: 'high',
    confidenceReason: 'Question clearly outside configured domain',
    relatedTopics: ['database team contact'],
    outOfDomain: true,
  },
} as const;

/** Confidence reasons that name their evidence. */
export const GOOD_REASONS = [
  'High confidence: deployment.md provides explicit step-by-step instructions with exact command syntax in the SSL Configuration section.',
  'Medium confidence: multiple files mention this feature but with slightly different implementation details. Synthesized the common approach.',
  "Low confidence: found only indirect references in monitoring docs. The specific parameter isn't explicitly documented.",
];
