import { type Io, say } from '../../terminal/io.ts'
import { cleanLine } from '../../terminal/text.ts'
import type { Answer } from '../answer.ts'

const secretName = /auth|cookie|token|secret|password|otp|code|captcha|key/i

/** Heads only: bodies can contain secrets that nothing marks as such. */
export function traceRequest(io: Io, method: string, url: URL, headers: Headers): void {
  say(io, `> ${method} ${maskQuery(url)}`)
  traceHeaders(io, '>', headers)
}

export function traceAnswer(io: Io, { status, reason, headers, body }: Answer): void {
  say(io, `< ${status} ${cleanLine(reason)}, ${body.length} bytes`)
  traceHeaders(io, '<', headers)
}

function traceHeaders(io: Io, mark: string, headers: Headers): void {
  for (const [name, value] of headers) say(io, `${mark} ${name}: ${mask(name, value)}`)
}

function mask(name: string, value: string): string {
  if (name === 'www-authenticate' || !secretName.test(name)) return cleanLine(value)
  return value.startsWith('Bearer ') ? 'Bearer ***' : '***'
}

function maskQuery(url: URL): string {
  const masked = new URL(url)
  for (const [name] of url.searchParams) if (secretName.test(name)) masked.searchParams.set(name, '***')
  return masked.href
}
