import type { Role } from '../../../rules/caller.ts'
import type { Settings } from './model.ts'

interface Invited {
  readonly role: Role
  readonly beta_code: string | null
}

/** True if the user has to enter a beta code first. */
export function isBehindGate(
  { beta_gate_enabled }: Settings['authentication'],
  { role, beta_code }: Invited,
): boolean {
  return beta_gate_enabled && beta_code === null && role !== 'administrator'
}
