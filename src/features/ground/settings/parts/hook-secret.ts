import { newEndpointSecret } from '../../../../platform/endpoints/signature.ts'
import { DAY_MILLISECONDS } from '../../../../rules/time.ts'

// The text that is sealed for a hook: its secret, and then `unseen`, or the former secret and the end of its day.

const UNSEEN = 'unseen'

export function newUnseen(): string {
  return `${newEndpointSecret()} ${UNSEEN}`
}

export function isUnseen(text: string): boolean {
  return text.endsWith(` ${UNSEEN}`)
}

export function secretIn(text: string): string {
  return text.split(' ')[0] ?? ''
}

/** The newest comes first. Empty without a secret. */
export function signingSecrets(text: string, now: number): readonly string[] {
  const [secret = '', former, until = '0'] = text.split(' ')
  if (secret === '') return []
  return former !== undefined && now < Number(until) ? [secret, former] : [secret]
}

/** The former secret signs beside the new one for a day. */
export function rotated(text: string, secret: string, now: number): string {
  const former = secretIn(text)
  return former === '' ? secret : `${secret} ${former} ${now + DAY_MILLISECONDS}`
}
