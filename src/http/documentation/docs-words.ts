/** The words of `/api/docs` that are not about a route. */
export const docsWords = {
  search: 'Search',
  placeholder: 'Path or words',
  noMatches: 'No matches',
  result: '1 result',
  results: ' results',
  clear: 'Clear the search',
  code: 'Code',
  tryIt: 'Try it',
  parameters: 'Parameters',
  body: 'Body',
  caution: 'This is a real request to this installation, with your session in this browser.',
  send: 'Send',
  sending: 'Sending…',
  close: 'Close',
  noResponse: 'No response',
} as const
