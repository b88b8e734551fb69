import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { defaultSettings } from '../../src/features/ground/settings/model.ts'
import { it } from '../processes/it.ts'
import { Person } from '../service/people.ts'

const MOVED = { PUBLIC_URL: 'https://id.example.com', HOST: '127.0.0.1' }

describe('119. a localhost installation with the challenge that moves to its domain', () => {
  it('says so at the start and in doctor, and lets people in after one command beside it', async ({ program }) => {
    const authentication = { ...defaultSettings().authentication, challenge_enabled: true }
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

describe('the administrator’s address', () => {
  it('is demanded by the first preparation of a public address, and changed beside a running service later', async ({
    program,
  }) => {
    const refused = await program.run(['prepare'], MOVED)
    const { email, password } = await program.prepare({ ...MOVED, SYSTEM_EMAIL: 'first@example.com' })
    const life = await program.serve({ ...MOVED, SYSTEM_EMAIL: 'owner@example.com' })
    const changed = await program.run(['admin', 'set-address', 'Owner@example.com'], MOVED)
    const again = await program.run(['admin', 'set-address', 'owner@example.com'], MOVED)
    const wrong = await program.run(['admin', 'set-address', 'owner'], MOVED)
    const administrator = await new Person(life, 'owner@example.com', password).signIn()

    assert.deepEqual([refused.code, email], [1, 'first@example.com'])
    assert.match(refused.stderr, /^gatehouse: SYSTEM_EMAIL is not set; .*\n$/m)
    assert.deepEqual([changed.code, changed.stdout], [0, 'Administrator: owner@example.com\n'])
    assert.deepEqual([again.stdout, wrong.code], ['The address is owner@example.com already.\n', 2])
    assert.equal(administrator.status, 200)
    const { stderr } = await life.end()
    assert.match(stderr, /"about":"administrator".*SYSTEM_EMAIL is owner@example\.com, but .* first@example\.com/)
  })
})
