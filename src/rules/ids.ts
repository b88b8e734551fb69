import { z } from 'zod'

/** An id as a caller can send it, known or not. */
export const Id = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'An id has no control characters and no lone surrogates.')

/** The input of an act on one thing. */
export const OneById = z.object({ id: Id })
