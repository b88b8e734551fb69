import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'

/**
 * One line for each failure, for programs that block addresses: who called and why it failed, never which
 * account.
 */
export function logFailedSignIn({ platform, sender }: Call, code: string, more: object = {}): void {
  platform.log.warn({ address: sender.address, code, ...more }, 'sign-in failed')
}

export async function loggingFailures<Output>(call: Call, signIn: () => Promise<Output>): Promise<Output> {
  try {
    return await signIn()
  } catch (error) {
    if (error instanceof Refusal) logFailedSignIn(call, error.code)
    throw error
  }
}
