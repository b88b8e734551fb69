import assert from 'node:assert/strict'
import { hashSync } from 'bcryptjs'
import { describe } from 'vitest'
import { foreignHashes } from '../../../test/service/foreign-hashes.ts'
import { fileWith, fromFirebase, silent } from '../../../test/service/foreign-users.ts'
import { it as withService } from '../../../test/service/it.ts'
import { Person, stranger } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'
import { ownersToken } from '../../features/ground/letters/owners-link.ts'
import { IMPORTED_PASSWORD } from '../../platform/passwords/foreign/foreign.ts'
import { aesSecretBox } from '../../platform/secrets/secret-box.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { importFirebase } from './firebase.ts'
import { importUsers, importUsersFile } from './users-file.ts'

/** Has Google, and a GitHub of its own. */
const it = withService.extend<{ provided: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  provided: async ({}, use) => {
    await using service = await startService({ env: { PROVIDER_B: 'github:https://ghe.example' } })
    await use(service)
  },
})

const PASSWORD = 'a long walk in the rain'
const HASHES = foreignHashes(PASSWORD)
const BCRYPT = hashSync(PASSWORD, 4)
const DEAREST = [
  BCRYPT.replace('$04$', '$13$'),
  HASHES.argon2id.replace('m=1024,t=2', 'm=131072,t=8'),
  HASHES.scrypt.replace('ln=10,r=8,p=1', 'ln=17,r=8,p=8'),
  HASHES['PBKDF2 of Django'].replace('$1000$', '$4000000$'),
]
const REFUSED = {
  'bcrypt of two seconds': BCRYPT.replace('$04$', '$14$'),
  'argon2id of more than 128 MB': HASHES.argon2id.replace('m=1024', 'm=131073'),
  'argon2id of nine passes': HASHES.argon2id.replace('m=1024,t=2', 'm=131072,t=9'),
  'scrypt of 256 MB': HASHES.scrypt.replace('ln=10', 'ln=18'),
  'scrypt nine times': HASHES.scrypt.replace('ln=10,r=8,p=1', 'ln=17,r=8,p=9'),
  'PBKDF2 of more than four million iterations': HASHES['PBKDF2 of Django'].replace('$1000$', '$4000001$'),
  'scrypt of Django with a cost that is no power of two': HASHES['scrypt of Django'].replace('$1024$', '$1000$'),
  'scrypt of Django of 256 MB': HASHES['scrypt of Django'].replace('$1024$', '$262144$'),
  'scrypt with more turns than blocks of this size allow': HASHES.scrypt.replace('ln=10,r=8', 'ln=16,r=1'),
  'scrypt of Django with as many': HASHES['scrypt of Django'].replace('$1024$', '$65536$').replace('$8$5$', '$1$5$'),
  'PBKDF2 of Django with NUL in its salt': HASHES['PBKDF2 of Django'].replace('$1000$', '$1000$\0'),
  'PBKDF2 of Django with half a character in its salt': HASHES['PBKDF2 of Django'].replace('$1000$', '$1000$\ud800'),
  'PBKDF2 of Django without iterations': HASHES['PBKDF2 of Django'].replace('$1000$', '$0$'),
  'a password that Django calls unusable': `!${'x'.repeat(40)}`,
  'argon2i, which is another': HASHES.argon2id.replace('argon2id', 'argon2i'),
  'Firebase with a key that is not sealed':
    '$firebase$ln=14,r=8$Bw==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$aKey',
  md5: '5f4dcc3b5aa765d61d8327deb882cf99',
  'plain text': PASSWORD,
}

// The example that Firebase publishes with its scrypt.
const THEIR_HASHES = {
  signer_key: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  salt_separator: 'Bw==',
  rounds: 8,
  mem_cost: 14,
}
const THEIRS = {
  localId: 'their-id',
  email: 'Ann@example.com',
  emailVerified: true,
  passwordHash: 'lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==',
  salt: '42xEC-ixf3L2lw==',
  createdAt: '1500000000000',
}

