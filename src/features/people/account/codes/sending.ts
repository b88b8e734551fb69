import { randomInt } from 'node:crypto'
import type { CodePurpose } from '../../../../database/schema/people/account.ts'
import { preferredLanguages } from '../../../../http/requests/languages.ts'
import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { isSynthetic } from '../../../../rules/email.ts'
import { newId } from '../../../../rules/ids.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { DAY_MILLISECONDS, DAY_SECONDS } from '../../../../rules/time.ts'
import { newToken } from '../../../../rules/tokens.ts'
import { askingClientIn } from '../../../access/applications/asking-client.ts'
import { applicationLetterLook } from '../../../access/applications/brand.ts'
import { refuseFullQueue } from '../../../delivery/mail/queue.ts'
import { type LetterLook, letter as letterStatement } from '../../../ground/letters/letters.ts'
import { userByEmail } from '../../users/statements.ts'
import { dayOf, mailedCodeHash, networkOrHere } from './codes.ts'
import * as store from './store.ts'

const LIFETIME_SECONDS = {
  'email-verification': 300,
  'password-reset': 300,
  'email-change': 300,
  invitation: 7 * DAY_SECONDS,
} as const satisfies Record<CodePurpose, number>

/** Anybody can request letters to an address, so there are no more than its owner can bear. */
export const LETTERS_A_DAY = 12

/**
 * Code and mail are written for every address alike, so the request does not reveal who has an account; whether the
 * mail goes out is decided when it is sent. A synthetic address gets none, because it has no mailbox.
 */
export async function sendCode(
  { platform, exchange, sender }: Call,
  purpose: CodePurpose,
  email: string,
): Promise<void> {
  const { meta } = platform
  await refuseFullQueue(platform)
  if (isSynthetic(email)) return
  const page = exchange.header('referer')
  const look = page?.includes('client_id') ? await applicationLetterLook(platform, askingClientIn(page)) : undefined
  const letter = { purpose, email, languages: preferredLanguages(exchange), asker: networkOrHere(sender), look }
  await meta.decide([userByEmail(meta, email).select('id')], async (decision, [user]) => {
    // An address without an account gets no letter, which must not use up the letters of a user who signs up later in
    // the day.
    const counted = user ? letter : { ...letter, email: `${NOBODY}${email}` }
    const count = await decision.first(countLetter(platform, counted))
    if (count && count.letters <= LETTERS_A_DAY) decision.write(...letterStatements(platform, letter, count))
  })
}

/** No address begins with this character. */
const NOBODY = 'nobody: '

/** A letter in the service's default language. */
export async function administratorsLetter(
  platform: Platform,
  purpose: CodePurpose,
  email: string,
): Promise<CodeLetter> {
  await refuseFullQueue(platform)
  return { purpose, email, languages: undefined, asker: '', look: undefined }
}

export interface CodeLetter {
  readonly purpose: CodePurpose
  readonly email: string
  /** The languages the reader's browser prefers, if the reader asked. */
  readonly languages: string[] | undefined
  readonly asker: string
  readonly look: LetterLook | undefined
}

type Count = Readonly<{ letters: number }> | undefined

/** Counts the letter in a decision; `letterStatements` takes the row. */
export function countLetter(platform: Platform, { purpose, email }: CodeLetter) {
  return store.countLetter(platform.meta, { purpose, email, day: dayOf(platform.now()) })
}

/** Only the administrator learns how many letters an address got; a stranger must not. */
export function refuseLetterTooMany({ now }: Platform, count: Count): void {
  if (count && count.letters <= LETTERS_A_DAY) return
  throw new Refusal(
    'TOO_MANY_LETTERS',
    `This address was sent ${LETTERS_A_DAY} of these emails today. The link in the last one is valid until midnight UTC.`,
    { retryAfterSeconds: (tomorrow(now()) - now()) / 1000 },
  )
}

/** Writes the code and queues its mail. */
export function letterStatements(
  platform: Platform,
  { purpose, email, languages, asker, look }: CodeLetter,
  count: Count,
) {
  const { meta, now } = platform
  const at = now()
  const code = purpose === 'invitation' ? undefined : String(randomInt(1_000_000)).padStart(6, '0')
  const link = newToken('link')
  const codeExpiresAt = at + LIFETIME_SECONDS[purpose] * 1000
  const isLast = count?.letters === LETTERS_A_DAY
  // If a stranger has used up the day's letters, this one lets the owner in until there are new ones.
  const linkExpiresAt = isLast ? Math.max(codeExpiresAt, tomorrow(at)) : codeExpiresAt
  const row = {
    id: newId(),
    purpose,
    email,
    asker,
    code_hash: code === undefined ? '' : mailedCodeHash(platform, purpose, email, code),
    link_hash: mailedCodeHash(platform, purpose, email, link),
    created_at: at,
    code_expires_at: codeExpiresAt,
    link_expires_at: linkExpiresAt,
  } as const
  const content = { about: 'code', purpose, code, link, isLast } as const
  const mail = { kind: purpose, to: email, expiresAt: linkExpiresAt, languages, look, content }
  return [store.insertMailedCode(meta, row), letterStatement(platform, mail)]
}

function tomorrow(now: number): number {
  return (dayOf(now) + 1) * DAY_MILLISECONDS
}
