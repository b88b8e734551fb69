import { createHmac, timingSafeEqual } from 'node:crypto'

const STEP_SECONDS = 30
const DIGITS = 6
/** One step either way; a phone's clock is seldom further off. */
const TOLERANCE_STEPS = 1

/** RFC 4226. */
export function hotp(secret: Buffer, counter: number, digits = DIGITS): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const digest = createHmac('sha1', secret).update(message).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0x0f
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** RFC 6238: the step that this code belongs to, among those that are valid now. */
export function matchingStep(secret: Buffer, code: string, now: number): number | undefined {
  const current = Math.floor(now / 1000 / STEP_SECONDS)
  const given = Buffer.from(code.padStart(DIGITS))
  for (let step = current - TOLERANCE_STEPS; step <= current + TOLERANCE_STEPS; step++) {
    const right = Buffer.from(hotp(secret, Math.max(0, step)))
    if (given.length === right.length && timingSafeEqual(given, right)) return step
  }
  return undefined
}

/** The content of the QR code for an authenticator app. */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = [issuer, account].map((name) => encodeURIComponent(name.toWellFormed())).join(':')
  const parameters = { secret: base32(secret), issuer, algorithm: 'SHA1', digits: '6', period: '30' }
  // Apps take a plus sign for itself, so a space is %20.
  const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20')
  return `otpauth://totp/${label}?${query}`
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
