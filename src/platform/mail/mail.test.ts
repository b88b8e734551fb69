import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe } from 'vitest'
import { freePort } from '../../../test/processes/free-port.ts'
import { it } from '../../../test/service/answering.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { openNames } from '../names/names.ts'
import { MailNotSent } from './mail.ts'
import { openMail } from './open.ts'
import { SmtpConnections, sendThroughSmtp } from './smtp.ts'

const letter = {
  from: { name: 'Gatehouse "GmbH"', address: 'admin@example.com' },
  to: 'ann@example.com',
  subject: 'Dein Code für heute',
  text: 'Your code is 123456.',
  html: '<p>Your code is <b>123456</b>.</p>',
}
const NOWHERE = 'http://127.0.0.1:1'
const deployment = {
  smtpUrl: undefined,
  emailApiUrl: NOWHERE,
  isLocal: false,
  dataDir: '/nowhere',
  webhookNetworks: [],
}
const NAMED = { host: 'mail.example.com', port: 587, user: '', password: '' }
const SMTP = { provider: 'smtp', server: () => NAMED } as const
/** Begins a reply of many lines, and never ends it. */
async function startTalkingServer() {
  const { promise: hasEnded, resolve: end } = Promise.withResolvers<boolean>()
  const server = createServer((socket) => {
    const talking = setInterval(() => socket.write('220-wait\r\n'), 20)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(talking)
      end(true)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hasEnded,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

const mailFor = (changes: Partial<Parameters<typeof openMail>[0]>) =>
  openMail({ ...deployment, ...changes }, openNames(), () => Date.UTC(2026, 10, 21, 9, 30))

describe('mail providers offered', () => {
  it('SMTP and the API always, outbox on localhost only', () => {
    assert.deepEqual(mailFor({}).providers, ['smtp', 'api'])
    assert.deepEqual(mailFor({ isLocal: true }).providers, ['smtp', 'api', 'outbox'])
  })

  it('one that is not offered sends nothing', async () => {
    await assert.rejects(mailFor({}).send({ provider: 'outbox' }, letter), MailNotSent)
  })
})

describe('smtp', () => {
  it('hands the message with text and HTML to the server', async ({ receiving }) => {
    const server = await receiving()

    await mailFor({ smtpUrl: server.url }).send(SMTP, letter)

    const [message = ''] = server.messages
    for (const part of [/^To: ann@example\.com$/m, /^From: .*Gatehouse.*<admin@example\.com>$/m])
      assert.match(message, part)
    for (const part of [/Your code is 123456\./, /<b>123456<\/b>/]) assert.match(message, part)
  })

  it("a refusal is reported in the server's own words", async ({ receiving }) => {
    const server = await receiving(() => '550 5.1.1 ann does not live here')
    const mail = mailFor({ smtpUrl: server.url })

    await assert.rejects(mail.send(SMTP, letter), {
      name: 'MailNotSent',
      message: /550 5\.1\.1 ann does not live here/,
    })
  })

  it('a server that keeps talking without an answer is given up', async () => {
    await using server = await startTalkingServer()

    const sending = sendThroughSmtp(
      ...([new SmtpConnections(), { url: server.url }, letter, AbortSignal.timeout(300)] as const),
    )
    await assert.rejects(sending, {
      name: 'MailNotSent',
      message: 'The mail server did not accept the message in time.',
      mayHaveArrived: false,
    })
    assert.equal(await server.hasEnded, true)
  })

  it('a connection is used for the next letter, and replaced once the server has closed it', async ({ receiving }) => {
    const server = await receiving()
    const mail = mailFor({ smtpUrl: server.url })
    for (let i = 0; i < 3; i++) await mail.send(SMTP, letter)
    const reused = server.connections()
    server.hangUp()
    await mail.send(SMTP, letter)

    assert.deepEqual([reused, server.connections(), server.messages.length], [1, 2, 4])
  })

  it.for([
    ['greeting', false],
    ['MAIL', false],
    ['DATA', false],
    ['.', true],
  ] as const)(
    'a letter may have arrived if the connection breaks off at %s: %s',
    async ([at, mayHaveArrived], { receiving }) => {
      const server = await receiving(undefined, at)

      await assert.rejects(mailFor({ smtpUrl: server.url }).send(SMTP, letter), {
        name: 'MailNotSent',
        mayHaveArrived,
      })
      assert.equal(server.messages.length, mayHaveArrived ? 1 : 0)
    },
  )

  it('a server that is down is MailNotSent', async () => {
    const mail = mailFor({ smtpUrl: 'smtp://127.0.0.1:1' })

    await assert.rejects(mail.send(SMTP, letter), { name: 'MailNotSent', mayHaveArrived: false })
  })
})

describe('smtp of the settings', () => {
  const at = (url: string, user = '') => {
    const server = { host: '127.0.0.1', port: Number(new URL(url).port), user, password: 'secret' }
    return { provider: 'smtp', server: () => server } as const
  }

  it('hands the message to the named server', async ({ receiving }) => {
    const server = await receiving()

    await mailFor({ webhookNetworks: ['127.0.0.0/8'] }).send(at(server.url), letter)

    assert.match(server.messages[0] ?? '', /Your code is 123456\./)
  })

  it('connects to no private network that WEBHOOK_NETWORKS does not name', async ({ receiving }) => {
    const server = await receiving()

    await assert.rejects(mailFor({}).send(at(server.url), letter), {
      name: 'MailNotSent',
      message: /^127\.0\.0\.1: The address is in a private network\. WEBHOOK_NETWORKS can allow it\.$/,
    })
    assert.equal(server.messages.length, 0)
  })

  it('a password is not sent without TLS', async ({ receiving }) => {
    const server = await receiving()

    // The server accepts STARTTLS, and then does not speak TLS.
    await assert.rejects(mailFor({ webhookNetworks: ['127.0.0.0/8'] }).send(at(server.url, 'ann'), letter), {
      name: 'MailNotSent',
      message: /wrong version number/,
    })
    assert.equal(server.messages.length, 0)
  })

  it('a server name that does not exist is reported', async () => {
    const server = () => ({ ...NAMED, host: 'no-such-server.invalid' })

    await assert.rejects(mailFor({}).send({ provider: 'smtp', server }, letter), {
      name: 'MailNotSent',
      message: /no-such-server\.invalid/,
    })
  })
})

describe('email API', () => {
  it('posts one message with the key as bearer', async ({ answering }) => {
    const server = await answering(() => ({ body: { id: 'm1' } }))
    const mail = mailFor({ emailApiUrl: server.url })

    await mail.send({ provider: 'api', apiKey: 'key-1' }, letter)

    const [call] = server.heard
    assert.deepEqual([call?.path, call?.headers.authorization], ['/emails', 'Bearer key-1'])
    assert.deepEqual(JSON.parse(call?.body ?? ''), {
      from: '"Gatehouse GmbH" <admin@example.com>',
      to: ['ann@example.com'],
      subject: letter.subject,
      text: letter.text,
      html: letter.html,
    })
  })

  it('names each attempt at one letter by the same key, and another letter or sender by another', async ({
    answering,
  }) => {
    const server = await answering(() => ({ body: { id: 'm1' } }))
    const mail = mailFor({ emailApiUrl: server.url })
    const from = { ...letter.from, name: 'Renamed' }

    for (const sent of [
      { id: '1', ...letter },
      { id: '1', ...letter },
      { id: '2', ...letter },
      { id: '1', ...letter, from },
    ])
      await mail.send({ provider: 'api', apiKey: 'key-1' }, sent)

    const keys = server.heard.map(({ headers }) => headers['idempotency-key'])
    assert.match(String(keys[0]), /^1-[0-9a-f]{16}$/)
    assert.equal(keys[1], keys[0])
    assert.equal(new Set(keys).size, 3)
  })

  it("a refusal is reported in the provider's own words", async ({ answering }) => {
    const message = 'The example.com domain is not verified.'
    const body = { statusCode: 403, name: 'validation_error', message }
    const server = await answering(() => ({ status: 403, body }))
    const mail = mailFor({ emailApiUrl: server.url })

    await assert.rejects(mail.send({ provider: 'api', apiKey: 'key-1' }, letter), {
      name: 'MailNotSent',
      message: '403: The example.com domain is not verified.',
    })
  })

  it('a long refusal is cut after its beginning', async ({ answering }) => {
    const server = await answering(() => ({ status: 403, body: `no \0 ${'x'.repeat(8_000_000)}` }))
    const mail = mailFor({ emailApiUrl: server.url })

    await assert.rejects(mail.send({ provider: 'api', apiKey: 'k' }, letter), {
      name: 'MailNotSent',
      message: /^403: no \ufffd x{195}$/,
    })
  })

  it('an answer that is not JSON and a provider that is down are MailNotSent', async ({ answering }) => {
    const server = await answering(() => ({ status: 502, body: '<h1>Bad gateway</h1>' }))
    const broken = mailFor({ emailApiUrl: server.url })

    await assert.rejects(broken.send({ provider: 'api', apiKey: 'k' }, letter), /502: <h1>Bad gateway/)
    const away = mailFor({ emailApiUrl: `http://127.0.0.1:${await freePort()}` })
    await assert.rejects(away.send({ provider: 'api', apiKey: 'k' }, letter), {
      name: 'MailNotSent',
      message: /cannot be reached: .*ECONNREFUSED/,
      mayHaveArrived: false,
    })
  })
})

it('outbox writes each message as one .eml file that only its owner reads', async () => {
  const dataDir = temporaryFolder()
  const mail = mailFor({ isLocal: true, dataDir })

  await Promise.all([mail.send({ provider: 'outbox' }, letter), mail.send({ provider: 'outbox' }, letter)])

  const files = await readdir(join(dataDir, 'outbox'))
  assert.equal(files.length, 2)
  const file = join(dataDir, 'outbox', files[0] ?? '')
  assert.match(file, /2026-11-21T09-30-00\.000Z-[0-9a-f]{8}\.eml$/)
  assert.match(await readFile(file, 'utf8'), /^To: ann@example\.com$/m)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})
