import { moveUser } from '../../src/features/tenancy/moves/moving.ts'
import { changeSettings } from '../service/change-settings.ts'
import { type AuthenticatorApp, addApp, verifyTotp } from '../service/devices/factors.ts'
import { approvedCode, decideDevice, grantFor, poll, redeem, refreshWith, startDevice } from '../service/grants.ts'
import { Person, people, stranger } from '../service/people.ts'
import { startProduct } from '../service/product.ts'
import type { Service } from '../service/service.ts'

/** Runs one act under its name, and nothing else that should count. */
export type Measured = <T>(name: string, act: () => Promise<T>) => Promise<T>

/** What `carryOut` needs of the deployment. */
export const ENV = { WEBHOOK_NETWORKS: '127.0.0.0/8' }

/** Each act of the product once; what it needs first is prepared outside of it. */
export async function carryOut(service: Service, measured: Measured): Promise<void> {
  await changeSettings(service, 'email', { provider: 'smtp' })
  const { administrator, ann, ben } = await people(service)
  await measured('check a session', () => ann.get('/api/auth/get-session'))
  await measured('list notifications', () => ann.post('/api/list_notifications'))
  await measured('submit feedback', () => ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' }))
  await ofAccounts(service, measured, ann, ben)
  await ofGrants(service, measured, ann)
  await ofOperations(service, measured, administrator, ann)
}

async function ofAccounts(service: Service, measured: Measured, ann: Person, ben: Person): Promise<void> {
  const carl = stranger(service)
  await measured('sign up', () => carl.signUp())
  await measured('sign in', () => carl.signIn())
  const app: AuthenticatorApp = await addApp(service, ben)
  const browser = new Person(service, ben.email, ben.password)
  await measured('sign in, first of two steps', () => browser.signIn())
  service.clock.advance({ seconds: 60 })
  await measured('second step', () => verifyTotp(browser, app.code()))
  const sent = { email: ann.email, type: 'email-verification' }
  await measured('send a code', () => ann.post('/api/auth/email-otp/send-verification-otp', sent))
  const otp = await service.mail.codeFor(ann.email)
  await measured('verify a code', () => ann.post('/api/auth/email-otp/verify-email', { email: ann.email, otp }))
}

async function ofGrants(service: Service, measured: Measured, ann: Person): Promise<void> {
  const { code, verifier } = await approvedCode(ann, ['operations:feedback:read'])
  const { body } = await measured('redeem a code', () => redeem(ann, code, verifier))
  await measured('refresh', () => refreshWith(ann, body.refresh_token))
  const device = await startDevice(ann, 'operations:feedback:read')
  await decideDevice(ann, device.body.user_code, true)
  await measured('redeem a device code', () => poll(ann, device.body.device_code))
  const { tokens } = await grantFor(ann, 'operations:feedback:write')
  const { body: grants } = await ann.post('/api/list_grants')
  for (const { id } of grants.items) await ann.post('/api/update_grant', { id, approval: 'everything' })
  const submit = { name: 'submit_feedback', arguments: { type: 'idea', content: 'From an assistant' } }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: submit }
  const headers = {
    authorization: `Bearer ${tokens.access_token}`,
    accept: 'application/json, text/event-stream',
  }
  const assistant = new Person(service, '', '')
  await assistant.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
  await measured('wait for approval', () => assistant.post('/mcp', call, headers))
  const { body: waiting } = await ann.post('/api/list_approvals')
  const decision = { id: waiting.items[0].id, approve: true }
  await measured('approve and carry out', () => ann.post('/api/decide_approval', decision))
}

async function ofOperations(service: Service, measured: Measured, administrator: Person, ann: Person): Promise<void> {
  const publish = (title: string) => administrator.post('/api/admin/create_notification', { title, content: title })
  await measured('publish a notification', () => publish('One'))
  const credits = { expected_version: 1, signup_reward_enabled: true, signup_reward_amount: 5 }
  await measured('save settings', () => administrator.post('/api/admin/update_credits_config', credits))
  // The first request after a save reads the settings.
  await administrator.post('/api/admin/list_shards')
  await measured('search users', () => administrator.post('/api/admin/list_users', { search: 'ann' }))
  await measured('export', () => ann.post('/api/export_account'))
  await measured('move a user', () => moveUser(service.platform, ann.id, 'oc-1'))
  await using product = await startProduct()
  const webhook = { url: product.url, types: ['notification.published'] }
  // It begins behind what has its place by now.
  await service.runJob('events')
  await administrator.post('/api/admin/create_webhook', webhook)
  await publish('Two')
  await service.runJob('events')
  await measured('deliver a webhook', () => service.runJob('webhooks'))
}
