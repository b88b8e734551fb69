import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { reasonOf } from '../../rules/finding.ts'
import { newId } from '../../rules/ids.ts'
import { onOneLine } from '../../rules/one-line.ts'

/** A person of the rehearsal, with what one program gave them and what they wrote. */
export interface Made {
  readonly id: string
  readonly email: string
  readonly password: string
  readonly session: string
  /** The latest of their grant. */
  readonly refreshToken: string
  /** What they wrote last. */
  readonly name: string
  readonly feedback: string
}

const CONTINENTS = ['AS', 'EU', 'OC'] as const
const ANSWER_MILLISECONDS = 30_000
const LONGEST_WORDS = 200

/** In words for the operator. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number | undefined

  constructor(words: string, status?: number) {
    super(words)
    this.status = status
  }
}

/** They sign up and in, connect a tool, refresh its token and write. `refused` says what did not work. */
export async function makePeople(url: string, ended: AbortSignal) {
  const people: Made[] = []
  const refused: string[] = []
  for (const continent of CONTINENTS) {
    const asking = new Asking(url, ended, { 'cf-ipcontinent': continent })
    try {
      people.push(await make(asking))
    } catch (error) {
      ended.throwIfAborted()
      refused.push(reasonOf(error))
    }
  }
  return { people, refused }
}

async function make(asking: Asking): Promise<Made> {
  const [email, password] = [`rehearsal-${newId()}@example.com`, randomBytes(18).toString('base64url')]
  await asking.post('the sign-up', '/api/auth/sign-up/email', { email, password, name: 'Rehearsal' }, z.unknown())
  const { token, user } = await asking.post('the sign-in', '/api/auth/sign-in/email', { email, password }, Signed)
  const refreshToken = await refresh(asking, await connect(asking, token))
  return { id: user.id, email, password, session: token, refreshToken, ...(await write(asking, token)) }
}

/** `unread` says what this program could not read of people whom the other one has served, or do for them. */
export async function visitPeople(url: string, made: readonly Made[], ended: AbortSignal) {
  const people: Made[] = []
  const unread = new Set<string>()
  const asking = new Asking(url, ended, {})
  for (const person of made)
    try {
      people.push(await visit(asking, person))
    } catch (error) {
      ended.throwIfAborted()
      unread.add(reasonOf(error))
    }
  return { people, unread: [...unread] }
}

async function visit(asking: Asking, made: Made): Promise<Made> {
  const { id, email, password, session, feedback } = made
  const kept = await asking.get('the kept session', '/api/auth/get-session', session, Session)
  if (kept?.user.id !== id) throw new Refused('the kept session is not good any more')
  if (kept.user.name !== made.name) throw new Refused('the name that was written is not read')
  const { token, user } = await asking.post('the sign-in', '/api/auth/sign-in/email', { email, password }, Signed)
  if (user.id !== id) throw new Refused('the sign-in leads to another user')
  await readFeedback(asking, token, feedback)
  const refreshToken = await refresh(asking, made.refreshToken)
  return { ...made, refreshToken, ...(await write(asking, token)) }
}

async function write(asking: Asking, token: string): Promise<Pick<Made, 'name' | 'feedback'>> {
  const name = `Rehearsal ${randomBytes(4).toString('hex')}`
  await asking.post('writing the name', '/api/auth/update-user', { name }, z.unknown(), token)
  const content = { type: 'idea', content: name }
  const { id } = await asking.post('writing feedback', '/api/submit_feedback', content, WithId, token)
  return { name, feedback: id }
}

/** 0.3.0 lists feedback for the administrator alone. */
async function readFeedback(asking: Asking, token: string, feedback: string): Promise<void> {
  await asking.post('reading notifications', '/api/list_notifications', {}, z.unknown(), token)
  const own = await asking.postIfKnown('reading feedback', '/api/list_own_feedbacks', {}, Listed, token)
  if (own && !own.items.some(({ id }) => id === feedback))
    throw new Refused('the feedback that was written is not read')
}

const CLIENT = 'cli-client'
const REDIRECT = 'http://127.0.0.1:49152/callback'

/** By the client of the command line, which every installation has. */
async function connect(asking: Asking, token: string): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const asked = {
    ...{ client_id: CLIENT, response_type: 'code', redirect_uri: REDIRECT, state: 'rehearsal' },
    ...{ scope: 'account:profile:read api_access offline_access', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  }
  const begun = await asking.post('asking for a grant', '/api/oauth/begin_authorization', asked, Begun, token)
  const decision = { request_id: begun.request_id, approve: true }
  const decided = await asking.post('approving a grant', '/api/oauth/decide_authorization', decision, Decided, token)
  const code = new URL(decided.redirect_to).searchParams.get('code') ?? ''
  const redeemed = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier }
  return (await asking.form('the code of a grant', redeemed)).refresh_token
}

async function refresh(asking: Asking, token: string): Promise<string> {
  return (await asking.form('refreshing a token', { grant_type: 'refresh_token', refresh_token: token })).refresh_token
}

const Signed = z.object({ token: z.string(), user: z.object({ id: z.string() }) })
const Session = z.object({ user: z.object({ id: z.string(), name: z.string() }) }).nullable()
const WithId = z.object({ id: z.string() })
const Listed = z.object({ items: z.array(WithId) })
const Begun = z.object({ request_id: z.string() })
const Decided = z.object({ redirect_to: z.string() })
const Tokens = z.object({ refresh_token: z.string() })

/** Asks one program, and says in words what was not answered as it should be. */
class Asking {
  readonly #url: string
  readonly #ended: AbortSignal
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, ended: AbortSignal, headers: Readonly<Record<string, string>>) {
    this.#url = url
    this.#ended = ended
    this.#headers = headers
  }

  get<T>(what: string, path: string, token: string, answer: z.ZodType<T>): Promise<T> {
    return this.#send(what, path, { headers: { authorization: `Bearer ${token}` } }, answer)
  }

  post<T>(what: string, path: string, body: unknown, answer: z.ZodType<T>, token?: string): Promise<T> {
    const headers = {
      'content-type': 'application/json',
      ...this.#headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    return this.#send(what, path, { method: 'POST', headers, body: JSON.stringify(body) }, answer)
  }

  /** Undefined if the program does not have the route. */
  async postIfKnown<T>(what: string, path: string, body: unknown, answer: z.ZodType<T>, token: string) {
    try {
      return await this.post(what, path, body, answer, token)
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined
      throw error
    }
  }

  form(what: string, form: Readonly<Record<string, string>>): Promise<z.output<typeof Tokens>> {
    const body = new URLSearchParams({ client_id: CLIENT, ...form })
    return this.#send(what, '/api/oauth/token', { method: 'POST', body }, Tokens)
  }

  async #send<T>(what: string, path: string, init: RequestInit, answer: z.ZodType<T>): Promise<T> {
    const signal = AbortSignal.any([this.#ended, AbortSignal.timeout(ANSWER_MILLISECONDS)])
    const response = await fetch(this.#url + path, { ...init, signal, redirect: 'manual' })
    const text = await response.text()
    const words = onOneLine(text).slice(0, LONGEST_WORDS)
    if (!response.ok) throw new Refused(`${what} was answered with ${response.status}: ${words}`, response.status)
    const read = answer.safeParse(parsed(text))
    if (!read.success) throw new Refused(`${what} was answered with something else: ${words}`)
    return read.data
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
