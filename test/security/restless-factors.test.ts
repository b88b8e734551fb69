import assert from 'node:assert/strict'
import type { CompiledQuery, QueryResult } from 'kysely'
import { describe, it } from 'vitest'
import type { BatchLength, Engine, Reads } from '../../src/database/store.ts'
import { openWrapped } from '../interleavings/engines/open-wrapped.ts'
import { WrappedEngine } from '../interleavings/engines/wrapped-engine.ts'
import { people } from '../service/people.ts'
import { startService } from '../service/service.ts'

describe('a sign-in whose factors change before each statement', () => {
  it('is refused after twenty turns, and works once they stay the same', async () => {
    const changes = { left: 0 }
    await using service = await startService({
      open: (config) => openWrapped(config, (engine) => new RestlessEngine(changes, engine)),
    })
    const { ann } = await people(service)
    const signIn = () => ann.post('/api/auth/sign-in/email', { email: ann.email, password: ann.password })

    // More than the turns, and an end, so that a loop without one is seen as a wrong response.
    changes.left = 100
    const restless = await signIn()
    const changesSeen = 100 - changes.left
    changes.left = 0
    const calm = await signIn()

    assert.deepEqual([restless.status, changesSeen, calm.status], [503, 20, 200])
  })
})

interface Changes {
  left: number
}

/** While changes are left, each read finds other factors than the one before, and no batch of a sign-in succeeds. */
class RestlessEngine extends WrappedEngine {
  readonly #changes: Changes

  constructor(changes: Changes, engine: Engine) {
    super(engine)
    this.#changes = changes
  }

  override async run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    const result = await super.run(query, reads)
    if (this.#changes.left === 0 || !query.sql.includes('"is_trusted"')) return result
    const factors = this.#changes.left-- % 2 === 0 ? 'totp' : ''
    return { ...result, rows: result.rows.map((row) => Object.assign({}, row, { factors })) }
  }

  override async batch(
    queries: readonly CompiledQuery[],
    length?: BatchLength,
  ): Promise<readonly QueryResult<unknown>[]> {
    return this.#changes.left === 0 ? super.batch(queries, length) : queries.map(() => ({ rows: [] }))
  }
}
