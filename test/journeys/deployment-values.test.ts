import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { defaultSettings } from '../../src/features/ground/settings/model.ts'
import { it } from '../processes/it.ts'
import { Person } from '../service/people.ts'

const MOVED = { PUBLIC_URL: 'https://id.example.com', HOST: '127.0.0.1' }

describe('119. a localhost installation with the challenge that moves to its domain', () => {
  it('says so at the start and in doctor, and lets people in after one command beside it', async ({ program }) => {
    const authentication = { ...defaultSettings.authentication, challenge_enabled: true }
    const { email, password } = await program.prepare({}, { authentication })
    const life = await program.serve(MOVED)
    const administrator = new Person(life, email, password)

    const before = await administrator.signIn()
    const examined = await program.run(['doctor'], MOVED)
    const commanded = await program.run(['admin', 'switch-off-challenge'], MOVED)
    const after = await administrator.signIn()
    const again = await program.run(['admin', 'switch-off-challenge'], MOVED)

    assert.deepEqual([before.status, after.status], [400, 200])
    assert.equal(examined.code, 1)
    assert.match(examined.stdout, /wrong +challenge .*`gatehouse admin switch-off-challenge`/)
    assert.deepEqual([commanded.code, commanded.stdout], [0, 'The challenge is off: people can sign in without it.\n'])
    assert.deepEqual([again.code, again.stdout], [0, 'The challenge was off already.\n'])
    const { stderr } = await life.end()
    assert.match(stderr, /"about":"challenge".*CHALLENGE_SITE_KEY and CHALLENGE_SECRET are not set/)
  })
})
