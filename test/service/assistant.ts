import assert from 'node:assert/strict'
import * as stateless from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { REDIRECT } from './grants.ts'
import type { Person } from './people.ts'
import type { Service } from './service.ts'

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Requests of an SDK, which knows absolute addresses, to the service in this process. */
export function fetchFrom(service: Pick<Service, 'request'>): Fetch {
  return (url, init) => {
    const { pathname, search } = new URL(url)
    return service.request(`${pathname}${search}`, init)
  }
}

interface Known {
  /** An id registered by the administrator, or the address of the maker's document; otherwise it registers itself. */
  readonly client_id?: string
  readonly scope?: string
}

/** An assistant's memory: what the SDK keeps for it, and the page that it wants its user to open. */
class Memory implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT
  readonly #scope: string | undefined
  #client: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #verifier = ''
  page: URL | undefined

  constructor({ client_id, scope }: Known) {
    this.#client = client_id === undefined ? undefined : { client_id }
    this.#scope = scope
  }

  get clientMetadata() {
    const scope = this.#scope
    return {
      client_name: 'Assistant',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...(scope !== undefined && { scope }),
    }
  }

  clientInformation() {
    return this.#client
  }

  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client
  }

  tokens() {
    return this.#tokens
  }

  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens
  }

  redirectToAuthorization(page: URL) {
    this.page = page
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }

  codeVerifier() {
    return this.#verifier
  }
}

/** The later SDK binds what it keeps to the server that issued it. */
class StatelessMemory extends Memory implements stateless.OAuthClientProvider {
  #discovered: stateless.OAuthDiscoveryState | undefined

  override clientInformation() {
    const known = super.clientInformation()
    const issuer = this.#discovered?.authorizationServerUrl
    return known && { ...known, ...(issuer !== undefined && { issuer }) }
  }

  saveDiscoveryState(state: stateless.OAuthDiscoveryState) {
    this.#discovered = state
  }

  discoveryState() {
    return this.#discovered
  }
}

/** The SDK's own client, connected as an assistant is: it discovers where to ask, and its user consents. */
export async function assistantOf(person: Person, url: string, known: Known, fetch: Fetch) {
  const memory = new Memory(known)
  const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: memory, fetch })
  const client = new Client({ name: 'assistant', version: '1.0.0' })
  const first = transport()
  await assert.rejects(client.connect(first as Parameters<Client['connect']>[0]), UnauthorizedError)
  assert.ok(memory.page, 'it knows where its user consents')
  await first.finishAuth(await consentOf(person, memory.page))
  await first.close()
  const second = transport()
  await client.connect(second as Parameters<Client['connect']>[0])
  return {
    client,
    memory,
    async call(name: string, input: Record<string, unknown> = {}) {
      const { isError, content } = await client.callTool({ name, arguments: input })
      assert.ok(Array.isArray(content))
      return { isRefused: isError === true, text: String(content[0].text) }
    },
    /** The user agrees to what the assistant asked for last. */
    async allow() {
      assert.ok(memory.page)
      await second.finishAuth(await consentOf(person, memory.page))
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The published client of the revision without handshake, connected in the same way; it speaks no older one. */
export async function statelessAssistantOf(person: Person, url: string, known: Known, fetch: Fetch) {
  const memory = new StatelessMemory(known)
  const transport = () => new stateless.StreamableHTTPClientTransport(new URL(url), { authProvider: memory, fetch })
  const versionNegotiation = { mode: { pin: '2026-07-28' } }
  const client = new stateless.Client({ name: 'assistant', version: '2.0.0' }, { versionNegotiation })
  const first = transport()
  await assert.rejects(client.connect(first), stateless.UnauthorizedError)
  assert.ok(memory.page, 'it knows where its user consents')
  await first.finishAuth((await consent(person, memory.page)).searchParams)
  await first.close()
  await client.connect(transport())
  return {
    client,
    async call(name: string, input: Record<string, unknown> = {}) {
      const { isError, content } = await client.callTool({ name, arguments: input })
      const [first] = content
      assert.ok(first?.type === 'text')
      return { isRefused: isError === true, text: first.text }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function consentOf(person: Person, page: URL): Promise<string> {
  return (await consent(person, page)).searchParams.get('code') ?? ''
}

/** The user opens the page and clicks; returns the address that the browser is sent to, with the code. */
async function consent(person: Person, page: URL): Promise<URL> {
  const begun = await person.post('/api/oauth/begin_authorization', Object.fromEntries(page.searchParams))
  assert.equal(begun.status, 200, JSON.stringify(begun.body))
  assert.ok(begun.body.request_id, JSON.stringify(begun.body))
  const decision = { request_id: begun.body.request_id, approve: true }
  const decided = await person.post('/api/oauth/decide_authorization', decision)
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  return new URL(decided.body.redirect_to)
}
