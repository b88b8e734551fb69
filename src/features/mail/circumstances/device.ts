const PROGRAMS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['gatehouse', 'Command line'],
  ['curl/', 'curl'],
] as const

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** "Firefox on macOS": enough to tell one's own devices apart. The first match counts. */
export function deviceInWords(userAgent: string | null): string | null {
  const program = nameIn(PROGRAMS, userAgent ?? '')
  const system = nameIn(SYSTEMS, userAgent ?? '')
  if (program === undefined || system === undefined) return program ?? system ?? null
  return `${program} on ${system}`
}

function nameIn(names: readonly (readonly [string, string])[], userAgent: string): string | undefined {
  return names.find(([mark]) => userAgent.includes(mark))?.[1]
}
