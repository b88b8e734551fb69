import * as z from 'zod/mini'
import type { Texts } from '../texts/en.ts'

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$|^[^\s@]+@localhost$/
const shortestPassword = 8

/** Checks of typed values, and the messages for invalid ones. */
export function fieldsOf({ form }: Texts) {
  return {
    email: z.string().check(z.trim(), z.minLength(1, form.emailMissing), z.regex(emailShape, form.emailOdd)),
    password: z.string().check(z.minLength(1, form.passwordMissing)),
    newPassword: z.string().check(
      z.minLength(1, form.passwordMissing),
      z.refine((typed) => [...typed].length >= shortestPassword, form.passwordShort),
    ),
    sixDigits: z.string().check(z.regex(/^\d{6}$/, form.codeIncomplete)),
    /** A value is required. */
    required: z.string().check(z.trim(), z.minLength(1, form.required)),
    optional: z.string().check(z.trim()),
  }
}

/** Codes of a password that is not accepted, for the field that it is typed into. */
export const passwordRefusals = <Field extends string>(field: Field) =>
  ({ PASSWORD_TOO_SHORT: [field], PASSWORD_TOO_LONG: [field], PASSWORD_COMPROMISED: [field] }) as const
