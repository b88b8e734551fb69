import { z } from 'zod'
import { onOneLine } from '../../rules/one-line.ts'
import type { PlaceInFile } from './at-once.ts'

const LONGEST_SHOWN = 254

const Recognisable = z.object({ email: z.unknown().optional(), id: z.unknown().optional() })

/** Finds what can be read, whatever is wrong with the user. */
export function placeOf(line: number, user: unknown): PlaceInFile {
  const { data } = Recognisable.safeParse(user)
  return { line, id: textOf(data?.id), email: textOf(data?.email) }
}

function textOf(value: unknown): string | null {
  const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
  return isShown ? onOneLine(String(value).slice(0, LONGEST_SHOWN)) : null
}

/** Something an operator can look for in the file: an address, or else an id. */
export function shownIn(user: unknown): string | undefined {
  const { data } = Recognisable.safeParse(user)
  const shown = [data?.email, data?.id].find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof shown === 'string' ? onOneLine(shown.slice(0, LONGEST_SHOWN)) : undefined
}

export function whyUnreadable(user: unknown, { issues }: z.ZodError): string {
  const { data } = Recognisable.safeParse(user)
  if (data === undefined) return 'it is not a JSON object'
  if ((data.email ?? '') === '') return 'it has no email address'
  return `${[...new Set(issues.map(({ path }) => path.join('.')))].join(', ')}: malformed`
}
