import { randomUUID } from 'node:crypto'
import { z } from 'zod'

/** An id as a caller can send it, known or not. */
export const Id = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'An id has no control characters and no lone surrogates.')

/** The administrator's own name for an application or a webhook, by which a file of settings finds it. Set once. */
export const Key = z.string().regex(/^[a-z0-9-]{1,40}$/, 'A key has 1 to 40 of a-z, 0-9 and -.')

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
