import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe } from 'vitest'
import { pingReplica } from '../../../src/database/postgres/replicas/replicas.ts'
import { FIRST_PRIMARY } from '../../../src/database/read-position.ts'
import { command, withClient } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import { join, type Member, onCluster, untilSo } from '../support/replicated.ts'
import { Wire } from '../support/wire.ts'

const WRITES = 10_000
const WORKERS = 20

const it = onCluster({ replicas: 2, replicaSettings: [[], ['recovery_min_apply_delay=150ms']] })
let members: Member[]

beforeEach<{ primary: PostgresServer; first: PostgresServer; second: PostgresServer }>(
  async ({ primary, first, second }) => {
    await command(
      primary.url(),
      `do $$ begin create role gate login; exception when duplicate_object then null; end $$;
     alter table counter owner to gate; truncate counter`,
    )
    members = Array.from({ length: 3 }, () => join(asGate(primary), [first, second].map(asGate)))
  },
)

afterEach(() => Promise.all(members.map((member) => member.close())))

/** A role that can reach nothing but its own tables. */
function asGate(server: PostgresServer): string {
  return server.url().replace('postgres@', 'gate@')
}

const member = (i: number): Member => members[i % members.length] ?? assert.fail()

const servedBy = (server: PostgresServer) => members.reduce((sum, member) => sum + member.servedBy(server.port), 0)

const untilFirstIs = (state: string, member: Member, bookmark: string) =>
  untilSo(`the replica is ${state}`, async () => {
    await member.read(bookmark, 1)
    return member.replicas()[0]?.state === state
  })

/** Many visitors at once, each doing one thing after the other. */
async function visitors(visits: number, visit: (visitor: number, i: number) => Promise<void>): Promise<void> {
  const oneVisitor = async (visitor: number) => {
    for (let i = visitor; i < visits; i += WORKERS) await visit(visitor, i)
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, visitor) => oneVisitor(visitor)))
}

/** A busy machine may keep a replica behind for long; sooner or later each has its share. */
async function untilServedBy(server: PostgresServer, reads: number, bookmark?: string): Promise<void> {
  const seen = bookmark ?? (await member(0).write(FIRST_PRIMARY, 0)).bookmark
  await untilSo('the replica has its share', async () => {
    await Promise.all(members.map((one) => one.read(seen, 0)))
    return servedBy(server) > reads
  })
}

/** Replicas serve once a probe has found them well. */
async function warm(): Promise<void> {
  for (const [i, one] of members.entries()) {
    const { bookmark } = await one.write(FIRST_PRIMARY, -1 - i)
    await untilSo('replicas serve', async () => {
      await one.read(bookmark, -1 - i)
      return one.replicas().every(({ state }) => state === 'serving')
    })
  }
}

describe('a replica that nobody reads', () => {
  it('is reported as lost, and as back', async ({ first }) => {
    await warm()
    const isFirst = (state: string) => async () => member(0).replicas()[0]?.state === state

    await first.kill()
    await untilSo('it is reported as lost', isFirst('unreachable'))
    await first.start()
    await untilSo('it is reported as back', isFirst('serving'))
  })
})

describe('a store whose servers are all listed as replicas', () => {
  it('has its primary among them as "primary", for `doctor` too, and reads the others', async ({ primary, first }) => {
    const urls = [primary, first].map(asGate)
    await using one = join(asGate(primary), urls)
    const { bookmark } = await one.write(FIRST_PRIMARY, 1)

    await untilSo('both were tried', async () => {
      await one.read(bookmark, 1)
      return one.replicas().every(({ state }) => state === 'primary' || state === 'serving')
    })

    assert.deepEqual(
      one.replicas().map(({ at, state, behindBytes }) => [at, state, behindBytes === undefined]),
      [
        [`127.0.0.1:${primary.port}`, 'primary', true],
        [`127.0.0.1:${first.port}`, 'serving', false],
      ],
    )
    const roles = urls.map((url) => pingReplica('meta', url, asGate(primary)))
    assert.deepEqual(await Promise.all(roles), ['primary', 'replica'])
  })
})

