import type { Change } from '../../../../rules/changes.ts'
import { onOneLine } from '../../../../rules/one-line.ts'
import { unlinked } from '../../../../rules/unlinked.ts'
import { type Letter, type LetterHead, writeLetter } from './layout.ts'
import { en } from './notices-en.ts'
import { zh } from './notices-zh.ts'

export const WORDS = { en, zh } as const

/** The owner's name for the subject of the letter, or the day on which a passkey without a name was added. */
export type Named = string | { readonly addedAt: number }

export interface Circumstances {
  readonly at: number
  readonly device: string | null
  readonly address: string | null
  readonly place: string | null
  readonly name?: Named | undefined
  /** The name of the person who made the change, unless it was the reader. */
  readonly by?: string | undefined
  /** The address of the page that takes the account back. */
  readonly secure?: string | undefined
}

export function noticeLetter(
  head: LetterHead,
  change: Change,
  { at, name, by, secure, ...where }: Circumstances,
): Letter {
  const { changes, when, closing: usual, secure: label } = WORDS[head.language]
  const { subject, what, closing = usual } = changes[change]
  const shown = shownName(head, change, name)
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return writeLetter({
    ...head,
    subject: `${subject} – ${head.appName}`,
    paragraphs: [
      what,
      when({ time, name: shown, by: by === undefined ? undefined : unlinked(onOneLine(by)), ...where }),
    ],
    ...(secure !== undefined && { link: { address: secure, label } }),
    closing,
  })
}

function shownName({ language }: LetterHead, change: Change, name: Named | undefined): string | undefined {
  const { tool, passkey } = WORDS[language]
  if (name === undefined) return change === 'tool connected' || change === 'tool disconnected' ? tool : undefined
  return typeof name === 'string' ? onOneLine(name) : passkey(new Date(name.addedAt).toISOString().slice(0, 10))
}
