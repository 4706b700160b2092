/** What the products call themselves. */
const NAMES: Readonly<Record<string, string>> = {
  chatwoot: 'Chatwoot',
  zendesk: 'Zendesk',
  intercom: 'Intercom',
  zammad: 'Zammad',
  'help-scout': 'Help Scout',
  standard: 'Standard Webhooks',
  freshdesk: 'Freshdesk',
  gorgias: 'Gorgias',
  hubspot: 'HubSpot',
};

/** The name of a helpdesk; its id where it is none of these. */
export function helpdeskName(id: string): string {
  return NAMES[id] ?? id;
}
