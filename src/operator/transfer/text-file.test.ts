import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { open, writeFile } from 'node:fs/promises'
import { describe } from 'vitest'
import { FIREBASE_HASHES, fileWith, silent, wordsOf } from '../../../test/service/foreign-users.ts'
import { it } from '../../../test/service/it.ts'
import { importFirebase } from '../user-import/firebase.ts'
import { importUsersFile } from '../user-import/users-file.ts'
import { linesIn } from './text-file.ts'

const BYTE_ORDER_MARK = '\ufeff'
const JUERGEN = { email: 'juergen@example.com', name: 'Jürgen' }
const LINE = JSON.stringify(JUERGEN)
const HASHES = JSON.stringify(FIREBASE_HASHES)
const FIREBASE = JSON.stringify({
  users: [{ localId: 'j', email: JUERGEN.email, displayName: JUERGEN.name }],
})

describe('a file of users', () => {
  it('can have a byte order mark, and blank lines, which are counted', async ({ service: { platform } }) => {
    const users = fileWith(`${BYTE_ORDER_MARK}${LINE}\r\n\n{"email":"nobody"}\n`)

    const result = await importUsersFile(platform, users, silent)

    assert.deepEqual(wordsOf(result), {
      imported: 1,
      skipped: [{ who: 'line 3 (nobody)', why: 'email: malformed' }],
    })
  })

  it('of Firebase can have a byte order mark, and so can its parameters', async ({ service: { platform } }) => {
    const [users, hashes] = [fileWith(BYTE_ORDER_MARK + FIREBASE), fileWith(BYTE_ORDER_MARK + HASHES)]

    const result = await importFirebase(platform, users, hashes, silent)

    assert.deepEqual(wordsOf(result), { imported: 1, skipped: [] })
  })

  it('can be a pipe', async ({ service: { platform } }) => {
    const pipe = `${fileWith('')}.pipe`
    execFileSync('mkfifo', [pipe])
    const users = [JUERGEN, { email: 'ann@example.com' }, { email: 'ANN@example.com' }]

    const [result] = await Promise.all([
      importUsersFile(platform, pipe, silent),
      writeFile(pipe, users.map((user) => JSON.stringify(user)).join('\n')),
    ])

    const why = 'the address or account already exists here'
    assert.deepEqual(wordsOf(result), { imported: 2, skipped: [{ who: 'ann@example.com', why }] })
  })

  it.for([['latin1', ''] as const, ['utf16le', BYTE_ORDER_MARK] as const])(
    'is refused as a whole if it is in %s',
    async ([encoding, mark], { service: { platform } }) => {
      const users = fileWith(Buffer.from(mark + LINE, encoding))
      const firebase = fileWith(Buffer.from(mark + FIREBASE, encoding))
      const refusal = (file: string) => ({
        name: 'OperatorError',
        message: `${file} is not in UTF-8; convert it first`,
      })

      await assert.rejects(importUsersFile(platform, users, silent), refusal(users))
      await assert.rejects(importFirebase(platform, firebase, fileWith(HASHES), silent), refusal(firebase))
    },
  )
})

describe('a line', () => {
  it('ends only with a line feed, not with other characters that some programs take for one', async () => {
    const lines = ['a\u2028b\u2029c\u0085d\u000be\rf', '', 'g\r', ' h ']

    assert.deepEqual(await linesOf(lines.join('\n')), lines)
    assert.deepEqual(await linesOf(`${lines.join('\n')}\n`), lines)
  })

  it('is read whole, wherever the file is divided for reading', async () => {
    // Each character has three bytes, so the division falls inside one.
    const lines = ['界'.repeat(200_000), `a${'界'.repeat(200_000)}`, `ab${'界'.repeat(200_000)}`]

    assert.deepEqual(await linesOf(lines.join('\n')), lines)
  })

  it('cut within a character is refused', async () => {
    const cut = Buffer.from('a\n界').subarray(0, -1)

    await assert.rejects(linesOf(cut), { name: 'OperatorError', message: /is not in UTF-8/ })
  })
})

async function linesOf(content: string | Buffer): Promise<string[]> {
  const file = fileWith(content)
  await using handle = await open(file)
  const lines: string[] = []
  for await (const line of linesIn(handle, file)) lines.push(line)
  return lines
}
