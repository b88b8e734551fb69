import { randomUUID } from 'node:crypto'
import { z } from 'zod'

/** An id as a caller can send it, known or not. */
export const Id = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'An id has no control characters and no lone surrogates.')

/** The input of an act on one thing. */
export const OneById = z.object({ id: Id })

const LAST_IN_MILLISECOND = 0xfff
let millisecond = 0
let sequence = 0

/** A UUID of version 7. Those of one process follow the order in which they were made, also within a millisecond. */
export function newId(): string {
  const now = Date.now()
  if (now > millisecond || sequence === LAST_IN_MILLISECOND) {
    millisecond = Math.max(now, millisecond + 1)
    sequence = 0
  } else {
    sequence++
  }
  const time = millisecond.toString(16).padStart(12, '0')
  const random = randomUUID().slice('xxxxxxxx-xxxx-4xxx'.length)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}${random}`
}
