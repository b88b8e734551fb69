import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe } from 'vitest'
import {
  compared,
  connectionTo,
  mirroringOf,
  mirrorOnce,
  type Product,
  it as plain,
} from '../../../test/service/mirrored.ts'
import { join, ORGANIZATIONS, organizationOf, wire } from '../../../test/service/organizations.ts'
import { newcomer } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { Connect } from '../named-database/connection.ts'
import { mirror } from './mirror.ts'

const it = plain.extend<{ settings: { readonly organizations: typeof ORGANIZATIONS } }>({
  settings: { organizations: ORGANIZATIONS },
})

async function nameOf(product: Product, { id }: { readonly id: string }): Promise<string | undefined> {
  const [row] = await product.sql('select name from gatehouse.users where id = $1', [id])
  return row?.name
}

/** A process or its connection can end before the server has a statement; only after a commit is it too late to undo it. */
type Moment = 'before' | 'after the commit'

/** Ends the server's session at the statement, or commit, with this number, as a kill of the mirror does. */
function endedAt(product: Product, last: number, moment: Moment) {
  const counted = { statements: 0 }
  const isCounted = (text: string) => moment === 'before' || text === 'commit'
  const connect: Connect = async () => {
    const connection = await connectionTo(product.url)()
    const kill = async () => {
      await connection.end()
      throw new Error('killed')
    }
    return {
      end: () => connection.end(),
      async query(text, values) {
        if (isCounted(text)) counted.statements++
        const isLast = isCounted(text) && counted.statements === last
        if (isLast && moment === 'before') return kill()
        const result = await connection.query(text, values)
        return isLast ? kill() : result
      },
    }
  }
  return { connect, counted }
}

/** Runs a mirror again and again, each time killed one statement later, until one ends by itself. */
async function killedAtEach(service: Service, product: Product, moment: Moment, before: () => Promise<unknown>) {
  for (let last = 1; ; last++) {
    await before()
    const { connect, counted } = endedAt(product, last, moment)
    const isWhole = await mirrorOnce(service, product, { connect }).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof OperatorError, String(error))
        return false
      },
    )
    if (isWhole && counted.statements < last) return last
    await mirrorOnce(service, product)
    assert.match((await compared(service, product)).join('\n'), /^\d+ rows are equal$/, `killed ${moment} ${last}`)
  }
}

describe('a mirror that is killed', () => {
  for (const [moment, words, atLeast] of [
    ['before', 'before any statement', 20],
    ['after the commit', 'after any commit', 2],
  ] as const) {
    it(`${words} of its first copy goes on where it was`, async ({ service, product, ann, ben }) => {
      const { id } = await organizationOf(ann)
      await join(service, { id }, ben)

      const statements = await killedAtEach(service, product, moment, () =>
        product.sql('drop schema if exists gatehouse cascade'),
      )

      assert.ok(statements > 2 * atLeast, `${statements}`)
    })

    it(`${words} of a page of events goes on where it was`, async ({ service, product, administrator, ann }) => {
      await mirrorOnce(service, product)
      await product.sql('create table invoice (user_id text references gatehouse.users (id))')
      const { id } = await organizationOf(ann)
      let round = 0

      const statements = await killedAtEach(service, product, moment, async () => {
        round++
        const carl = await newcomer(service, `carl-${round}@example.com`)
        const dana = await newcomer(service, `dana-${round}@example.com`)
        await mirrorOnce(service, product)
        await product.sql('insert into invoice values ($1)', [carl.id])
        await administrator.post('/api/admin/delete_user', { id: carl.id })
        await administrator.post('/api/admin/delete_user', { id: dana.id })
        await ann.post('/api/auth/update-user', { name: `Ann ${round}` })
        await wire(ann).post('update', { organizationId: id, data: { name: `Club ${round}` } })
      })

      assert.ok(statements > atLeast, `${statements}`)
    })
  }
})

/** Places events until something is true; the mirror's own end, which says why it would never be, comes first. */
async function until(service: Service, condition: () => Promise<boolean>, running: Promise<void>): Promise<void> {
  let isOver = false
  const over = running.finally(() => {
    isOver = true
  })
  while (!(await condition())) {
    if (isOver) return over
    await service.runJob('events')
    // An embedded store answers without a turn of the event loop, which the mirror needs.
    await nextTurn()
  }
}

