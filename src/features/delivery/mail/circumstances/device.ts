import type { Language } from '../../../ground/settings/brand/input.ts'

const COMMAND_LINE = 'gatehouse'

const PROGRAMS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
  [COMMAND_LINE, COMMAND_LINE],
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

const WORDS = {
  en: { commandLine: 'Command line', both: (program: string, system: string) => `${program} on ${system}` },
  zh: { commandLine: '命令行', both: (program: string, system: string) => `${system} 上的 ${program}` },
} as const satisfies Record<Language, object>

/**
 * "Firefox on macOS": enough to tell one's own devices apart. The first match counts. The API has English words.
 */
export function deviceInWords(userAgent: string | null, language: Language = 'en'): string | null {
  const { commandLine, both } = WORDS[language]
  const found = nameIn(PROGRAMS, userAgent ?? '')
  const program = found === COMMAND_LINE ? commandLine : found
  const system = nameIn(SYSTEMS, userAgent ?? '')
  if (program === undefined || system === undefined) return program ?? system ?? null
  return both(program, system)
}

function nameIn(names: readonly (readonly [string, string])[], userAgent: string): string | undefined {
  return names.find(([mark]) => userAgent.includes(mark))?.[1]
}
