import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { Transport } from '../../../src/platform/endpoints/transport.ts'
import { openNames } from '../../../src/platform/names/names.ts'
import { addressesOutside } from '../../../src/platform/public-addresses.ts'
import { findExecutable } from '../../processes/executable.ts'

const openssl = findExecutable('openssl')
const running = new AbortController().signal
const HERE = 'IP:127.0.0.1'
const VALID = ['-days', '2']
const EXPIRED = ['-startdate', '20200101000000Z', '-enddate', '20210101000000Z']

const AUTHORITY = `
[ca]
default_ca = authority
[authority]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = policy
copy_extensions = copy
[policy]
commonName = supplied
`

describe.skipIf(!openssl)('the certificate of an endpoint (needs openssl)', () => {
  const known = getCACertificates('default')
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-certificates-'))
    writeFileSync(join(folder, 'authority.conf'), AUTHORITY)
    writeFileSync(join(folder, 'index'), '')
    writeFileSync(join(folder, 'serial'), '01\n')
    makeSelfSigned('authority')
    setDefaultCACertificates([...known, read('authority.crt')])
  })
  afterAll(() => {
    setDefaultCACertificates(known)
    rmSync(folder, { recursive: true })
  })

  const run = (...args: readonly string[]) => execFileSync(openssl ?? '', args, { cwd: folder, stdio: 'pipe' })
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const newKey = (name: string) => [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', `/CN=${name}`, '-keyout', `${name}.key`],
  ]

  function makeSelfSigned(name: string): void {
    run('req', '-x509', ...newKey(name), '-addext', `subjectAltName=${HERE}`, ...VALID, '-out', `${name}.crt`)
  }

  function makeSigned(name: string, host: string, lifetime: readonly string[]): void {
    run('req', ...newKey(name), '-addext', `subjectAltName=${host}`, '-out', `${name}.csr`)
    const authority = ['-config', 'authority.conf', '-cert', 'authority.crt', '-keyfile', 'authority.key']
    run('ca', '-batch', ...authority, ...lifetime, '-in', `${name}.csr`, '-out', `${name}.crt`)
  }

  /** Returns what came of one attempt, and how many requests got through. */
  async function postTo(name: string) {
    let requests = 0
    const server = createServer({ key: read(`${name}.key`), cert: read(`${name}.crt`) }, (_, response) => {
      requests++
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const transport = new Transport(addressesOutside(['127.0.0.0/8']), openNames())
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { isAccepted, error } = await transport.send({ url, headers: {}, body: '{}' }, running)
    transport.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    return [isAccepted, error, requests]
  }

  it('is accepted if an authority that is trusted has signed it for this host', async () => {
    makeSigned('good', HERE, VALID)

    assert.deepEqual(await postTo('good'), [true, null, 1])
  })

  it.for([
    ['it has expired', 'expired', () => makeSigned('expired', HERE, EXPIRED), 'certificate_expired'],
    [
      'it is for another host',
      'other',
      () => makeSigned('other', 'DNS:other.example.com', VALID),
      'certificate_of_another_host',
    ],
    ['only its owner has signed it', 'own', () => makeSelfSigned('own'), 'certificate_self_signed'],
  ] as const)('is refused with its reason, before anything is sent, if %s', async ([, name, make, reason]) => {
    make()

    assert.deepEqual(await postTo(name), [false, reason, 0])
  })
})
