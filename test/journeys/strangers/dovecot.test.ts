import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { basic, type Registered, register, tokensFor } from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import { proveAddress } from '../../service/mailed.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'
import { configured, runningProgram } from './running-program.ts'

const SCOPE = 'product:mail:write'
const OF_SHOP = 'product:shop:write'
const isRoot = process.getuid?.() === 0
const dovecot = isRoot ? findExecutable('dovecot') : undefined

it.skipIf(!dovecot)(
  'Dovecot: opens the mailbox of a token’s user, if the token is for mail and the address is theirs (needs dovecot-imapd and root)',
  async ({ server: { url }, service, administrator, ann, ben }) => {
    await administrator.saveSettings('email', { provider: 'smtp' })
    for (const scope of [SCOPE, OF_SHOP])
      await administrator.post('/api/admin/declare_product_scope', { scope, description: 'Read and write' })
    const server = await register(administrator, { kind: 'service' })
    const program = await register(administrator, { skip_consent: true, scopes: ['openid', 'email', SCOPE] })
    const other = await register(administrator, { skip_consent: true, scopes: ['openid', 'email', OF_SHOP] })
    const tokenOf = async (person: Person, application: Registered, scope: string) =>
      (await tokensFor(person, application, { scope })).access_token
    const port = await freePort()
    await using _dovecot = await startDovecot(port, url, server)
    const token = await tokenOf(ann, program, `openid email ${SCOPE}`)

    const unverified = await enters(port, ann, token)
    await proveAddress(service, ann, ann)
    const verified = await enters(port, ann, token)
    const asBen = await enters(port, ben, token)
    const forSignIn = await enters(port, ann, await tokenOf(ann, other, 'openid email'))
    const forShop = await enters(port, ann, await tokenOf(ann, other, `openid email ${OF_SHOP}`))
    await postForm(ann, '/api/oauth/revoke', { token }, basic(program))
    const revoked = await enters(port, ann, token)
    await administrator.post('/api/admin/delete_application', { id: server.id })
    const unchecked = await enters(port, ann, await tokenOf(ann, program, `openid email ${SCOPE}`))

    assert.ok(verified)
    const others: Readonly<Record<string, boolean>> = { unverified, asBen, forSignIn, forShop, revoked, unchecked }
    assert.deepEqual(
      Object.keys(others).filter((name) => others[name]),
      [],
    )
  },
)

/** True if IMAP lets in a mail program that sends this token. */
async function enters(port: number, { email }: Person, token: string): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  const response = btoa(`n,a=${email},\u0001auth=Bearer ${token}\u0001\u0001`)
  socket.write(`1 AUTHENTICATE OAUTHBEARER ${response}\r\n`)
  for await (const line of createInterface(socket)) {
    // What was wrong with the token; an empty answer ends the attempt.
    if (line.startsWith('+')) socket.write('AQ==\r\n')
    if (!line.startsWith('1 ')) continue
    socket.destroy()
    return line.startsWith('1 OK')
  }
  return assert.fail('Dovecot hung up')
}

async function startDovecot(port: number, issuer: string, application: Registered) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-dovecot-'))
  await using starting = new AsyncDisposableStack()
  starting.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await chmod(folder, 0o755)
  for (const file of ['dovecot.conf', 'dovecot-token.conf.ext', 'dovecot-address.conf.ext']) {
    const text = configured(file, { issuer, origin: '', application }).replaceAll(
      '/etc/dovecot/gatehouse',
      join(folder, 'dovecot'),
    )
    await writeFile(join(folder, file), file === 'dovecot.conf' ? text + rest(folder, port) : text)
  }
  starting.use(
    await runningProgram([dovecot ?? '', '-F', '-c', join(folder, 'dovecot.conf')], { cwd: folder }, () =>
      listens(port),
    ),
  )
  return starting.move()
}

const rest = (folder: string, port: number) => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
auth_failure_delay = 0
mail_location = maildir:${folder}/mail/%u
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${folder}/mail/%u
}
# Each failure would make the next attempt wait longer.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`

async function listens(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  const is = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return is
}
