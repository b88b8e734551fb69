import { z } from 'zod'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'

const SEALED_FOR = 'the owner of an account'
const Sealed = z.object({
  userId: z.string(),
  at: z.int(),
  /** The change of the address that it takes back. */
  changeId: z.string().optional(),
})

/** What a letter about an account reports, for the link in it that takes the account back. */
export type Reported = z.output<typeof Sealed>

type Box = Pick<Platform, 'secretBox'>

/** The link is only in the letter, so a user who opens it reads the owner's mail. */
export function ownersToken({ secretBox }: Box, reported: Reported): string {
  return secretBox.seal(SEALED_FOR, JSON.stringify(reported))
}

export function openOwnersToken({ secretBox }: Box, token: string): Reported {
  try {
    return Sealed.parse(JSON.parse(secretBox.open(SEALED_FOR, token)))
  } catch (cause) {
    throw new Refusal('INVALID_REQUEST', 'This link is not complete. Open it again from the email.', { cause })
  }
}
