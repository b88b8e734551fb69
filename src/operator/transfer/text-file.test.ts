import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { startService } from '../../../test/service/service.ts'
import { importFirebase } from './firebase.ts'
import { importUsersFile } from './users-file.ts'

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

  it('may begin with a byte order mark if it is of Firebase, also the file with its parameters', async (t) => {
    await using service = await startService()
    const files = [FIREBASE, HASHES].map((text) => fileFor(t, Buffer.from(BYTE_ORDER_MARK + text)))
    const [users = '', hashes = ''] = files

    const result = await importFirebase(service.platform, users, hashes, () => undefined)

    assert.deepEqual(result, { imported: 1, skipped: [] })
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

function fileFor(t: TestContext, content: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-text-file-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), content)
  return join(folder, 'file')
}
