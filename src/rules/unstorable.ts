import type { Issue } from './refusal.ts'

/**
 * Texts and names of fields that no store keeps as they are: PostgreSQL refuses NUL, and UTF-8 has U+FFFD in place of a
 * lone surrogate. JSON can escape both.
 */
export function unstorableIn(value: unknown): readonly Issue[] {
  return isStorable(value) ? NONE : issuesIn('', value)
}

const NONE: readonly Issue[] = []

/** Allocates nothing, because every input is checked this way. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return faultOf(value) === undefined
  if (typeof value !== 'object' || value === null) return true
  for (const key of Object.keys(value))
    if (faultOf(key) !== undefined || !isStorable(Reflect.get(value, key))) return false
  return true
}

function issuesIn(path: string, value: unknown): readonly Issue[] {
  if (typeof value === 'string') return issueOf(path, faultOf(value))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) => {
    const fault = faultOf(key)
    if (fault !== undefined) return issueOf(path, `In the name of a field: ${fault}`)
    return issuesIn(path === '' ? key : `${path}.${key}`, field)
  })
}

function issueOf(path: string, message: string | undefined): readonly Issue[] {
  return message === undefined ? [] : [{ path, message }]
}

function faultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'The character NUL is not allowed.'
  if (!text.isWellFormed()) return 'A lone surrogate, half of a character, is not allowed.'
  return undefined
}
