import assert from 'node:assert/strict'
import { Dice } from '../chaos/dice.ts'
import { it } from './it.ts'

const ORDERS = 40

it('a save returns what it saved, also if somebody saves on top of it before it has returned', async ({
  stage: { administrator, scheduler },
}) => {
  const read = async () => (await administrator.post('/api/admin/get_ai_config')).body.version
  const save = async (expected: number, model: string) => {
    const { body } = await administrator.post('/api/admin/update_ai_config', {
      expected_version: expected,
      model,
    })
    return body.code ?? [body.version - expected, body.model]
  }

  for (let i = 0; i < ORDERS; i++) {
    const expected = await read()
    const { results, order } = await scheduler.run(
      [() => save(expected, `first ${i}`), async () => save(await read(), `second ${i}`)],
      new Dice(String(i)),
    )

    const [first, second] = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason))
    const said = `order ${i} (${order}): ${JSON.stringify([first, second])}`
    assert.ok(first === 'CONFIG_CONFLICT' || String(first) === `1,first ${i}`, said)
    assert.ok(second === 'CONFIG_CONFLICT' || String(second) === `1,second ${i}`, said)
  }
})
