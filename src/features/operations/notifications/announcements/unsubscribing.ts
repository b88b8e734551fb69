import { z } from 'zod'
import type { Platform } from '../../../../platform/platform.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { turnOff } from './preferences.ts'

const SEALED_FOR = 'unsubscribe'
const Sealed = z.tuple([z.string()]).rest(z.string())

interface Subscription {
  readonly userId: string
  readonly types: readonly string[]
}

/** Works as long as the user exists: a letter is often read much later. */
export function unsubscribeToken({ secretBox }: Platform, { userId, types }: Subscription): string {
  return secretBox.seal(SEALED_FOR, JSON.stringify([userId, ...types]))
}

/** RFC 8058. A second request changes nothing. */
export async function unsubscribe(platform: Platform, token: string): Promise<void> {
  const { userId, types } = opened(platform, token)
  await turnOff(platform, userId, types)
}

function opened({ secretBox }: Platform, token: string): Subscription {
  try {
    const [userId, ...types] = Sealed.parse(JSON.parse(secretBox.open(SEALED_FOR, token)))
    return { userId, types }
  } catch (error) {
    throw new Refusal('INVALID_REQUEST', 'This link is not complete. Open it again from the email.', {
      cause: error,
    })
  }
}
