import { z } from 'zod'
import type { MailKind } from '../../../database/schema/mail.ts'
import type { Platform } from '../../../platform/platform.ts'
import { CHANGES } from '../../../rules/changes.ts'
import { newId } from '../../../rules/ids.ts'
import { insertLetter } from './statements.ts'

/** The change to an account, and the request it came from. Changes by the host or an administrator show no browser. */
const Notice = z.object({
  about: z.literal('change'),
  change: z.enum(CHANGES),
  at: z.int(),
  /** The name of the tool, application, token or passkey; or the day on which a passkey without a name was added. */
  name: z.union([z.string(), z.object({ addedAt: z.int() })]).optional(),
  userAgent: z.string().optional(),
  address: z.string().nullish(),
  continent: z.string().optional(),
  /** The name of the person who made the change, unless it was the reader. */
  by: z.string().optional(),
  /** For the link that takes the account back. */
  token: z.string().optional(),
})
export type Notice = z.output<typeof Notice>

const CodeLetter = z.object({
  about: z.literal('code'),
  purpose: z.enum(['email-verification', 'password-reset', 'invitation', 'email-change']),
  /** Absent in an invitation. */
  code: z.string().optional(),
  link: z.string(),
  /** True for the last letter of this kind that the address gets today. */
  isLast: z.boolean(),
})
export type CodeLetter = z.output<typeof CodeLetter>

const SwitchedOff = z.object({ about: z.literal('webhook switched off'), host: z.string() })

const OrganizationInvitation = z.object({
  about: z.literal('organization invitation'),
  organization: z.string(),
  inviter: z.object({ name: z.string(), address: z.string() }),
  link: z.string(),
})

const LetterLook = z.object({
  accent: z.string().optional(),
  accent_dark: z.string().optional(),
  background: z.string().optional(),
  radius: z.int().optional(),
  /** As in CSS. */
  typefaces: z.string().optional(),
  logo_path: z.string().optional(),
})
export type LetterLook = z.output<typeof LetterLook>

export const QueuedLetter = z.object({
  to: z.string(),
  /** The languages the reader's browser prefers, best first; absent if somebody else caused the letter. */
  languages: z.array(z.string()).optional(),
  /** What it has of an application's look, if the page that asked for it leads to one. */
  look: LetterLook.optional(),
  content: z.discriminatedUnion('about', [Notice, CodeLetter, OrganizationInvitation, SwitchedOff]),
})
/** A letter before it is worded. */
export type QueuedLetter = z.output<typeof QueuedLetter>

interface NewLetter extends QueuedLetter {
  readonly kind: Exclude<MailKind, 'announcement'>
  /** The letter is dropped after this time. */
  readonly expiresAt: number
}

const SEALED_FOR = 'letter'

/** Goes into the commit of the change the letter reports, which wakes the job that words and sends it. */
export function letter(
  { meta, secretBox, now }: Pick<Platform, 'meta' | 'secretBox' | 'now'>,
  { kind, expiresAt, ...waiting }: NewLetter,
) {
  const at = now()
  return insertLetter(meta, {
    id: newId(),
    kind,
    sealed: secretBox.seal(SEALED_FOR, JSON.stringify(waiting)),
    created_at: at,
    expires_at: expiresAt,
    next_attempt_at: at,
    attempts: 0,
    claimed_until: 0,
    last_error: null,
  })
}

export function openLetter({ secretBox }: Pick<Platform, 'secretBox'>, sealed: string): QueuedLetter {
  return QueuedLetter.parse(JSON.parse(secretBox.open(SEALED_FOR, sealed)))
}
