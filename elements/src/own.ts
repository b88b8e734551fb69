import type { Own } from './main.ts'

/** Taken before the page could replace any of it. */
export let own: Own

export function take(taken: Own): void {
  own = taken
}

/** Empty unless it is an object. */
export function parsed(text: string): Record<string, unknown> {
  try {
    return own.parse(text) ?? {}
  } catch {
    return {}
  }
}
