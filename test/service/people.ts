import type { Part } from '../../src/features/ground/settings/model.ts'
import type { Service } from './service.ts'

export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** A browser's store: only cookies. */
export class Person {
  readonly email: string
  readonly password: string
  readonly cookies = new Map<string, string>()
  readonly #service: Pick<Service, 'request'>
  #id: string | undefined
  #token: string | undefined

  constructor(service: Pick<Service, 'request'>, email: string, password: string) {
    this.#service = service
    this.email = email
    this.password = password
  }

  /** Known after sign-up or sign-in. */
  get id(): string {
    if (this.#id === undefined) throw new Error(`${this.email} is not known to the service yet`)
    return this.#id
  }

  /** The session's token, as a program would send it. */
  get token(): string {
    if (this.#token === undefined) throw new Error(`${this.email} has no session`)
    return this.#token
  }

  async signUp(extra: Readonly<Record<string, unknown>> = {}): Promise<Answer<Signed>> {
    const body = { email: this.email, password: this.password, name: this.email, ...extra }
    return this.#remember(await this.post<Signed>('/api/auth/sign-up/email', body))
  }

  async signIn(headers: Readonly<Record<string, string>> = {}): Promise<Answer<Signed>> {
    const body = { email: this.email, password: this.password }
    return this.#remember(await this.post<Signed>('/api/auth/sign-in/email', body, headers))
  }

  /** Acts like the console: reads the version, and sends what is to change. */
  async saveSettings(part: Part, fields: Readonly<Record<string, unknown>>): Promise<Answer<unknown>> {
    const { body } = await this.post(`/api/admin/get_${part}_config`)
    const sent = { expected_version: body.version, ...fields }
    const answer = await this.post(`/api/admin/update_${part}_config`, sent)
    if (answer.status !== 200) throw new Error(`settings not saved: ${JSON.stringify(answer.body)}`)
    return answer
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  post<Body = any>(
    path: string,
    body: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    return this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  get<Body = any>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer<Body>> {
    return this.send(path, { headers })
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  async send<Body = any>(path: string, init: RequestInit): Promise<Answer<Body>> {
    const headers = new Headers(init.headers)
    if (this.cookies.size > 0 && !headers.has('authorization')) headers.set('cookie', this.#cookieHeader())
    const response = await this.#service.request(path, { ...init, headers })
    this.#keepCookies(response.headers)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  #remember(answer: Answer<Signed>): Answer<Signed> {
    this.#id = answer.body.user?.id ?? this.#id
    this.#token = answer.body.token ?? this.#token
    return answer
  }

  #cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #keepCookies(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0\b/i.test(cookie)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

interface Signed {
  readonly token?: string | null
  readonly user?: { readonly id: string; readonly email: string }
  readonly redirect?: boolean
  readonly code?: string
}

/** The administrator, signed in, and two people who signed up through the real endpoints. */
export async function people(service: Service) {
  const administrator = new Person(service, service.administrator.email, service.administrator.password)
  const ann = new Person(service, 'ann@example.com', 'a long walk in the rain')
  const ben = new Person(service, 'ben@example.com', 'seven boats on a lake')
  await Promise.all([administrator.signIn(), ann.signUp(), ben.signUp()])
  return { administrator, ann, ben }
}

/** A visitor without an account or a session. */
export function stranger(service: Service, email = 'carl@example.com'): Person {
  return new Person(service, email, 'an owl under the roof')
}

/** A further user, who has just signed up. */
export async function newcomer(service: Service, email?: string): Promise<Person> {
  const person = stranger(service, email)
  await person.signUp()
  return person
}
