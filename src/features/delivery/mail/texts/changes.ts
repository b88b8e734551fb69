import type { Change } from '../../../../rules/changes.ts'

interface Circumstances {
  readonly time: string
  readonly device: string | null
  readonly address: string | null
  readonly place: string | null
  /** The name of the tool, application, token or passkey that the letter is about. */
  readonly name: string | undefined
  /** The name of the person who made the change, unless it was the reader. */
  readonly by: string | undefined
}

interface ChangeWords {
  readonly subject: string
  readonly what: string
  /** Replaces the usual closing if somebody else made the change: “If this was you” would be wrong. */
  readonly closing?: string
}

export interface Words {
  readonly changes: Readonly<Record<Change, ChangeWords>>
  when(facts: Circumstances): string
  /** There is one tool, and its name is ours to translate; every other name is what someone chose. */
  readonly tool: string
  /** A passkey that its owner has not named, by the day on which it was added. */
  passkey(day: string): string
  readonly closing: string
  /** The label of the link that takes the account back. */
  readonly secure: string
}
