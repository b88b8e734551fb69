import type { Caller, Role } from './caller.ts'
import { Refusal } from './refusal.ts'

interface Invited {
  readonly role: Role
  readonly beta_code: string | null
}

/** True if the user has to enter a beta code first. */
export function isBehindGate(
  { beta_gate_enabled }: { readonly beta_gate_enabled: boolean },
  { role, beta_code }: Invited,
): boolean {
  return beta_gate_enabled && beta_code === null && role !== 'administrator'
}

export function refuseGated({ isGated }: Caller): void {
  if (isGated) throw new Refusal('BETA_CODE_REQUIRED', 'Enter a beta code first.')
}
