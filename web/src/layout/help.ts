/** Where the paragraph of `docs/console.md` has another name than the page's address below `/console/`. */
const named: Readonly<Record<string, string>> = {
  '': 'overview',
  organizations: 'organisations',
  'beta-codes': 'invitation-codes',
  connect: 'connect-a-product',
  audit: 'audit-log',
  hooks: 'settings',
}

/**
 * The paragraph about a list or a part of the settings. Undefined outside the console, and on the page of one row, whose
 * title comes with the data and would push the mark aside.
 */
export function helpAnchorAt(pathname: string): string | undefined {
  const page = /^\/console\/?(?:settings\/)?([a-z-]*)$/.exec(pathname)?.[1]
  return page === undefined ? undefined : (named[page] ?? page)
}
