import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe } from 'vitest'
import { type NameServer, startNameServer } from '../../../test/processes/name-server.ts'
import { it as base } from '../../../test/service/it.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { type Names, openNames } from './names.ts'

const KNOWN = {
  'both.example': ['203.0.113.7', '2001:db8::7'],
  'six.example': ['2001:db8::6'],
  'missing.example': [],
  'product.cluster.local': ['10.1.2.3'],
  'product.shop': ['203.0.113.8'],
  'product.shop.cluster.local': ['10.1.2.4'],
} as const

interface Machine {
  readonly names: Names
  readonly server: NameServer
  readonly hosts: string
  readonly resolver: string
}

const it = base.extend<{ machine: Machine; never: AbortSignal }>({
  // biome-ignore-start lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  machine: async ({}, use) => {
    await using server = await startNameServer(KNOWN)
    const folder = temporaryFolder()
    const files = { hosts: join(folder, 'hosts'), resolver: join(folder, 'resolv.conf') }
    await use({ names: openNames({ ...files, servers: [server.address] }), server, ...files })
  },
  never: async ({}, use) => use(new AbortController().signal),
  // biome-ignore-end lint/correctness/noEmptyPattern: as above
})

function listOf(found: Awaited<ReturnType<Names['addresses']>>): readonly string[] {
  return found.map(({ address }) => address)
}

describe('the look-up of a name that others chose', () => {
  it('finds what name servers say, in both families', async ({ machine, never }) => {
    const find = async (name: string) => listOf(await machine.names.addresses('logo', name, { signal: never }))

    assert.deepEqual((await find('both.example')).toSorted(), ['2001:db8::7', '203.0.113.7'])
    assert.deepEqual(await find('six.example'), ['2001:db8::6'])
    await assert.rejects(find('missing.example'), { name: 'NameNotResolved', code: 'ENOTFOUND' })
  })

  it('finds what /etc/hosts says, also after a change, and localhost without a name server', async ({
    machine,
    never,
  }) => {
    const { names, server, hosts } = machine
    const find = async (name: string) => listOf(await names.addresses('endpoint', name, { signal: never }))
    const local = [await find('localhost'), await find('a.localhost'), await find('::1')]
    writeFileSync(hosts, '# here\n10.0.0.5 Product.internal product # ours\nfd00::5\tproduct\nnone product\n')

    const listed = [await find('product'), await find('PRODUCT.internal'), await find('product.internal.')]

    assert.deepEqual(local, [['127.0.0.1', '::1'], ['127.0.0.1', '::1'], ['::1']])
    assert.deepEqual(listed, [['10.0.0.5', 'fd00::5'], ['10.0.0.5'], ['10.0.0.5']])
    assert.equal(server.asked.size, 0)
  })

  it('takes a short name for one in the domains of resolv.conf first, as the system does', async ({
    machine,
    never,
  }) => {
    const { names, resolver } = machine
    const find = async (name: string) => listOf(await names.addresses('endpoint', name, { signal: never }))
    const whole = await find('product.shop')
    writeFileSync(resolver, 'nameserver 10.0.0.1\nsearch cluster.local .\noptions edns0 ndots:5\n')

    assert.deepEqual(whole, ['203.0.113.8'])
    assert.deepEqual(await find('product'), ['10.1.2.3'])
    assert.deepEqual(await find('product.shop'), ['10.1.2.4'])
    assert.deepEqual(await find('product.shop.'), ['203.0.113.8'])
  })

  it('ends after four seconds, and does not wait longer for one family if the other is known', async ({
    never,
    mock,
  }) => {
    await using server = await startNameServer({ ...KNOWN, 'half.example': ['203.0.113.9'] }, ['half.example'])
    const names = openNames({ hosts: '/nowhere', resolver: '/nowhere', servers: [server.address] })
    mock.timers.enable({ apis: ['setTimeout'] })
    const find = (name: string) => names.addresses('client document', name, { signal: never })
    const [half, silent] = [find('half.example'), find('silent.example')]
    await server.hears('half.example', 'silent.example')
    // Once this response has come, those before it have come too.
    await names.addresses('logo', 'both.example', { signal: never })
    await nextTurn()

    mock.timers.tick(4_000)

    await assert.rejects(silent, { code: 'EAI_AGAIN', message: /silent\.example/ })
    assert.deepEqual(await half.then(listOf, String), ['203.0.113.9'])
  })

  it('is shared by those who need the name at once, and cancelled when the last of them has left', async ({
    machine,
  }) => {
    const { names, server } = machine
    const [first, second] = [new AbortController(), new AbortController()]
    const find = (name: string, { signal }: AbortController, network?: string) =>
      names.addresses('client document', name, { signal, ...(network !== undefined && { network }) })
    const waiting = [first, second].map((one) => find('a.example', one, 'n'))
    for (const name of ['b.example', 'c.example', 'd.example']) waiting.push(find(name, second, 'n'))
    const full = /Too many names/
    await server.hears('a.example', 'b.example', 'c.example', 'd.example')

    first.abort()
    await assert.rejects(find('e.example', first), { name: 'AbortError' })
    await assert.rejects(find('e.example', second, 'n'), full)
    second.abort()
    const ends = await Promise.allSettled(waiting)
    const last = new AbortController()
    const again = ['e', 'f', 'g', 'h'].map((name) => find(`${name}.example`, last, 'n'))
    await server.hears('e.example', 'h.example')
    last.abort()

    assert.deepEqual(
      ends.map((end) => end.status === 'rejected' && end.reason.name),
      Array(5).fill('AbortError'),
    )
    await Promise.allSettled(again)
  })

  it('never takes a place from another kind', async ({ machine }) => {
    const { names, server } = machine
    const strangers = new AbortController()
    const find = (kind: Parameters<Names['addresses']>[0], name: string) =>
      names.addresses(kind, name, { signal: strangers.signal })
    const filled = Array.from({ length: 32 }, (_, i) => find('client document', `a${i}.example`))
    await server.hears('a31.example')
    const kinds = ['logo', 'endpoint', 'mail server'] as const
    const found = await Promise.all(kinds.map((kind) => find(kind, 'both.example')))
    const refused = await find('client document', 'both.example').catch(String)
    const busy = process.getActiveResourcesInfo().filter((name) => name === 'GetAddrInfoReqWrap')
    strangers.abort()
    await Promise.allSettled(filled)
    await nextTurn()

    assert.deepEqual(
      found.map(listOf).map((all) => all.length),
      [2, 2, 2],
    )
    assert.match(String(refused), /Too many names/)
    assert.deepEqual(busy, [])
  })
})
