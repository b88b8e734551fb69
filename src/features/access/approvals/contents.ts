import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import type { Platform } from '../../../platform/platform.ts'
import { openIfOurs } from '../../../platform/secrets/secret-box.ts'
import { actorIdOf, type GrantCredential } from '../../../rules/caller.ts'
import type { Result } from './input.ts'

/** Input and result of a call can hold secrets of any route: a key in the settings, the secret of an application. */
type Sealing = Pick<Platform, 'secretBox'>

/** Names the row, so that no call can be given another's contents. */
const INPUT = (id: string) => `input of approval ${id}`
const RESULT = (id: string) => `result of approval ${id}`

/** Written as a JSON text: a program of 0.3.0 parses the column, and every route refuses a text as its input. */
export function sealedInput({ secretBox }: Sealing, id: string, input: string): string {
  return JSON.stringify(secretBox.seal(INPUT(id), input))
}

/** The input as it was sent. Undefined if it is gone, or was sealed under another key. */
export function openedInput(
  { secretBox }: Sealing,
  { id, input }: Pick<ApprovalTable, 'id' | 'input'>,
): string | undefined {
  const kept: unknown = JSON.parse(input)
  if (kept === null) return undefined
  // A program of 0.3.0 has written it.
  if (typeof kept !== 'string') return input
  return openIfOurs(secretBox, INPUT(id), kept)
}

export function sealedResult({ secretBox }: Sealing, id: string, result: Result): string {
  return secretBox.seal(RESULT(id), JSON.stringify(result))
}

/** Undefined if it is gone, or was sealed under another key. */
export function openedResult(
  { secretBox, now }: Sealing & Pick<Platform, 'now'>,
  { id, result, sealed_result, expires_at }: ApprovalTable,
): Result | undefined {
  if (expires_at <= now()) return undefined
  if (sealed_result === null) return result === null ? undefined : JSON.parse(result)
  const text = openIfOurs(secretBox, RESULT(id), sealed_result)
  return text === undefined ? undefined : JSON.parse(text)
}

/** The same input has the same fingerprint, under one key of the deployment. */
export function fingerprintOf({ signer }: Pick<Platform, 'signer'>, input: string): string {
  return signer.digest('input of an approval', input)
}

/** The call's key, kept apart from that of a service. Keys cannot contain a line break, so it is a safe separator. */
export function keptKey(credential: GrantCredential, key: string | undefined): string | null {
  if (key === undefined) return null
  const service = actorIdOf(credential)
  return service === null ? key : `${service}\n${key}`
}

/** The key as the program sent it. */
export function sentKeyOf({ key }: Pick<ApprovalTable, 'key'>): string | undefined {
  return key?.split('\n').at(-1)
}
