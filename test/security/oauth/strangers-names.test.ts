import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe } from 'vitest'
import { providerFetch } from '../../../src/features/people/account/providers/protocol/provider-fetch.ts'
import { openMail } from '../../../src/platform/mail/open.ts'
import { SYSTEM_FILES } from '../../../src/platform/names/local-names.ts'
import { openNames } from '../../../src/platform/names/names.ts'
import { startHttpServer } from '../../processes/http-server.ts'
import { type NameServer, startNameServer } from '../../processes/name-server.ts'
import { startSmtpServer } from '../../processes/smtp-server.ts'
import { assertRefused } from '../../service/answers.ts'
import { challengeOf, newVerifier, REDIRECT } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { it as base } from '../../service/webhooks.ts'

const PLACES = 32
const OF_A_NETWORK = 4
const KNOWN = {
  'maker.example': ['127.0.0.1'],
  'hooks.example': ['127.0.0.1'],
  'mail.example': ['127.0.0.1'],
}

const it = base.extend<{ nameServer: NameServer; options: Options; strangers: Strangers }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  nameServer: async ({}, use) => {
    await using nameServer = await startNameServer(KNOWN)
    await use(nameServer)
  },
  options: async ({ nameServer }, use) => {
    const names = openNames({ ...SYSTEM_FILES, servers: [nameServer.address], patienceMilliseconds: 600_000 })
    const env = { TRUSTED_PROXIES: '127.0.0.1', WEBHOOK_NETWORKS: '127.0.0.0/8' }
    await use({ env, platform: { names } })
  },
  strangers: async ({ service, nameServer, mock }, use) => {
    // A request waits until its browser leaves, so the order of events does not depend on the machine.
    mock.method(AbortSignal, 'timeout', () => new AbortController().signal)
    await using strangers = new Strangers(service, nameServer)
    await use(strangers)
  },
})

/** Strangers who are not signed in, and name hosts whose name server is silent. */
class Strangers {
  readonly #service: Service
  readonly #nameServer: NameServer
  readonly #requests: { readonly leave: AbortController; readonly ended: Promise<unknown> }[] = []
  readonly #answers = new EventEmitter()
  answered = 0

  constructor(service: Service, nameServer: NameServer) {
    this.#service = service
    this.#nameServer = nameServer
  }

  /** Opens the page of a client that nobody knows. */
  open(name: string, address: string): void {
    const leave = new AbortController()
    const query = new URLSearchParams({ client_id: `https://${name}/client.json`, redirect_uri: REDIRECT })
    const ended = this.#service
      .request(`/oauth/authorize?${query}`, {
        headers: { 'x-forwarded-for': address },
        signal: leave.signal,
      })
      .then(() => {
        this.answered++
        this.#answers.emit('answer')
      })
    this.#requests.push({ leave, ended })
  }

  /** Comes from this many networks, each with as many names as it has places. */
  async fill(networks: number): Promise<void> {
    const names: string[] = []
    for (let network = 0; network < networks; network++)
      for (let i = 0; i < OF_A_NETWORK; i++) {
        const name = `a${i}.n${network}.example`
        names.push(name)
        this.open(name, `203.0.${network}.7`)
      }
    await this.#nameServer.hears(...names)
  }

  /** Resolves when this many have been answered. */
  async hear(count: number): Promise<void> {
    while (this.answered < count) await once(this.#answers, 'answer')
  }

  async leave(): Promise<void> {
    for (const { leave } of this.#requests) leave.abort()
    await Promise.all(this.#requests.map(({ ended }) => ended))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
  }
}

function begin(person: Person, client_id: string) {
  return person.post('/api/oauth/begin_authorization', {
    client_id,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'operations:feedback:write',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  })
}

describe('126. a name that a stranger chose', () => {
  it('checklist 126: waits in a place of its network, of which there are few, and what has none is refused in words', async ({
    ann,
    nameServer,
    strangers,
  }) => {
    await using maker = await startMaker()
    for (let i = 0; i < 3 * OF_A_NETWORK; i++) strangers.open(`b${i}.example`, '198.51.100.7')
    await strangers.fill(PLACES / OF_A_NETWORK - 1)
    await nameServer.hearsSoMany(PLACES)
    await strangers.hear(2 * OF_A_NETWORK)

    const refused = await begin(ann, maker.id)
    const [asked, answered] = [nameServer.asked.size, strangers.answered]
    await strangers.leave()
    const begun = await begin(ann, maker.id)

    assert.deepEqual([asked, answered], [PLACES, 2 * OF_A_NETWORK])
    assertRefused(refused, 'RATE_LIMITED')
    assert.match(refused.body.message, /Too many names are being looked up/)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(begun.status, 200, JSON.stringify(begun.body))
  })

  it('checklist 126: is no longer looked up when its browser has left, and its place is free at once', async ({
    nameServer,
    strangers,
  }) => {
    await strangers.fill(PLACES / OF_A_NETWORK)
    await strangers.leave()

    strangers.open('later.example', '203.0.0.7')
    await nameServer.hears('later.example')

    assert.equal(strangers.answered, PLACES)
  })

  it('checklist 126: delays no webhook, no letter and no provider, which all come before it', async ({
    service,
    webhooks,
    product,
    strangers,
  }) => {
    await using smtp = await startSmtpServer()
    const provider = await startHttpServer(() => ({ body: {} }))
    await strangers.fill(PLACES / OF_A_NETWORK)
    const byName = (url: string, host: string) => url.replace('127.0.0.1', host)

    await webhooks.add(byName(product.url, 'hooks.example'))
    await webhooks.publish('While they wait')
    await webhooks.handOver()
    await webhooks.send()
    const port = Number(new URL(smtp.url).port)
    const { config, names, now } = service.platform
    for (const [smtpUrl, host] of [
      [undefined, 'mail.example'],
      [byName(smtp.url, 'localhost'), ''],
    ] as const) {
      const server = () => ({ host, port, user: '', password: '' })
      await openMail({ ...config, smtpUrl }, names, now).send({ provider: 'smtp', server }, LETTER)
    }
    const { status } = await providerFetch(byName(provider.url, 'localhost'), REQUEST)
    await provider.stop()

    assert.deepEqual([product.got.length, smtp.messages.length, status], [1, 2, 200])
    assert.equal(strangers.answered, 0)
    assert.ok(!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap'))
  })
})

const LETTER = {
  from: { name: 'Gatehouse', address: 'admin@example.com' },
  to: 'ann@example.com',
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello</p>',
}
const REQUEST = {
  method: 'GET',
  redirect: 'manual',
  headers: {},
  body: undefined,
} as const

async function startMaker() {
  const maker = await startHttpServer(() => ({ body: document }))
  const id = `${maker.url.replace('127.0.0.1', 'maker.example')}/client.json`
  const document = { client_id: id, client_name: 'Helpful', redirect_uris: [REDIRECT] }
  return { id, [Symbol.asyncDispose]: () => maker.stop() }
}
