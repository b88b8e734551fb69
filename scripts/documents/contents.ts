/** The documents by task, in the order in which they are listed. One that is named nowhere comes under "More". */
export const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  Start: ['start', 'console'],
  'Your product': [
    ...['sign-in', 'api', 'clients', 'elements', 'organisations', 'hooks', 'events', 'mirror', 'outage'],
    ...['branding', 'client'],
  ],
  'Moving in': ['moving-in'],
  'Running it': ['deploying', 'operations', 'upgrades', 'postgresql', 'high-availability', 'scale', 'performance'],
  Security: ['security', 'receipts', 'checklist', 'proof'],
  Reference: ['specification', 'glossary'],
  'The code': ['tour', 'how-to', 'tests', 'decisions'],
}