describe('the import of users of another service', () => {
  it('takes passwords: checked at the first sign-in, then stored in our form', async ({ service }) => {
    const users = Object.entries(HASHES).map(([, password_hash], at) => ({
      email: `user-${at}@example.com`,
      email_verified: true,
      password_hash,
    }))

    const { imported, skipped } = await importUsers(service.platform, users, silent)

    assert.deepEqual([imported, skipped], [users.length, []])
    for (const { email } of users) {
      assert.equal(await signIn(service, email, 'a wrong password'), 401, email)
      assert.equal(await signIn(service, email, PASSWORD), 200, email)
      assert.match(await storedFor(service, email), /^[\da-f]{16}:[\da-f]{40}$/)
      assert.equal(await signIn(service, email, PASSWORD), 200, email)
    }
  })

  it('knows the browser of the first sign-in as it does later: nobody else’s wrong passwords delay it', async ({
    service,
  }) => {
    const email = 'ann@example.com'
    await importUsers(service.platform, [{ email, password_hash: HASHES.bcrypt }], silent)
    const ann = new Person(service, email, PASSWORD)
    assert.equal((await ann.signIn()).status, 200)
    for (let i = 0; i < 11; i++) await signIn(service, email, 'a wrong password')
    assert.equal(await signIn(service, email, PASSWORD), 429)

    assert.equal((await ann.signIn()).status, 200)
  })

  it('stores the same password in our form, which is not a new one: an earlier letter’s link still works', async ({
    service,
  }) => {
    const user = { id: 'ann', email: 'ann@example.com', email_verified: true, password_hash: HASHES.bcrypt }
    await importUsers(service.platform, [user], silent)
    const token = ownersToken(service.platform, { userId: user.id, at: service.clock.now() })
    service.clock.advance({ seconds: 1 })
    assert.equal(await signIn(service, user.email, PASSWORD), 200)

    const { status } = await stranger(service).post('/api/auth/secure-account', { token })

    assert.deepEqual([status, await signIn(service, user.email, PASSWORD)], [200, 401])
  })

  it('refuses hashes that cannot be checked, or would cost too much to check', async ({ service }) => {
    const users = [...DEAREST, ...Object.values(REFUSED)].map((password_hash, at) => ({
      email: `user-${at}@example.com`,
      password_hash,
    }))

    const { imported, skipped } = await importUsers(service.platform, users, silent)

    assert.deepEqual([imported, skipped.length], [DEAREST.length, users.length - DEAREST.length])
  })

  it('takes whole numbers as ids, and names those of users who are left out', async ({ service }) => {
    const users = [
      { id: 7, email: 'ann@example.com' },
      { id: 8.5, email: 'ben@example.com' },
      { id: 9, email: 'carl' },
      { id: '10', email: 'dora@example.com' },
    ]

    const { imported, skipped } = await importUsers(service.platform, users, silent)

    const { meta } = service.platform
    const found = await meta.selectFrom('user').select('id').where('role', '=', 'user').orderBy('email').execute()
    assert.deepEqual([imported, found.map(({ id }) => id)], [2, ['7', '10']])
    assert.deepEqual(
      skipped.map(({ place }) => place),
      [
        { line: 2, id: '8.5', email: 'ben@example.com' },
        { line: 3, id: '9', email: 'carl' },
      ],
    )
  })

  it('names users who are left out, and imports others, also without a password', async ({ service }) => {
    const users = [{ email: 'ann@example.com' }, { email: 'ann@example.com' }, { email: 'nobody' }, undefined]

    const { imported, skipped } = await importUsers(service.platform, users, silent)

    assert.equal(imported, 1)
    assert.deepEqual(
      skipped.map(({ who }) => who),
      ['ann@example.com', 'user 3 (nobody)', 'user 4'],
    )
    assert.equal(await signIn(service, 'ann@example.com', PASSWORD), 401)
  })

  it('says why a user is left out, and names the user by what the file has', async ({ service }) => {
    const users = [
      { id: 'by telephone', email: null },
      { id: 'by telephone too', email: '' },
      {},
      { email: 'ann@example.com', name: 'n'.repeat(300) },
      { email: `${'e\u202e\n'.repeat(400)}`, image: 7 },
      { email: 'carl@example.com', name: 'a\ud800b', id: 'a\udc00' },
      [{ email: 'ben@example.com' }],
      'email,name',
    ]

    const { skipped } = await importUsers(service.platform, users, silent)

    assert.deepEqual(
      skipped.map(({ who, why }) => `${who.slice(0, 30)}, ${why}`),
      [
        'user 1 (by telephone), it has no email address',
        'user 2 (by telephone too), it has no email address',
        'user 3, it has no email address',
        'user 4 (ann@example.com), name: malformed',
        `user 5 (${'e '.repeat(11)}, email, image: malformed`,
        'user 6 (carl@example.com), id, name: malformed',
        'user 7, it is not a JSON object',
        'user 8, it is not a JSON object',
      ],
    )
    assert.ok((skipped[4]?.who.length ?? 0) < 300)
  })

  it('takes a user of Supabase Auth who has never had a password', async ({ service }) => {
    const user = {
      ...{ id: '2eb8ff89-2c9a-41ba-a5d9-894eb16e9de2', email: 'carl@example.com', email_verified: true },
      ...{ name: null, password_hash: '', created_at: '2026-11-22T21:34:21.421934+00:00' },
    }

    const { imported, skipped } = await importUsers(service.platform, [user], silent)

    assert.deepEqual([imported, skipped, await signIn(service, user.email, '')], [1, [], 401])
    assert.equal(await signIn(service, user.email, PASSWORD), 401)
  })

  it('reads an export of Firebase with its own scrypt, whose key is sealed', async ({ service }) => {
    const users = [THEIRS, { localId: 'by telephone' }]

    const { imported, skipped } = await fromFirebase(service, users, THEIR_HASHES)
    const stored = await storedFor(service, 'ann@example.com')
    const answered = [
      await signIn(service, 'ann@example.com', 'user2password'),
      await signIn(service, 'ann@example.com', 'user1password'),
    ]

    assert.deepEqual([imported, skipped.length], [1, 1])
    assert.ok(!stored.includes(THEIR_HASHES.signer_key.slice(0, 20)))
    assert.deepEqual(answered, [401, 200])
    assert.match(await storedFor(service, 'ann@example.com'), /^[\da-f]{16}:[\da-f]{40}$/)
  })

  it('takes Firebase’s hash as Supabase keeps it, and seals the key that is in it', async ({ service }) => {
    const { signer_key, salt_separator } = THEIR_HASHES
    const password_hash = `$fbscrypt$v=1,n=14,r=8,p=1,ss=${salt_separator},sk=${signer_key}$${THEIRS.salt}$${THEIRS.passwordHash}`

    const { imported } = await importUsers(service.platform, [{ email: THEIRS.email, password_hash }], silent)

    const stored = await storedFor(service, 'ann@example.com')
    assert.deepEqual([imported, stored.includes(signer_key.slice(0, 20))], [1, false])
    assert.equal(await signIn(service, 'ann@example.com', 'user2password'), 401)
    assert.equal(await signIn(service, 'ann@example.com', 'user1password'), 200)
  })

  it.for([
    ['the name of a provider here', 'google', true],
    ['its issuer', 'https://accounts.google.com', true],
    ['its issuer with a slash', 'https://accounts.google.com/', true],
    ['the text of a server of its own', 'github:https://ghe.example', true],
    ['the public server, where another one is configured', 'github', false],
    ['a provider that is not configured', 'facebook', false],
    ['nothing of a provider', 'credential', false],
  ] as const)('takes accounts at a provider by %s, and counts others', async ([, provider, isTaken], { provided }) => {
    const users = [{ email: 'ann@example.com', accounts: [{ provider, id: '4711' }] }]

    const { accounts, notTaken } = await importUsers(provided.platform, users, silent)

    const rows = await provided.platform.meta.selectFrom('account').select(['provider_account_id', 'issuer']).execute()
    const linked = rows.filter(({ provider_account_id }) => provider_account_id === '4711')
    assert.deepEqual([accounts, linked.length, linked[0]?.issuer !== ''], [isTaken ? 1 : 0, isTaken ? 1 : 0, true])
    assert.deepEqual([...notTaken], isTaken ? [] : [[`${provider} accounts`, 1]])
  })

  it('reads the accounts in an export of Firebase, and counts its factors and telephone numbers', async ({
    service,
  }) => {
    const providerUserInfo = [
      { providerId: 'password', rawId: 'Ann@example.com' },
      { providerId: 'google.com', rawId: '4711' },
      { providerId: 'apple.com', rawId: 'x' },
    ]
    const user = { ...THEIRS, providerUserInfo, mfaInfo: [{ mfaEnrollmentId: 'a' }], phoneNumber: '+1' }

    const { accounts, passwords, notTaken } = await fromFirebase(service, [user], THEIR_HASHES)

    assert.deepEqual([accounts, passwords], [1, 1])
    assert.deepEqual(Object.fromEntries(notTaken), {
      'apple.com accounts': 1,
      'second factors': 1,
      'telephone numbers': 1,
    })
  })

  it('tells products that an imported user is suspended', async ({ service }) => {
    await importUsers(service.platform, [{ email: 'ann@example.com', suspended: true }], silent)

    const events = await service.platform.meta.selectFrom('event').select('type').orderBy('id').execute()
    const types = events.map(({ type }) => type).filter((type) => type?.startsWith('user.'))
    assert.deepEqual(types.slice(-2), ['user.created', 'user.suspended'])
  })

  it('finds out in a dry run who would be left out, and writes nothing', async ({ service }) => {
    const account = { provider: 'google', id: '4711' }
    await importUsers(service.platform, [{ email: 'here@example.com', accounts: [account] }], silent)
    const before = await service.platform.meta.selectFrom('event').select('id').execute()
    const users = [
      { email: 'ann@example.com' },
      { email: 'ann@example.com' },
      { email: 'HERE@example.com' },
      { email: 'carl@example.com', accounts: [account] },
    ]

    const dry = await importUsers(service.platform, users, silent, { isDry: true })
    const after = await service.platform.meta.selectFrom('event').select('id').execute()
    const real = await importUsers(service.platform, users, silent)

    assert.deepEqual(dry, real)
    assert.deepEqual([after, dry.imported, dry.skipped.length], [before, 1, 3])
  })

  it('keeps the data of a product as it was, nulls included', async ({ service, administrator }) => {
    const data = { public: { plan: null, seats: [null] }, own: { theme: { dark: null } } }
    const file = fileWith(JSON.stringify({ id: 'dora', email: 'dora@example.com', data }))
    await importUsersFile(service.platform, file, silent)
    const { body } = await administrator.post('/api/admin/get_user_data', { id: 'dora' })

    assert.deepEqual(body, { private: {}, version: 1, ...data })
  })

  it('refuses a file with a field that it does not know before it writes anything, unless told to leave it out', async ({
    service,
  }) => {
    const lines = [
      { email: 'ann@example.com' },
      { email: 'ben@example.com', app_metadata: {}, accounts: [{ provider: 'google', id: 7, since: 1 }] },
    ]
    const file = fileWith(lines.map((line) => JSON.stringify(line)).join('\n'))
    const users = async () => (await service.platform.meta.selectFrom('user').select('id').execute()).length
    const before = await users()

    await assert.rejects(importUsersFile(service.platform, file, silent), /line 2 has the field "app_metadata"/)
    const refused = await users()
    const { imported, accounts, notTaken } = await importUsersFile(service.platform, file, silent, {
      ignoresUnknown: true,
    })

    assert.deepEqual([refused, imported, accounts], [before, 2, 1])
    assert.deepEqual(Object.fromEntries(notTaken), { app_metadata: 1, 'accounts.since': 1 })
  })

  it('refuses one that was sealed under another key like a wrong password, and says so in the log', async ({
    service,
  }) => {
    await fromFirebase(service, [THEIRS], THEIR_HASHES)
    const stored = await storedFor(service, 'ann@example.com')
    const sealed = aesSecretBox('07'.repeat(32)).seal(IMPORTED_PASSWORD, THEIR_HASHES.signer_key)
    const password_hash = stored.replace(/[^$]+$/, sealed)
    const { meta } = service.platform
    await meta.updateTable('account').set({ password_hash }).where('user_id', '=', THEIRS.localId).execute()

    const status = await signIn(service, 'ann@example.com', 'user1password')

    assert.equal(status, 401)
    const warnings = service.log.lines.filter(({ level }) => level === 'warn')
    assert.match(JSON.stringify(warnings), /sealed under another key/)
  })

  it('takes hash parameters as Firebase’s console shows them, or as JSON', async ({ service }) => {
    const fields = { algorithm: 'SCRYPT', base64_signer_key: 'c2lnbmVy', base64_salt_separator: 'Bw==' }
    const all = { ...fields, rounds: 8, mem_cost: 14 }
    const lines = Object.entries(all).map(([name, value]) => `  ${name}: ${value},`)
    const files = {
      shown: ['hash_config {', ...lines, '}', ''].join('\n'),
      json: JSON.stringify(all),
      'another algorithm': JSON.stringify({ ...all, algorithm: 'MD5' }),
      'half of it': lines.slice(0, 2).join('\n'),
      list: '[]',
    }

    const ended = await Promise.all(Object.values(files).map((text) => withHashConfig(service, text)))

    assert.deepEqual(ended, [
      '0 imported',
      '0 imported',
      'algorithm is missing or malformed',
      'its JSON is missing or malformed',
      'signer_key, salt_separator, rounds, mem_cost is missing or malformed',
    ])
  })
})

/** An export without users, beside these parameters. */
async function withHashConfig({ platform }: Service, text: string): Promise<string> {
  const hashes = fileWith(text)
  return await importFirebase(platform, fileWith('{"users":[]}'), hashes, silent).then(
    ({ imported }) => `${imported} imported`,
    (error) => (error instanceof OperatorError ? error.message.replace(`${hashes}: `, '') : String(error)),
  )
}

async function signIn(service: Service, email: string, password: string): Promise<number> {
  return (await stranger(service).post('/api/auth/sign-in/email', { email, password })).status
}

async function storedFor(service: Service, email: string): Promise<string> {
  const [row] = await service.platform.meta
    .selectFrom('account')
    .innerJoin('user', 'user.id', 'account.user_id')
    .select('password_hash')
    .where('email', '=', email)
    .execute()
  return row?.password_hash ?? ''
}
