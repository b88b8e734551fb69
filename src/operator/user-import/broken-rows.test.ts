import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { foreignHashes } from '../../../test/service/foreign-hashes.ts'
import {
  betterAuthAccount,
  betterAuthUser,
  fromBetterAuth,
  fromFirebase,
  type Row,
  silent,
  wordsOf,
} from '../../../test/service/foreign-users.ts'
import { it } from '../../../test/service/it.ts'
import { stranger } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { importBetterAuth } from './better-auth.ts'
import { importUsers } from './users-file.ts'

const PASSWORD = 'a long walk in the rain'
const UNSUPPORTED = 'its password hash has an unsupported form, or would take too long to check'
const MAY_2024 = Date.parse('2024-05-01T12:00:00Z')
const SECOND_ON = 1_000

type Broken = readonly (readonly [what: string, field: string, row: Row])[]

const BROKEN_USERS: Broken = [
  ['an id with a control character', 'id', { id: 'a\0b' }],
  ['a name of 255 characters', 'name', { name: 'n'.repeat(255) }],
  ['a name with the character NUL', 'name', { name: 'a\0b' }],
  ['an address with a local part of 65 characters', 'email', { email: `${'a'.repeat(65)}@example.com` }],
  ['a number instead of yes or no', 'emailVerified', { emailVerified: 2n ** 60n }],
  ['a word instead of a time', 'createdAt', { createdAt: 'yesterday' }],
  ['a time in nanoseconds', 'createdAt', { createdAt: 1_714_564_800_000_000_000n }],
  ['a time of zero', 'createdAt', { createdAt: 0 }],
  ['a ban whose end is not a time', 'banExpires', { banned: 1, banExpires: 'tomorrow' }],
]
const BROKEN_ACCOUNTS: Broken = [
  ['bytes instead of a password hash', 'accounts.0.password', { password: new Uint8Array([1]) }],
  ['a control character in the id at a provider', 'accounts.0.accountId', { accountId: 'a\0b' }],
  ['an id of 256 characters at a provider', 'accounts.0.accountId', { accountId: 'a'.repeat(256) }],
]

describe('a database of Better Auth', () => {
  it.for(BROKEN_USERS)('leaves out a user with %s, and imports the others', async ([, field, row], { service }) => {
    const broken = betterAuthUser('ben', row)

    const result = await fromBetterAuth(service, [betterAuthUser('ann'), broken, betterAuthUser('carl')])

    const skipped = [{ who: broken.email, why: `its ${field} is malformed` }]
    assert.deepEqual(wordsOf(result), { imported: 2, skipped })
  })

  it.for(BROKEN_ACCOUNTS)('leaves out a user with %s, and imports the others', async ([, field, row], { service }) => {
    const users = ['ann', 'ben', 'carl'].map((id) => betterAuthUser(id))

    const result = await fromBetterAuth(service, users, [betterAuthAccount('ben', row)])

    const skipped = [{ who: 'ben@example.com', why: `its ${field} is malformed` }]
    assert.deepEqual(wordsOf(result), { imported: 2, skipped })
  })

  it('can have passwords hashed in another way: they are kept, or the user is named', async ({ service }) => {
    const users = ['ann', 'ben', 'carl'].map((id) => betterAuthUser(id))
    const accounts = [
      betterAuthAccount('ann', { password: foreignHashes(PASSWORD).bcrypt }),
      betterAuthAccount('ben', { password: 'md5:5f4dcc3b5aa765d61d8327deb882cf99' }),
      betterAuthAccount('carl', { password: '' }),
    ]

    const result = await fromBetterAuth(service, users, accounts)

    const skipped = [{ who: 'ben@example.com', why: UNSUPPORTED }]
    assert.deepEqual(wordsOf(result), { imported: 2, skipped })
    assert.deepEqual(await signIn(service, 'ann@example.com'), [200, undefined])
    assert.equal((await signIn(service, 'carl@example.com', ''))[0], 401)
  })

  it('can have members of the community whose ids differ only in case, who stay two users', async ({ service }) => {
    const ids = ['Alice', 'alice']
    const users = ids.map((id) => betterAuthUser(id, { email: `community-${id}@community.local` }))
    const accounts = ids.map((id) => betterAuthAccount(id, { accountId: id, providerId: 'community' }))

    const { imported } = await fromBetterAuth(service, users, accounts)

    const emails = ['community-alice+3bc51062973c458d@community.local', 'community-alice@community.local']
    assert.deepEqual([imported, (await column(service, 'email')).toSorted()], [2, emails])
  })

  it('can have times as text, in seconds or in milliseconds', async ({ service }) => {
    const times = ['2024-05-01T12:00:00.000Z', MAY_2024 / 1000, MAY_2024]
    const users = times.map((createdAt, at) => betterAuthUser(`user-${at}`, { createdAt }))

    await fromBetterAuth(service, users)

    assert.deepEqual(await column(service, 'created_at'), Array(3).fill(MAY_2024))
  })

  it('must be a file: a pipe, which SQLite cannot read, is refused with a message', async ({ service }) => {
    const pipe = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    // Opened for reading and writing, so that neither end waits for the other.
    await using _ends = await open(pipe, 'r+')

    await assert.rejects(importBetterAuth(service.platform, pipe, silent), {
      name: 'OperatorError',
      message: `${pipe} cannot be read; is it a SQLite database?`,
    })
  })
})

