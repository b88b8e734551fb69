import assert from 'node:assert/strict'
import { whoIs } from '../../providers/journey.ts'
import {
  approvedCode,
  decideDevice,
  grantFor,
  poll,
  redeem,
  refreshWith,
  startDevice,
  userBehind,
} from '../../service/grants.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

/** Every kind of thing that opens an account, each in use. */
export async function moveIn(person: Person) {
  const device = await startDevice(person, 'account:profile:read')
  await decideDevice(person, device.body.user_code, true)
  return {
    tool: await grantFor(person, 'account:profile:read'),
    approval: await approvedCode(person, ['account:profile:read']),
    deviceCode: device.body.device_code,
  }
}

export async function assertOut(
  service: Service,
  person: Person,
  { tool, approval, deviceCode }: Awaited<ReturnType<typeof moveIn>>,
) {
  const elsewhere = new Person(service, 'nobody@example.com', '')
  assert.equal(await whoIs(person), undefined)
  assert.equal(await userBehind(elsewhere, tool.tokens.access_token), undefined)
  assert.equal((await refreshWith(elsewhere, tool.tokens.refresh_token)).status, 400)
  assert.equal((await redeem(elsewhere, approval.code, approval.verifier)).status, 400)
  assert.equal((await poll(elsewhere, deviceCode)).status, 400)
}