describe('reads on replicas', () => {
  it(`after any write through any process a read with its bookmark sees it, ${WRITES} times of ${WRITES}`, async ({
    first: prompt,
  }) => {
    await warm()
    const older = new Map<number, string>()
    let missed = 0

    await visitors(WRITES, async (visitor, i) => {
      const before = older.get(visitor) ?? FIRST_PRIMARY
      const { value, bookmark } = await member(i).write(before, visitor)
      const fresh = await member(i + 1).read(bookmark, visitor)
      const earlier = await member(i + 2).read(before, visitor)
      if ((fresh.value ?? 0) < value || (earlier.value ?? 0) < value - 1) missed++
      older.set(visitor, bookmark)
    })

    await untilServedBy(prompt, 500)
    assert.equal(missed, 0)
  })

  it('one reader never goes back in time, whichever process and replica answers', async ({
    first: prompt,
    second: delayed,
  }) => {
    await warm()
    const reached = new Map<number, { value: number; bookmark: string }>()
    const { bookmark: start } = await member(0).write(FIRST_PRIMARY, 0)
    let backwards = 0
    let reading = true
    const writing = (async () => {
      while (reading) await member(0).write(FIRST_PRIMARY, 0)
    })()

    await visitors(WRITES, async (visitor, i) => {
      const last = reached.get(visitor) ?? { value: 0, bookmark: start }
      const { value = 0, bookmark } = await member(i * 7 + visitor).read(last.bookmark, 0)
      if (value < last.value) backwards++
      // Every hundredth begins again with an old bookmark, so that the delayed replica has work too.
      reached.set(visitor, i % 100 < WORKERS ? { value: 0, bookmark: start } : { value, bookmark })
    })
    reading = false
    await writing

    assert.equal(backwards, 0)
    for (const replica of [prompt, delayed]) await untilServedBy(replica, 100, start)
  })

  it('garbage, forged, future and foreign bookmarks see the last write, and none stays', async () => {
    await warm()
    const future = 'meta=1-FFFFFFFF/FFFFFFF0'
    const foreign = ['meta=0-0/0', 'meta=2-0/1']

    for (const bookmark of ['', '%00', 'meta=1-', 'meta=x', future, ...foreign, 'a'.repeat(4_000)]) {
      const { value } = await member(0).write(FIRST_PRIMARY, 1)
      const seen = await member(1).read(bookmark, 1)
      assert.equal(seen.value, value, bookmark)
      assert.match(seen.bookmark, /^meta=1-0\/[0-9A-F]+$/)
    }
    assert.equal(member(1).replicas()[0]?.state, 'serving')
  })
})

describe('a long transaction on the primary', () => {
  it('does not delay readers who have seen more on a replica', async ({ primary }) => {
    await warm()
    const { bookmark } = await member(0).write(FIRST_PRIMARY, 1)
    let onReplica = bookmark
    await untilSo('read on a replica', async () => {
      onReplica = (await member(0).read(bookmark, 1)).bookmark
      return onReplica.endsWith('r')
    })
    await using elsewhere = join(asGate(primary), [])
    await elsewhere.read(FIRST_PRIMARY, 1)

    await withClient(primary.url(), async (client) => {
      await client.query('begin')
      await client.query('update counter set value = value where id = 1')
      for (let i = 0; i < 50; i++) assert.equal((await elsewhere.read(onReplica, 1)).value, 1)
    })
  })
})

describe('a table that changes', () => {
  it('is read again on a replica that prepared its statements before the change', async ({
    primary,
    first: prompt,
  }) => {
    await warm()
    await using process = join(asGate(primary), [asGate(prompt)], { connections: 1 })
    const { bookmark } = await process.write(FIRST_PRIMARY, 1)
    const untilServed = async () => {
      const served = process.servedBy(prompt.port)
      await untilSo('the replica serves', async () => {
        assert.equal((await process.read(bookmark, 1)).value, 1)
        return process.servedBy(prompt.port) > served
      })
    }
    await untilServed()

    await command(prompt.url(), 'select pg_wal_replay_pause()')
    await command(primary.url(), 'alter table counter alter value type integer')
    await process.read(FIRST_PRIMARY, 1)
    await untilServed()
    await command(prompt.url(), 'select pg_wal_replay_resume()')
    await untilSo('the replica has the change', () => countsInIntegers(prompt))

    await untilServed()
    await command(primary.url(), 'alter table counter alter value type bigint')
  })
})

async function countsInIntegers(server: PostgresServer): Promise<boolean> {
  const { rows } = await withClient(server.url(), (client) =>
    client.query("select 1 where pg_typeof((select value from counter limit 1)) = 'integer'::regtype"),
  )
  return rows.length === 1
}

describe('a replica that is killed', () => {
  it('costs no failed request, and serves again after its restart', async ({ first: prompt }) => {
    await warm()
    const { bookmark } = await member(0).write(FIRST_PRIMARY, 1)
    let wrong = 0

    await visitors(4_000, async (_, i) => {
      if ((await member(i).read(bookmark, 1)).value !== 1) wrong++
      if (i === 1_000) await prompt.kill()
    })
    assert.equal(wrong, 0)
    await untilFirstIs('unreachable', member(0), bookmark)

    await prompt.start()
    await untilFirstIs('serving', member(0), bookmark)
  })
})

describe('a replica that falls silent', () => {
  it('costs no failed request, and no request waits until it responds again', async ({ primary, first: prompt }) => {
    await using wire = await Wire.to(prompt.port)
    await using process = join(asGate(primary), [wire.through(asGate(prompt))])
    const { bookmark } = await process.write(FIRST_PRIMARY, 1)
    await untilSo('it serves', async () => {
      await process.read(bookmark, 1)
      return process.servedBy(prompt.port) > 0
    })

    wire.silence()
    const served = process.servedBy(prompt.port)
    await visitors(200, async () => {
      assert.equal((await process.read(bookmark, 1)).value, 1)
    })

    assert.equal(process.servedBy(prompt.port), served)
    await untilFirstIs('unreachable', process, bookmark)
  })
})
