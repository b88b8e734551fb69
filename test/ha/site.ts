import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../postgres/folder.ts'
import { unprivilegedUser } from '../postgres/user.ts'
import { findExecutable } from '../processes/executable.ts'
import type { Credentials } from './asking.ts'
import { Running } from './programs.ts'

const DEPLOY = fileURLToPath(new URL('../../deploy/ha', import.meta.url))

/**
 * The files of deploy/ha in a folder of this machine, with its paths, and 127. in place of 10.: each machine has an
 * address of the loopback network, and its programs have their usual ports.
 */
export class Site {
  readonly folder: string
  readonly primaryPort: number

  constructor(primaryPort: number) {
    this.folder = mkdtempSync(join(temporaryFolder(), 'gatehouse-ha-'))
    this.primaryPort = primaryPort
    this.own(this.folder)
    this.#makeCertificates()
    this.write('userlist.txt', '"gatehouse" "change-me"\n')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #makeCertificates(): void {
    const folder = join(this.folder, 'certificates')
    mkdirSync(folder)
    const script = join(DEPLOY, 'certificates.sh')
    const make = (...args: readonly string[]) => execFileSync('sh', [script, ...args], { cwd: folder, stdio: 'ignore' })
    make('database', 'db1=127.0.1.1', 'db2=127.0.1.2', 'db3=127.0.1.3')
    make('reader', 'gatehouse1')
    for (const file of ['', ...globSync('*', { cwd: folder })]) this.own(join(folder, file))
  }

  certificate(name: string): string {
    return join(this.folder, 'certificates', name)
  }

  credentials(name: string): Required<Credentials> {
    const read = (file: string) => readFileSync(this.certificate(file), 'utf8')
    return { ca: read('ca.crt'), cert: read(`${name}.crt`), key: read(`${name}.key`) }
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    return this.own(file)
  }

  /** Makes it belong to the user that PostgreSQL runs as. */
  own(file: string): string {
    const { uid, gid } = unprivilegedUser()
    if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
    return file
  }

  running(program: string, args: readonly string[], { name = '', env = {} }: { name?: string; env?: object } = {}) {
    const log = join(this.folder, `${name}${program}.log`)
    const all = { PATH: process.env.PATH, HOME: this.folder, ...env }
    return new Running([findExecutable(program) ?? program, ...args], log, { ...unprivilegedUser(), env: all })
  }

  etcdctl(...args: readonly string[]) {
    const tls = ['--cacert', this.certificate('ca.crt'), '--cert', this.certificate('db1.crt')]
    const own = ['--key', this.certificate('db1.key'), '--endpoints', 'https://127.0.1.1:2379']
    const env = { ...process.env, ETCDCTL_API: '3' }
    return spawnSync(findExecutable('etcdctl') ?? '', [...tls, ...own, ...args], { env, encoding: 'utf8' })
  }

  /** A file for db1, as the machine with this number has it: its own name and addresses, on lines that name no other. */
  onMachine(name: string, number: number): string {
    return this.#file(name)
      .replaceAll(/^(?!.*127\.0\.1\.2).*$/gm, (line) => line.replaceAll('127.0.1.1', `127.0.1.${number}`))
      .replace(/^(name: |ETCD_NAME=)db1$/m, `$1db${number}`)
      .replaceAll(/\/etc\/(etcd|patroni)\/server/g, this.certificate(`db${number}`))
      .replace('/var/lib/etcd/gatehouse', join(this.folder, `db${number}`, 'etcd'))
  }

  /** This machine has no watchdog, connects to itself from one address, and has no folder of sockets for each server. */
  patroni(number: number, data: string): string {
    const own = this.certificate(`db${number}`)
    const certificates = `ssl_cert_file: ${own}.crt, ssl_key_file: ${own}.key`
    const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
    return this.onMachine('patroni.yml', number)
      .replace(/data_dir: .*/, `data_dir: ${data}`)
      .replace(/bin_dir: .*/, `bin_dir: ${bin}`)
      .replace(
        /^postgresql:$/m,
        `postgresql:\n  pgpass: ${data}.pgpass\n  parameters: { unix_socket_directories: "", ${certificates} }`,
      )
      .replaceAll(/127\.0\.[01]\.0\/\d+/g, '127.0.0.1/32')
      .replace('mode: required', 'mode: "off"')
  }

  haproxy(): string {
    return this.#file('haproxy-postgres.cfg')
      .replace('127.0.0.1:5000', `127.0.0.1:${this.primaryPort}`)
      .replace('/etc/haproxy/reader.pem', this.certificate('gatehouse1.pem'))
  }

  pgbouncer(port: number): string {
    return this.#file('pgbouncer.ini')
      .replaceAll('port=5000', `port=${this.primaryPort}`)
      .replace('listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`)
      .replace('/etc/pgbouncer/userlist.txt', join(this.folder, 'userlist.txt'))
  }

  #file(name: string): string {
    return readFileSync(join(DEPLOY, name), 'utf8')
      .replaceAll(/\b10\.0\./g, '127.0.')
      .replaceAll(/\/etc\/\w+\/ca\.crt/g, this.certificate('ca.crt'))
  }
}