describe('a mirror that goes on', () => {
  it('connects again when its connection is lost, says so, and is right', async ({ service, product, ann }) => {
    await mirrorOnce(service, product)
    const end = new AbortController()
    const { connect } = endedAt(product, 13, 'before')
    let connected = 0
    const running = mirror(
      mirroringOf(service, product, {
        isOnce: false,
        ended: end.signal,
        connect: () => (++connected === 1 ? connect() : connectionTo(product.url)()),
      }),
    )
    await ann.post('/api/auth/update-user', { name: 'Ann B.' })
    await until(service, async () => connected === 2 && (await nameOf(product, ann)) === 'Ann B.', running)
    end.abort()
    await running

    assert.ok(
      product.said.some((line) => /killed; trying again/.test(line)),
      product.said.join(),
    )
    assert.deepEqual(await compared(service, product), ['3 rows are equal'])
  })

  it('waits while another keeps the schema in step, and takes over when that ends', async ({
    service,
    product,
    ann,
  }) => {
    const [one, two] = [new AbortController(), new AbortController()]
    await mirrorOnce(service, product)
    const first = mirror(mirroringOf(service, product, { isOnce: false, ended: one.signal }))
    await ann.post('/api/auth/update-user', { name: 'by the first' })
    await until(service, async () => (await nameOf(product, ann)) === 'by the first', first)
    const second = mirror(mirroringOf(service, product, { isOnce: false, ended: two.signal }))
    const waiting = 'another mirror keeps this schema in step; waiting for it to end'
    await until(service, async () => product.said.includes(waiting), second)
    await ann.post('/api/auth/update-user', { name: 'by the first again' })
    await until(service, async () => (await nameOf(product, ann)) === 'by the first again', first)
    one.abort()
    await first
    await ann.post('/api/auth/update-user', { name: 'by the second' })
    await until(service, async () => (await nameOf(product, ann)) === 'by the second', second)
    two.abort()
    await second

    assert.deepEqual(await compared(service, product), ['3 rows are equal'])
  })

  it('writes nothing if another has gone on where no lock holds', async ({ service, product, ann }) => {
    await mirrorOnce(service, product)
    await ann.post('/api/auth/update-user', { name: 'Ann B.' })
    const real = connectionTo(product.url)
    const connect: Connect = async () => {
      const connection = await real()
      return {
        end: () => connection.end(),
        query: async (text, values) => {
          // Another mirror writes the same page between reading and writing of this one.
          if (/^begin/.test(text) && (await product.sql('select 1 as one from gatehouse.mirror_state')).length === 1) {
            await product.sql(
              `update gatehouse.mirror_state set cursor = '1' where only_row and copying is null and cursor <> '1'`,
            )
          }
          return connection.query(text, values)
        },
      }
    }

    await assert.rejects(
      mirrorOnce(service, product, { connect }),
      /another mirror of this schema has gone on|no longer has/,
    )

    const [row] = await product.sql('select name from gatehouse.users where id = $1', [ann.id])
    assert.notEqual(row.name, 'Ann B.')
  })
})

describe('a feed that was lost', () => {
  it('stops the mirror until --recopy, which copies beside reads and touches no equal row', async ({
    service,
    product,
    administrator,
    ann,
    ben,
  }) => {
    await mirrorOnce(service, product)
    await administrator.post('/api/admin/delete_user', { id: ben.id })
    await ann.post('/api/auth/update-user', { name: 'Ann B.' })
    await service.runJob('events')
    service.clock.advance({ days: 31 })
    await service.runJob('event-sweep')
    await administrator.signIn()
    const versions = `select id, xmin::text as version from gatehouse.users order by id`
    const before = await product.sql(versions)

    await assert.rejects(mirrorOnce(service, product), /--recopy/)
    await assert.rejects(compared(service, product), /--recopy/)
    assert.deepEqual(await product.sql(versions), before)
    await mirrorOnce(service, product, { isAgain: true })

    const after = await product.sql(versions)
    assert.deepEqual(
      after.find(({ id }) => id === administrator.id),
      before.find(({ id }) => id === administrator.id),
    )
    assert.deepEqual(await compared(service, product), ['2 rows are equal'])
  })

  it('stops it too if Gatehouse was restored from a backup of before', async ({ service, product, ann }) => {
    await mirrorOnce(service, product)
    const { meta } = service.platform
    await meta.deleteFrom('event').where('position', 'is not', null).execute()
    await meta.updateTable('event_order').set({ last: 1, swept: 0 }).execute()

    await assert.rejects(mirrorOnce(service, product), /--recopy/)
    await ann.post('/api/auth/update-user', { name: 'Ann B.' })
    await assert.rejects(mirrorOnce(service, product), /--recopy/)
    await mirrorOnce(service, product, { isAgain: true })

    assert.deepEqual(await compared(service, product), ['3 rows are equal'])
  })
})
