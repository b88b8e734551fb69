import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Caller } from '../../../rules/caller.ts'
import type { Event } from '../../ground/events/listing.ts'
import { LiveConnection } from './connection.ts'

const ANN = {
  user: { id: 'ann', role: 'user', staff_scopes: null },
  credential: { id: 'session' },
  isGated: false,
} as Caller

function pageOf(id: string): LiveConnection {
  return new LiveConnection({ ...ANN, user: { id, role: 'user', staff_scopes: null } } as Caller)
}

function ofAnn(type: Event['type'], position: number): Event {
  return { id: `e${position}`, type, occurred_at: 1, user_id: 'ann', organization_id: null, data: {}, position }
}

function published(position: number): Event {
  const data = { title: String(position) }
  return {
    id: `e${position}`,
    type: 'notification.published',
    occurred_at: 1,
    user_id: null,
    organization_id: null,
    data,
    position,
  }
}

describe('a page that resumes', () => {
  it('gets what it missed first, then what happened meanwhile, each once', () => {
    const connection = new LiveConnection(ANN)
    connection.applyCaller(ANN)
    connection.deliver(published(3))
    connection.deliver(published(4))
    connection.sendOnce(published(2))
    connection.sendOnce(published(3))

    connection.goOn()
    connection.deliver(published(5))

    assert.deepEqual(idsOf(connection), ['2', '3', '4', '5'])
  })
})

describe('a page of a user', () => {
  it('that switched while it was opened hears of the organisation that is active then', () => {
    const acting = (id: string) =>
      ({ ...ANN, credential: { kind: 'session', id: 'session' }, organization: { id } }) as Caller
    const connection = new LiveConnection(acting('rowers'))
    connection.applyCaller(acting('ringers'))
    connection.goOn()

    for (const [at, organization_id] of ['rowers', 'ringers'].entries())
      connection.deliver({ ...published(at + 1), type: 'organization.updated', organization_id })

    assert.deepEqual(idsOf(connection), ['2'])
  })

  it.for(['user.suspended', 'user.deleted'] as const)('ends with %s of its user, and not of another', (type) => {
    const [own, other] = [pageOf('ann'), pageOf('ben')]

    for (const page of [own, other]) page.sendOnce(ofAnn(type, 1))

    assert.deepEqual([own.isClosed, other.isClosed], [true, false])
  })
})

describe('the administrator’s pages', () => {
  const administrator = () => {
    const user = { id: 'admin', role: 'administrator', staff_scopes: null }
    const caller = { user, credential: { kind: 'session', id: 'session' }, isGated: false } as Caller
    const connection = new LiveConnection(caller)
    connection.applyCaller(caller)
    connection.goOn()
    return connection
  }

  it('receive what happens to users, and end with none of them', () => {
    const connection = administrator()

    for (const [at, type] of (['user.created', 'session.created', 'user.deleted'] as const).entries()) {
      assert.ok(connection.isFor(ofAnn(type, at + 1)))
      connection.deliver(ofAnn(type, at + 1))
    }

    assert.equal(connection.isClosed, false)
    assert.deepEqual(idsOf(connection), ['1', '2', '3'])
  })

  it('are the only ones that receive it', () => {
    const ben = pageOf('ben')

    assert.equal(ben.isFor(ofAnn('session.created', 1)), false)
    assert.equal(administrator().isFor(ofAnn('factor.removed', 1)), false)
  })
})

function idsOf(connection: LiveConnection): readonly (string | undefined)[] {
  let sent = ''
  connection.opened({
    write: (text) => {
      sent += text
    },
    end: () => undefined,
    cut: () => undefined,
    waitingBytes: 0,
    drained: () => Promise.resolve(),
  })
  return [...sent.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)
}
