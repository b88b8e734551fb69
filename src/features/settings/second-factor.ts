import type { Role } from '../../rules/caller.ts'
import type { Settings } from './model.ts'

/** Whether a user of this role has to have a second factor. */
export function requiresFactor({ second_factor }: Settings['authentication'], role: Role): boolean {
  return (
    second_factor === 'required' ||
    (second_factor === 'required_for_administrator' && role === 'administrator')
  )
}
