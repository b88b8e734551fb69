import { z } from 'zod'
import { FOUND_KINDS } from '../../../database/sql/found.ts'

/** As it is stored, in base64url; a program can send it in hexadecimal too. */
const Sha256 = z
  .string()
  .regex(/^(?:[\w-]{43}|[\da-fA-F]{64})$/, 'Expected a SHA-256 in base64url or hexadecimal.')
  .transform((text) => (text.length === 64 ? Buffer.from(text, 'hex').toString('base64url') : text))

export const Find = z
  .object({
    /** Of something secret, so that the secret itself is not sent. */
    sha256: Sha256.optional(),
    text: z.string().trim().min(1).max(254).optional(),
  })
  .refine(({ sha256, text }) => (sha256 === undefined) !== (text === undefined), 'Send either sha256 or text.')
export type Find = z.output<typeof Find>

export const Found = z.object({
  items: z.array(
    z.object({
      kind: z.enum(FOUND_KINDS),
      /** Of the grant, if a token was found. */
      id: z.string(),
      title: z.string(),
      /** Null if it belongs to no user, or if the caller may not see users. */
      owner: z.object({ id: z.string(), email: z.string(), name: z.string() }).nullable(),
      scopes: z.array(z.string()),
      last_used_at: z.int().nullable(),
    }),
  ),
})
