import { useTexts } from './texts/texts.tsx'
import { wordOf } from './texts/word-of.ts'

// The first mark that fits counts: most browsers also carry the marks of the ones they follow.
const programs = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** "Firefox on macOS", in the language of the page: enough to tell one's own devices apart. */
export function useDevice(): (userAgent: string | null) => string {
  const { sessions } = useTexts()
  return (userAgent) => {
    const program = findName([...programs, ['gatehouse', sessions.commandLine]], userAgent ?? '')
    const system = findName(systems, userAgent ?? '')
    if (program && system) return sessions.device(program, system)
    return program ?? system ?? sessions.unknown
  }
}

/** A continent, in the language of the page. */
export function usePlace(): (place: string | null) => string | null {
  const { sessions } = useTexts()
  return (place) => (place === null ? null : wordOf(sessions.places, place))
}

const findName = (names: readonly (readonly [string, string])[], userAgent: string) =>
  names.find(([mark]) => userAgent.includes(mark))?.[1]
