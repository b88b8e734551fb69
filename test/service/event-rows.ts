import { v7 as newId } from 'uuid'
import { type NewRow, NOT_AUDITED } from '../../src/features/ground/events/statements.ts'
import type { EventType } from '../../src/rules/event-types.ts'

interface NewEvent {
  readonly type: EventType
  readonly user_id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** A row that products see, and the audit log does not. */
export function eventRow({ type, user_id, data }: NewEvent, now: number): NewRow {
  return { ...NOT_AUDITED, id: newId(), created_at: now, type, user_id, data: JSON.stringify(data) }
}
