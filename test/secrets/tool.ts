import assert from 'node:assert/strict'
import { SCOPES } from '../../src/rules/scopes.ts'
import { decide, needs, type Waiting } from '../service/approvals.ts'
import { grantFor } from '../service/grants.ts'
import type { Answer } from '../service/people.ts'
import type { Caller } from './by-administrator.ts'
import { routeName } from './recorder.ts'
import type { World } from './world.ts'

/** A program of the administrator's, each of whose calls is shown, approved, carried out and collected. */
export async function toolOf(world: World): Promise<Caller> {
  const { administrator, recorder, look } = world
  const tool = await grantFor(administrator, ...Object.keys(SCOPES))
  await needs(administrator, 'everything')
  const bearer = { authorization: `Bearer ${tool.tokens.access_token}` }
  const approved = async (route: string, held: Answer<Partial<Waiting>>) => {
    if (held.status !== 202) return held
    await look(`while ${route} waits`, 'approval')
    const shown = await administrator.post('/api/list_approvals')
    assert.equal(shown.status, 200)
    await decide(administrator, held)
    await look(`when ${route} was done`, 'approval')
    const { body } = await tool.post('/api/get_approval', { id: held.body.approval_id })
    if (body.result.status < 400) recorder.approved.add(route)
    return body.result
  }
  return {
    name: 'tool',
    post: async (path, body = {}) => approved(routeName('POST', path), await tool.post(path, body)),
    get: async (path) => {
      const held = await administrator.get(path, bearer)
      return approved(routeName('GET', path.replace(/\?.*/, '')), held)
    },
  }
}
