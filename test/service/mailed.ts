import type { Person } from './people.ts'
import type { Service } from './service.ts'

/** The owner of the mailbox types its code into this browser. */
export async function proveAddress({ mail }: Service, { email }: Person, browser: Person) {
  await browser.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
  return browser.post('/api/auth/email-otp/verify-email', { email, otp: await mail.codeFor(email) })
}

/** Uses a mailed code, and sets the password of its addressee. */
export async function resetByCode({ mail }: Service, person: Person) {
  const { email, password } = person
  await person.post('/api/auth/email-otp/request-password-reset', { email })
  const otp = await mail.codeFor(email)
  return person.post('/api/auth/email-otp/reset-password', { email, otp, password })
}
