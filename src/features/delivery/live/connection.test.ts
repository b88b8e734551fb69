import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Caller } from '../../../rules/caller.ts'
import type { Event } from '../../ground/events/listing.ts'
import { LiveConnection } from './connection.ts'

const ANN = { user: { id: 'ann', role: 'user' }, credential: { id: 'session' }, isGated: false } as Caller

function published(position: number): Event {
  const data = { title: String(position) }
  return { id: `e${position}`, type: 'notification.published', occurred_at: 1, user_id: null, data, position }
}

describe('a page that resumes', () => {
  it('gets what it missed first, then what happened meanwhile, each once', () => {
    const connection = new LiveConnection(ANN)
    connection.applyGate(ANN)
    connection.deliver(published(3))
    connection.deliver(published(4))
    connection.sendOnce(published(2))
    connection.sendOnce(published(3))

    connection.goOn()
    connection.deliver(published(5))

    assert.deepEqual(idsOf(connection), ['2', '3', '4', '5'])
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
