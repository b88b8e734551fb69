import type { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

export const SEND = '/api/auth/email-otp/send-verification-otp'
export const VERIFY = '/api/auth/email-otp/verify-email'
export const REQUEST_RESET = '/api/auth/email-otp/request-password-reset'
export const RESET = '/api/auth/email-otp/reset-password'

/** Both requests for a code, by what is sent beside the address. */
export const REQUESTS = [
  [SEND, { type: 'email-verification' }],
  [REQUEST_RESET, {}],
] as const

function askForCode(person: Person) {
  return person.post(SEND, { email: person.email, type: 'email-verification' })
}

export async function codeFor(service: Service, person: Person): Promise<string> {
  await askForCode(person)
  return service.mail.codeFor(person.email)
}

export async function resetCodeFor(service: Service, person: Person): Promise<string> {
  await person.post(REQUEST_RESET, { email: person.email })
  return service.mail.codeFor(person.email)
}

export function verify(person: Person, otp: string) {
  return person.post(VERIFY, { email: person.email, otp })
}

export function reset(
  person: Person,
  otp: string,
  password = 'a quieter walk in the snow',
  headers: Readonly<Record<string, string>> = {},
) {
  return person.post(RESET, { email: person.email, otp, password }, headers)
}

/** This many six-digit codes that are wrong. */
export function wrong(otp: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => String((Number(otp) + i + 1) % 1_000_000).padStart(6, '0'))
}

/** Sends all at once, by turns to two processes. */
export function atOnce(
  service: Service,
  path: string,
  bodies: readonly object[],
  headers: Readonly<Record<string, string>> = {},
) {
  return Promise.all(
    bodies.map(async (body, i) => {
      const request = i % 2 === 0 ? service.request : service.requestElsewhere
      const response = await request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const { code }: { code?: string } = JSON.parse(await response.text())
      return { status: response.status, headers: response.headers, body: { code } }
    }),
  )
}
