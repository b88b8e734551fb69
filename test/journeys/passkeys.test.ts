import assert from 'node:assert/strict'
import { it } from '../processes/it.ts'
import { attestedWithListAt } from '../service/devices/android-key.ts'
import { SecurityKey } from '../service/devices/security-key.ts'
import { Person } from '../service/people.ts'

it('the built program, which leaves out what checks the makers of passkeys, adds one that is vouched for, and signs in with it', async ({
  program,
}) => {
  const life = await program.serve()
  const origin = { origin: life.url }
  const key = new SecurityKey(life.url)
  const ann = await life.signedUp('ann')
  const { body: options } = await ann.get('/api/auth/passkey/generate-register-options', origin)

  const attested = attestedWithListAt('http://127.0.0.1:9/revoked')
  const made = { response: key.make(options, { attested }) }
  await ann.post('/api/auth/passkey/verify-registration', made, origin)
  const visitor = new Person(life, '', '')
  const challenge = await visitor.get('/api/auth/passkey/generate-authenticate-options', origin)
  const shown = { response: key.show(challenge.body) }
  const entered = await visitor.post('/api/auth/passkey/verify-authentication', shown, origin)

  assert.equal(entered.body.user?.email, ann.email)
})
