import { OperatorError } from '../../../../rules/operator-error.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import type { Act } from '../../acts/acts.ts'

// A section of the file of settings as code: the settings' parts, applications, product scopes or webhooks.

export interface Difference {
  readonly path: string
  /** For a secret, only the fact that it changes. */
  readonly words: string
}

/** What applying the section would do. */
export interface Planned {
  readonly differences: readonly Difference[]
  /** The secrets that it makes, by key. */
  readonly secrets: Readonly<Record<string, unknown>>
  /** Behind the lock on what the plan has read. */
  write(act: Act): void
}

export function differenceOf(path: string, now: unknown, wanted: unknown): Difference {
  return { path, words: `${JSON.stringify(now)} -> ${JSON.stringify(wanted)}` }
}

/** Whether what the file does not have is removed, if the file has the section. */
export type Rest = 'kept' | 'pruned'

export function refused(path: string, message: string): OperatorError {
  return new OperatorError(path === '' ? message : `${path}: ${message}`)
}

/** What a route would refuse is refused with the path in the file. */
export function refusedBelow<T>(path: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [issue] = error.issues ?? []
    throw refused(issue ? `${path}.${issue.path}` : path, issue?.message ?? error.message)
  }
}

export function refuseRepeated(section: string, names: readonly string[]): void {
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined) throw refused(`${section}.${repeated}`, 'is there twice.')
}
