import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CompiledQuery } from 'kysely'
import type { Engine, Reads } from '../../src/database/store.ts'
import { openWrapped } from '../interleavings/engines/open-wrapped.ts'
import { WrappedEngine } from '../interleavings/engines/wrapped-engine.ts'
import { type Person, people } from '../service/people.ts'
import { startService } from '../service/service.ts'

describe('a live stream that opens checks its caller again once it receives events', () => {
  it('and is refused if its user has signed out since the first check', async () => {
    await using w = await world()

    const opened = await w.openedWhile(w.ann, () => w.ann.post('/api/auth/sign-out'))

    assert.deepEqual(opened, [401, 'UNAUTHORIZED'])
  })

  it('and is refused if its user was suspended', async () => {
    await using w = await world()

    const opened = await w.openedWhile(w.ann, () =>
      w.administrator.post('/api/admin/suspend_user', { id: w.ann.id, reason: 'Spam' }),
    )

    assert.deepEqual(opened, [401, 'UNAUTHORIZED'])
  })

  it('and is refused if a second factor that its user lacks has become required', async () => {
    await using w = await world()

    const opened = await w.openedWhile(w.ann, () =>
      w.administrator.saveSettings('authentication', { second_factor: 'required' }),
    )

    assert.deepEqual(opened, [403, 'SECOND_FACTOR_REQUIRED'])
  })
})

async function world() {
  const pause = new Pause()
  const service = await startService({
    open: (config) => openWrapped(config, (engine) => new PausingEngine(pause, engine)),
  })
  return {
    ...(await people(service)),
    /** The act happens, and open pages are informed, between the first check of the caller and the first event. */
    async openedWhile(person: Person, act: () => Promise<unknown>) {
      const reached = pause.before('from "event_order"')
      const opening = service.request('/api/live', { headers: { authorization: `Bearer ${person.token}` } })
      await reached
      await act()
      await service.runJob('events')
      pause.end()
      const response = await opening
      if (response.status !== 200) return [response.status, Object(await response.json()).code]
      await response.body?.cancel()
      return [response.status]
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** Holds back the next statement that contains a text. */
class Pause {
  #text: string | undefined
  #reached = Promise.withResolvers<void>()
  #ended = Promise.withResolvers<void>()

  before(text: string): Promise<void> {
    this.#text = text
    return this.#reached.promise
  }

  end(): void {
    this.#ended.resolve()
  }

  async pass({ sql }: CompiledQuery): Promise<void> {
    if (this.#text === undefined || !sql.includes(this.#text)) return
    this.#text = undefined
    this.#reached.resolve()
    await this.#ended.promise
  }
}

class PausingEngine extends WrappedEngine {
  readonly #pause: Pause

  constructor(pause: Pause, engine: Engine) {
    super(engine)
    this.#pause = pause
  }

  override async run(query: CompiledQuery, reads: Reads) {
    await this.#pause.pass(query)
    return super.run(query, reads)
  }
}
