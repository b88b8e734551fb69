import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Clock } from '../../../packages/server/options.ts'

export const ISSUER = 'https://id.example.com'

interface Revoked {
  readonly kind: string
  readonly id: string
  readonly at: number
}

type Fault = 'none' | 'refuses' | 'cut' | 'hang' | 'page' | 'gateway' | 'lie' | 'long' | 'forgot' | 'replay' | 'back'

/** The verifier's view of Gatehouse, without a network, and at fault in every way that a test asks for. */
export class FakeGatehouse {
  readonly clock = new FakeClock()
  readonly asked: string[] = []
  /** Opaque tokens to the id of their session. */
  readonly sessions = new Map<string, string>()
  readonly keys = new Map<string, { readonly pair: KeyPair; readonly alg: 'EdDSA' | 'RS256' }>()
  fault: Fault = 'none'
  verifyFault: Fault = 'none'
  headers: Readonly<Record<string, string>> = {}
  readonly #revoked: (Revoked | 'everyone')[] = []
  #waiting: (() => void)[] = []
  #lastAnswer: object = {}

  constructor() {
    this.keys.set('one', { pair: generateKeyPairSync('ed25519'), alg: 'EdDSA' })
  }

  readonly fetch: typeof fetch = (input, init) => {
    const { pathname } = new URL(String(input))
    this.asked.push(pathname)
    if (pathname === '/api/auth/jwks') return this.#at(this.fault, () => this.#jwks(), init)
    if (pathname === '/api/oauth/revocations') return this.#at(this.fault, () => this.#feed(init), init)
    return this.#at(this.verifyFault, async () => this.#verify(new Headers(init?.headers)), init)
  }

  get asks(): number {
    return this.asked.filter((path) => path === '/api/verify').length
  }

  revoke(kind: string, id: string): void {
    for (const [token, session] of this.sessions) if (session === id) this.sessions.delete(token)
    this.#revoked.push({ kind, id, at: this.clock.wall() })
    this.answerWaiting()
  }

  /** Settings were saved that can block any user. */
  saveSettings(): void {
    this.#revoked.push('everyone')
    this.answerWaiting()
  }

  /** Ends every long poll, so that the next one begins. */
  answerWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const answer of waiting) answer()
  }

  get isWaitedFor(): boolean {
    return this.#waiting.length > 0
  }

  token(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}, signedBy = 'one'): string {
    const now = Math.floor(this.clock.wall() / 1_000)
    const key = this.keys.get(signedBy)
    if (!key) throw new Error('no such key')
    const head = { alg: key.alg, kid: signedBy, typ: 'JWT', ...header }
    const data = `${encoded(head)}.${encoded({ ...CLAIMS, iat: now, exp: now + 300, ...claims })}`
    const signature = sign(key.alg === 'EdDSA' ? null : 'sha256', Buffer.from(data), key.pair.privateKey)
    return `${data}.${signature.toString('base64url')}`
  }

  async #at(fault: Fault, answer: () => Promise<Response>, init: RequestInit | undefined) {
    if (fault === 'cut') throw new TypeError('fetch failed')
    if (fault === 'refuses')
      return Response.json({ code: 'EMAIL_NOT_VERIFIED', message: 'Verify the address first.' }, { status: 403 })
    if (fault === 'page') return new Response('<h1>Sign in to the Wi-Fi</h1>')
    if (fault === 'gateway') return new Response('<h1>502 Bad Gateway</h1>', { status: 502 })
    if (fault === 'hang') await new Promise((_, reject) => init?.signal?.addEventListener('abort', reject))
    return answer()
  }

  publicJwk(kid: string) {
    const key = this.keys.get(kid)
    if (!key) throw new Error('no such key')
    return { ...key.pair.publicKey.export({ format: 'jwk' }), kid, alg: key.alg, use: 'sig' }
  }

  async #jwks(): Promise<Response> {
    return Response.json({ keys: [...this.keys.keys()].map((kid) => this.publicJwk(kid)) })
  }

  async #feed(init: RequestInit | undefined): Promise<Response> {
    const { after, wait_seconds, nonce } = JSON.parse(String(init?.body))
    if (this.fault === 'lie') return Response.json({ items: [{ kind: 'session' }], next: '0' })
    if (this.fault === 'long') {
      const items = [{ kind: 'session', id: 'a'.repeat(257), at: 0 }]
      return Response.json({ items, next: after ?? '0', nonce })
    }
    if (this.fault === 'replay') return Response.json(this.#lastAnswer)
    if (this.fault === 'back') return Response.json({ items: [], next: '-1', nonce })
    if (this.fault === 'forgot') return Response.json({ code: 'INVALID_REQUEST' }, { status: 400 })
    const from = after === undefined ? this.#revoked.length : Number(after)
    if (wait_seconds > 0 && this.#revoked.length <= from) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve)
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
      })
    }
    const news = this.#revoked.slice(from)
    const everyone = news.includes('everyone')
    const items = news.filter((one) => one !== 'everyone')
    this.#lastAnswer = { items, next: String(this.#revoked.length), nonce, ...(everyone && { everyone }) }
    return Response.json(this.#lastAnswer)
  }

  #verify(asked: Headers): Response {
    const token = asked.get('authorization')?.slice('Bearer '.length) ?? ''
    const id = this.sessions.get(token)
    if (id === undefined) return Response.json({ code: 'UNAUTHORIZED' }, { status: 401 })
    return new Response('{}', {
      headers: {
        'x-user-id': 'ann',
        'x-user-email': 'ann@example.com',
        'x-user-name': 'Ann%20M%C3%BCller',
        'x-user-email-verified': 'true',
        'x-user-role': 'user',
        'x-auth-kind': 'session',
        'x-auth-scopes': '',
        'x-auth-id': id,
        'x-auth-expires': String(Math.floor(this.clock.wall() / 1_000) + 3_600),
        ...this.headers,
      },
    })
  }
}

type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject }

class FakeClock implements Clock {
  #passed = 0

  wall(): number {
    return 1_800_000_000_000 + this.#passed
  }

  steady(): number {
    return this.#passed
  }

  advance(milliseconds: number): void {
    this.#passed += milliseconds
  }
}

/** The clock of a product's machine: its time of day is as wrong as a test sets it. */
export class WrongClock implements Clock {
  aheadMilliseconds = 0
  readonly #right: Clock

  constructor(right: Clock) {
    this.#right = right
  }

  wall(): number {
    return this.#right.wall() + this.aheadMilliseconds
  }

  steady(): number {
    return this.#right.steady()
  }
}

const CLAIMS = {
  iss: ISSUER,
  aud: ISSUER,
  sub: 'ann',
  sid: 'session-one',
  kind: 'session',
  email: 'ann@example.com',
  email_verified: true,
  name: 'Ann',
  role: 'user',
  scope: '',
}

export function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

export function opaque(name: string): string {
  return `ghs_${name.padEnd(43, '0')}`
}
