import { onOneLine } from '../../../../rules/one-line.ts'
import type { Change } from './changes.ts'
import { type Letter, type LetterHead, writeLetter } from './layout.ts'
import { en } from './notices-en.ts'
import { zh } from './notices-zh.ts'

export const WORDS = { en, zh } as const

interface Circumstances {
  readonly at: number
  readonly device: string | null
  readonly address: string | null
  readonly place: string | null
  readonly name?: string | undefined
}

export function noticeLetter(
  head: LetterHead,
  change: Change,
  { at, name, ...where }: Circumstances,
): Letter {
  const { changes, tool, when, closing: usual } = WORDS[head.language]
  const { subject, what, closing = usual } = changes[change]
  const ours = change === 'tool connected' || change === 'tool disconnected' ? tool : undefined
  const shown = name === undefined ? ours : onOneLine(name)
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return writeLetter({
    ...head,
    subject: `${subject} – ${head.appName}`,
    paragraphs: [what, when({ time, name: shown, ...where })],
    closing,
  })
}
