import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { FairQueue, QueueFull } from './fair-queue.ts'

const ROOMY = { atOnce: 1, waiting: 100, waitingWithNewcomers: 100, waitingByLevel: [] }

describe('the queue for password hashes', () => {
  it('takes turns by network, then by account, then by arrival', async () => {
    const { order, enter, finish } = watched(new FairQueue(ROOMY))
    for (const name of ['a.x1', 'a.x1', 'a.x1', 'a.y1', 'b.z1', 'a.x1', 'b.z1', 'c.w1']) void enter(name)

    await finish()

    assert.deepEqual(order, ['a.x1', 'a.x1', 'b.z1', 'c.w1', 'a.y1', 'b.z1', 'a.x1', 'a.x1'])
  })

  it('lets a newcomer wait one or two turns, however long another network’s queue is', async () => {
    const { order, enter, finish } = watched(new FairQueue(ROOMY))
    for (let i = 0; i < 50; i++) void enter('flood.x')
    void enter('other.y')

    await finish()

    assert.ok(order.indexOf('other.y') <= 2, String(order.indexOf('other.y')))
  })

  it('refuses only what exceeds the share of an account or a network', async () => {
    const { enter, finish } = watched(
      new FairQueue({ atOnce: 1, waiting: 8, waitingWithNewcomers: 8, waitingByLevel: [4, 2] }),
    )

    const accounts = Array.from({ length: 5 }, () => enter('flood.x'))
    const network = Array.from({ length: 5 }, (_, i) => enter(`flood.y${i}`))
    const other = enter('other.z')
    await finish()

    assert.deepEqual(await Promise.all(accounts), ['done', 'done', 'done', 'full', 'full'])
    assert.deepEqual(await Promise.all(network), ['done', 'done', 'full', 'full', 'full'])
    assert.equal(await other, 'done')
  })

  it('makes room for a newcomer when it is full: the largest network loses its newest turn', async () => {
    const { enter, finish } = watched(new FairQueue({ ...ROOMY, waiting: 4, waitingWithNewcomers: 4 }))

    const flood = Array.from({ length: 5 }, () => enter('flood.x'))
    const others = ['a.x', 'b.x', 'c.x'].map(enter)
    const beyond = enter('d.x')
    await finish()

    assert.deepEqual(await Promise.all(flood), ['done', 'done', 'full', 'full', 'full'])
    assert.deepEqual([await Promise.all(others), await beyond], [['done', 'done', 'done'], 'full'])
  })

  it('lets the first of a network wait beyond that if no network has more than one, up to a bound', async () => {
    const { enter, finish } = watched(new FairQueue({ ...ROOMY, waiting: 4, waitingWithNewcomers: 6 }))

    const networks = ['a.x', 'b.x', 'c.x', 'd.x', 'e.x', 'f.x', 'g.x'].map(enter)
    const second = enter('b.y')
    const beyond = enter('h.x')
    await finish()

    assert.deepEqual(await Promise.all(networks), Array(7).fill('done'))
    assert.deepEqual(await Promise.all([second, beyond]), ['full', 'full'])
  })

  it('continues after work that fails', async () => {
    const queue = new FairQueue(ROOMY)

    const failing = queue.run(['a'], () => Promise.reject(new Error('broken')))
    await assert.rejects(failing, /broken/)

    assert.deepEqual([await queue.run(['a'], async () => 'done'), queue.waiting], ['done', 0])
  })

  it('refuses what waits once it has ended, and what comes later; what runs is finished', async () => {
    const queue = new FairQueue(ROOMY)
    const { enter, finish } = watched(queue)
    const running = enter('a.x')
    const waiting = ['a.y', 'b.x', 'b.x'].map(enter)

    queue.end()
    const later = enter('c.x')
    await finish()
    const last = enter('d.x')

    assert.equal(await running, 'done')
    assert.deepEqual(await Promise.all([...waiting, later, last]), Array(5).fill('full'))
  })
})

/** Nothing ends before `finish`, so later work waits. */
function watched(queue: FairQueue) {
  const order: string[] = []
  const started = Promise.withResolvers<void>()
  const all: Promise<string>[] = []
  const enter = (name: string) => {
    const work = queue.run(name.split('.'), async () => {
      order.push(name)
      await started.promise
      return 'done'
    })
    const outcome = work.catch((error: unknown) => (error instanceof QueueFull ? 'full' : String(error)))
    all.push(outcome)
    return outcome
  }
  const finish = async () => {
    started.resolve()
    await Promise.all(all)
  }
  return { order, enter, finish }
}
