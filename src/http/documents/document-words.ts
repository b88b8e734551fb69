/** The words around the documents. */
export const documentWords = {
  documents: 'Documentation',
  search: 'Search the documentation',
  find: 'Search',
  api: 'API reference',
  contents: 'All documents',
  onThisPage: 'On this page',
  previous: 'Previous',
  next: 'Next',
  missing: 'Page not found',
  noMatches: 'No matches. Try fewer or other words, or choose a document.',
  resultsFor: (query: string) => `Results for “${query}”`,
} as const
