import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { it } from '../processes/it.ts'
import { grantFor } from '../service/grants.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One of each kind: C0, DEL, C1, a separator of lines, a mark and an override of direction. */
const UGLY = '\u001b[31m\u0007\u007f\u009b31m\u2028\u200f\u202eelba\u2066'
const DRIVES = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/u

/** Functions that write by themselves: they clean, change a line, or write JSON that was cleaned before. */
const WRITERS = [
  'client/terminal/io.ts',
  'client/events/events.ts',
  'client/request/output/show.ts',
  'src/operator/commands/export.ts',
  'src/operator/commands/program/output.ts',
  'src/operator/commands/progress.ts',
]

describe('111. what others wrote, on a terminal', () => {
  it('checklist 111: is cleaned by every command of an operator', async ({ program }) => {
    const credentials = await program.prepare()
    const life = await program.serve()
    const administrator = await life.signedIn(credentials)
    const { body: sent } = await administrator.post('/api/submit_feedback', { type: '', content: 'C' })
    const { user } = (await administrator.get('/api/auth/get-session')).body
    const noted = { id: sent.id, user_id: user.id, note: `A ${UGLY}` }
    assert.equal((await administrator.post('/api/admin/update_feedback', noted)).status, 200)
    const client = { GATEHOUSE_CONFIG_DIR: join(program.dataDir, 'client') }
    const { tokens } = await grantFor(administrator, 'admin:events:read')
    const token = { ...client, GATEHOUSE_TOKEN: tokens.access_token, GATEHOUSE_SERVER: life.url }
    const ofClient = await Promise.all(
      [
        ['events', 'prod'],
        ['status', UGLY],
        ['connect', UGLY, UGLY, UGLY],
      ].map((argv) => program.run(argv, token)),
    )
    await life.end()
    const users = join(program.dataDir, 'users.jsonl')
    const lines = [{ email: UGLY }, { id: UGLY, email: 'ben@example.com' }, { email: 'c@example.com', name: UGLY }]
    writeFileSync(users, lines.map((line) => JSON.stringify(line)).join('\n'))
    const settings = join(program.dataDir, 'settings.json')
    writeFileSync(settings, JSON.stringify({ [UGLY]: { [UGLY]: UGLY }, brand: { name: UGLY } }))

    const shown = [...ofClient]
    for (const argv of [
      ['events'],
      ['events', '--after', UGLY],
      ['import', '--from', 'users', users],
      ['import', `${UGLY}.jsonl`],
      ['settings', 'export'],
      ['settings', 'plan', settings],
      ['settings', UGLY],
      ['shards', 'list'],
      ['shards', 'verify'],
      ['shards', 'add', UGLY],
      ['shards', 'move-user', UGLY, 'apac-1'],
      ['admin', UGLY],
      ['admin', 'reset-factors', UGLY],
      ['doctor'],
      ['backup', join(program.dataDir, `${UGLY}.tar`)],
      ['restore', `${UGLY}.tar`],
      ['export', '-'],
      ['help', UGLY],
      [UGLY],
      ['doctor', `--${UGLY}`],
    ]) {
      shown.push(await program.run(argv))
    }
    shown.push(await program.run(['doctor'], { APP_NAME: UGLY, MAIL_FROM: UGLY, PUBLIC_URL: UGLY }))

    for (const { stdout, stderr } of shown) assert.doesNotMatch(stdout + stderr, DRIVES)
    const [fromServer] = ofClient
    const [fromHost] = shown.slice(ofClient.length)
    for (const events of [fromServer, fromHost])
      assert.ok(events?.stdout.split('\n').some((line) => line && JSON.parse(line).data.note === `A ${UGLY}`))
  })

  it('is written to standard output and error by the functions that clean it alone', () => {
    const files = globSync('{src,client}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    const writes = files.filter((file) =>
      /(stdout|stderr|terminal)\.write\(|\bconsole\.(log|info|warn|error)\(|writeFileSync\(STANDARD/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )

    assert.deepEqual(
      writes.filter((file) => !WRITERS.includes(file)),
      [],
    )
  })
})