it('an export of Firebase leaves out what is not a user, and imports the others', async ({ service }) => {
  const nothing = { displayName: null, photoUrl: null, createdAt: null }

  const result = await fromFirebase(service, [
    { localId: 'a', email: 'ann@example.com' },
    null,
    { localId: 'b', email: 'ben@example.com', createdAt: 'yesterday' },
    { localId: 'c', email: 'carl@example.com', ...nothing },
    { localId: 'd', phoneNumber: '+41790000000', createdAt: '1500000000000' },
    { localId: 'e', email: 'emil@example.com', passwordHash: 'UkVEQUNURUQ=' },
  ])

  const why = [
    ['user 2', 'it is not a JSON object'],
    ['user 3 (ben@example.com)', 'created_at: malformed'],
    ['user 5 (d)', 'it has no email address'],
    ['emil@example.com', UNSUPPORTED],
  ]
  assert.deepEqual(wordsOf(result), { imported: 2, skipped: why.map(([who, why]) => ({ who, why })) })
})

describe('a user who is banned from another service', () => {
  it('is suspended after an import, even with the right password', async ({ service }) => {
    const { bcrypt: password_hash } = foreignHashes(PASSWORD)
    const users = [
      { email: 'ann@example.com', password_hash, suspended: true },
      { email: 'ben@example.com', password_hash, suspended: null },
    ]

    await importUsers(service.platform, users, silent)

    assert.deepEqual(await signIn(service, 'ann@example.com'), [403, 'ACCOUNT_SUSPENDED'])
    assert.deepEqual(await signIn(service, 'ben@example.com'), [200, undefined])
  })

  it('is suspended if a ban of Better Auth has not ended, in seconds too', async ({ service }) => {
    const now = service.clock.now()
    const bans = [
      { banned: 1, banExpires: null },
      { banned: 1, banExpires: new Date(now + SECOND_ON).toISOString() },
      { banned: 1, banExpires: new Date(now - SECOND_ON).toISOString() },
      { banned: 1, banExpires: Math.floor(now / 1000) + 3_600 },
      { banned: 0, banExpires: null },
      { banned: null, banExpires: null },
    ]

    const { imported } = await fromBetterAuth(
      service,
      bans.map((ban, at) => betterAuthUser(`user-${at}`, ban)),
    )

    assert.equal(imported, bans.length)
    assert.deepEqual(await column(service, 'suspended_at'), [now, now, null, now, null, null])
  })

  it('is suspended if Firebase has disabled the account', async ({ service }) => {
    const { imported } = await fromFirebase(service, [
      { localId: 'a', email: 'ann@example.com', disabled: true },
      { localId: 'b', email: 'ben@example.com' },
    ])

    assert.deepEqual([imported, await column(service, 'suspended_at')], [2, [service.clock.now(), null]])
  })
})

const LONGEST_PICTURE = 'https://avatars.githubusercontent.com/'.padEnd(2_048, 'a')
const PICTURES = [
  ['https://avatars.githubusercontent.com/a.png', 'https://avatars.githubusercontent.com/a.png'],
  ['javascript:alert(1)', null],
  ['data:image/png;base64,AA', null],
  ['a\0b', null],
  ['https://avatars.githubusercontent.com/a\0b', 'https://avatars.githubusercontent.com/a%00b'],
  [LONGEST_PICTURE, LONGEST_PICTURE],
  [`${LONGEST_PICTURE}a`, null],
] as const
const SENT = PICTURES.map(([image], at) => ({ id: `user-${at}`, email: `user-${at}@example.com`, image }))
const IMPORTS = {
  'Better Auth': (service: Service) =>
    fromBetterAuth(
      service,
      SENT.map(({ id, image }) => betterAuthUser(id, { image })),
    ),
  Firebase: (service: Service) =>
    fromFirebase(
      service,
      SENT.map(({ id, email, image }) => ({ localId: id, email, photoUrl: image })),
    ),
  'another service': (service: Service) => importUsers(service.platform, SENT, silent),
}

it.for(Object.entries(IMPORTS))(
  'a picture of a user from %s is a web address, and anything else is not stored',
  async ([, importThem], { service }) => {
    const { imported } = await importThem(service)

    assert.equal(imported, SENT.length)
    assert.deepEqual(
      await column(service, 'image'),
      PICTURES.map(([, stored]) => stored),
    )
  },
)

async function signIn(service: Service, email: string, password = PASSWORD) {
  const { status, body } = await stranger(service).post('/api/auth/sign-in/email', { email, password })
  return [status, body.code]
}

async function column({ platform: { meta } }: Service, name: 'created_at' | 'email' | 'suspended_at' | 'image') {
  const users = meta.selectFrom('user').select(name).where('role', '=', 'user').orderBy('email')
  return (await users.execute()).map((row) => Object.values(row)[0])
}
