import type { EventType } from '../../rules/event-types.ts'
import type { NewEvent } from '../events/statements.ts'
import type { Act, Actor } from './audit.ts'

/** Acts that products learn of under another name, with the same details. */
const TYPES: Readonly<Record<string, EventType>> = {
  'factor.add': 'factor.added',
  'factor.remove': 'factor.removed',
  'factor.reset': 'factor.removed',
}

export function eventOfAct(actor: Actor, { action, subject, details = {} }: Act): NewEvent | undefined {
  const type = TYPES[action]
  if (!type) return undefined
  return { type, user_id: subject?.type === 'user' ? subject.id : actor.id, data: details }
}
