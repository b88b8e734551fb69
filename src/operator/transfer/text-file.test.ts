import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from '../../../test/running/node-test.ts'
import { startService } from '../../../test/service/service.ts'
import { linesIn } from './text-file.ts'
import { importFirebase } from './users/firebase.ts'
import { importUsersFile } from './users/users-file.ts'

const BYTE_ORDER_MARK = '\ufeff'
const JUERGEN = { email: 'juergen@example.com', name: 'Jürgen' }
const HASHES = JSON.stringify({ signer_key: 'Bw==', salt_separator: 'Bw==', rounds: 8, mem_cost: 14 })
const FIREBASE = JSON.stringify({
  users: [{ localId: 'j', email: JUERGEN.email, displayName: JUERGEN.name }],
})

describe('a file of users', () => {
  it('may begin with a byte order mark', async (t) => {
    await using service = await startService()
    const users = fileFor(t, Buffer.from(`${BYTE_ORDER_MARK}${JSON.stringify(JUERGEN)}\r\n`))

    const result = await importUsersFile(service.platform, users, () => undefined)

    assert.deepEqual(result, { imported: 1, skipped: [] })
  })

  it('may have blank lines, which count in the number of a line that is left out', async (t) => {
    await using service = await startService()
    const users = fileFor(t, Buffer.from(`${JSON.stringify(JUERGEN)}\n\n{"email":"nobody"}\n`))

    const result = await importUsersFile(service.platform, users, () => undefined)

    assert.deepEqual(result, { imported: 1, skipped: [{ who: 'line 3 (nobody)', why: 'email: malformed' }] })
  })

  it('may begin with a byte order mark if it is of Firebase, also the file with its parameters', async (t) => {
    await using service = await startService()
    const files = [FIREBASE, HASHES].map((text) => fileFor(t, Buffer.from(BYTE_ORDER_MARK + text)))
    const [users = '', hashes = ''] = files

    const result = await importFirebase(service.platform, users, hashes, () => undefined)

    assert.deepEqual(result, { imported: 1, skipped: [] })
  })

  it('can be a pipe', async (t) => {
    await using service = await startService()
    const pipe = `${fileFor(t, Buffer.from(''))}.pipe`
    execFileSync('mkfifo', [pipe])
    const users = [JUERGEN, { email: 'ann@example.com' }, { email: 'ANN@example.com' }]

    const [result] = await Promise.all([
      importUsersFile(service.platform, pipe, () => undefined),
      writeFile(pipe, users.map((user) => JSON.stringify(user)).join('\n')),
    ])

    const why = 'the address or account already exists here'
    assert.deepEqual(result, { imported: 2, skipped: [{ who: 'ann@example.com', why }] })
  })

  for (const encoding of ['latin1', 'utf16le'] as const)
    it(`is refused as a whole if it is in ${encoding}`, async (t) => {
      await using service = await startService()
      const mark = encoding === 'utf16le' ? BYTE_ORDER_MARK : ''
      const users = fileFor(t, Buffer.from(mark + JSON.stringify(JUERGEN), encoding))
      const firebase = fileFor(t, Buffer.from(mark + FIREBASE, encoding))
      const hashes = fileFor(t, Buffer.from(HASHES))
      const { platform } = service

      await assert.rejects(
        importUsersFile(platform, users, () => undefined),
        { name: 'TransferRefused', message: `${users} is not in UTF-8; convert it first` },
      )
      await assert.rejects(
        importFirebase(platform, firebase, hashes, () => undefined),
        { name: 'TransferRefused', message: `${firebase} is not in UTF-8; convert it first` },
      )
    })
})

describe('a line', () => {
  it('ends with a line feed, and with no other character that some take for the end of a line', async (t) => {
    const lines = ['a\u2028b\u2029c\u0085d\u000be\rf', '', 'g\r', ' h ']

    assert.deepEqual(await linesFor(t, Buffer.from(lines.join('\n'))), lines)
    assert.deepEqual(await linesFor(t, Buffer.from(`${lines.join('\n')}\n`)), lines)
  })

  it('is whole wherever the file is divided for reading', async (t) => {
    // Each character has three bytes, so the division falls inside one.
    const lines = ['界'.repeat(200_000), `a${'界'.repeat(200_000)}`, `ab${'界'.repeat(200_000)}`]

    assert.deepEqual(await linesFor(t, Buffer.from(lines.join('\n'))), lines)
  })

  it('cut within a character is refused', async (t) => {
    const cut = Buffer.from('a\n界').subarray(0, -1)

    await assert.rejects(linesFor(t, cut), { name: 'TransferRefused', message: /is not in UTF-8/ })
  })
})

async function linesFor(t: TestContext, content: Buffer): Promise<string[]> {
  const file = fileFor(t, content)
  await using handle = await open(file)
  const lines: string[] = []
  for await (const line of linesIn(handle, file)) lines.push(line)
  return lines
}

function fileFor(t: TestContext, content: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-text-file-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), content)
  return join(folder, 'file')
}
