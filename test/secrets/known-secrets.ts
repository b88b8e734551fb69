/** Secrets that must not be found, by kind. */
export class KnownSecrets {
  readonly #known = new Map<string, Known>()

  keep(what: string, secret: string | null | undefined): string {
    if (!secret) throw new Error(`there is no ${what}`)
    if (!this.#known.has(secret))
      this.#known.set(secret, { what, dresses: secret.length < SHORT ? [] : dressesOf(secret) })
    return secret
  }

  /** The secrets that these bytes contain, as they are or in a common encoding. */
  foundIn(bytes: Buffer): string[] {
    const beginnings = new Beginnings(bytes)
    return [...this.#known].flatMap(([secret, { what, dresses }]) =>
      isIn(
        bytes,
        secret,
        dresses.filter((dress) => beginnings.mayHave(dress)),
      )
        ? [what]
        : [],
    )
  }

  get count(): number {
    return this.#known.size
  }
}

interface Known {
  readonly what: string
  readonly dresses: readonly Buffer[]
}

/** A shorter one is in any long row of digits; it counts only where it stands by itself. */
const SHORT = 8

function isIn(bytes: Buffer, secret: string, dresses: readonly Buffer[]): boolean {
  if (secret.length >= SHORT) return dresses.some((dress) => bytes.includes(dress))
  let at = bytes.indexOf(secret)
  while (at >= 0) {
    if (!isAt(bytes, at - 1, BEFORE) && !isAt(bytes, at + secret.length, AFTER)) return true
    at = bytes.indexOf(secret, at + 1)
  }
  return false
}

/**
 * The beginnings of eight bytes that occur somewhere, roughly: thousands of searches through all bytes would take
 * seconds.
 */
class Beginnings {
  readonly #marks = new Uint8Array(1 << 20)

  constructor(bytes: Buffer) {
    for (let at = 0; at + SHORT <= bytes.length; at++) this.#marks[placeOf(bytes, at)] = 1
  }

  /** Never false for what is there. */
  mayHave(text: Buffer): boolean {
    return this.#marks[placeOf(text, 0)] === 1
  }
}

function placeOf(bytes: Buffer, at: number): number {
  const mixed = Math.imul(bytes.readUInt32LE(at), 0x9e3779b1) ^ Math.imul(bytes.readUInt32LE(at + 4), 0x85ebca6b)
  return (mixed ^ (mixed >>> 15)) & ((1 << 20) - 1)
}

/** Matches the inside of a longer number, an id or base64. */
const BEFORE = /[\w.+/=-]/
const AFTER = /[\w+/=-]/

function isAt(bytes: Buffer, at: number, what: RegExp): boolean {
  return what.test(String.fromCharCode(bytes[at] ?? 0))
}

/** Inside a longer text, base64 depends on where in it the secret begins. */
function dressesOf(secret: string): readonly Buffer[] {
  const bytes = Buffer.from(secret)
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // Drops the characters that depend on their neighbours.
    const own = whole.slice(Math.ceil((before * 4) / 3), whole.indexOf('=') < 0 ? undefined : -4)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const plain = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
  const encoded = inBase64.filter(({ length }) => length >= SHORT)
  return [...new Set([...plain, bytes.toString('hex'), ...encoded])].map((text) => Buffer.from(text))
}
