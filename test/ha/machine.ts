import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { mountSmallDisk, unmount } from '../faults/support/small-disk.ts'
import { descendants } from '../processes/process-tree.ts'
import type { Running } from './programs.ts'
import type { Site } from './site.ts'

/** Room for a gigabyte of the log that PostgreSQL keeps, and for its data. */
const DISK_MEGABYTES = 2048

/** A machine of the database: etcd, PostgreSQL, and the Patroni that watches it. */
export class Machine {
  readonly name: string
  readonly host: string
  readonly etcd: Running
  readonly patroni: Running
  /** The disk of PostgreSQL alone, if one can be mounted here. */
  readonly disk = mountSmallDisk(DISK_MEGABYTES)
  readonly #data: string

  constructor(site: Site, number: number) {
    this.name = `db${number}`
    this.host = `127.0.1.${number}`
    const folder = join(site.folder, this.name)
    mkdirSync(folder)
    site.own(folder)
    if (this.disk !== undefined) site.own(this.disk)
    this.#data = join(this.disk ?? folder, 'postgresql')
    const etcd = parseEnv(site.onMachine('etcd.env', number))
    this.etcd = site.running('etcd', [], { name: this.name, env: etcd })
    const file = site.write(`${this.name}/patroni.yml`, site.patroni(number, this.#data))
    this.patroni = site.running('patroni', [file], { name: this.name })
  }

  /** Makes it look as if the machine had lost its power, but for etcd. */
  async kill(): Promise<void> {
    const server = this.#server()
    await this.patroni.end('SIGKILL')
    if (server !== undefined) process.kill(server, 'SIGKILL')
  }

  /** As a crash of PostgreSQL alone would. */
  killServer(): void {
    const server = this.#server()
    if (server === undefined) throw new Error(`${this.name} has no server`)
    process.kill(server, 'SIGKILL')
  }

  /** Signals every process of the database. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const server = this.#server()
    const all = [...this.patroni.pids(), ...(server === undefined ? [] : [server, ...descendants(server)])]
    for (const pid of new Set(all)) if (existsSync(`/proc/${pid}`)) process.kill(pid, signal)
  }

  async endAtOnce(): Promise<void> {
    this.signal('SIGCONT')
    await this.kill()
    await this.etcd.end('SIGKILL')
    if (this.disk !== undefined) unmount(this.disk)
  }

  /** PostgreSQL's main process, which is not a child of Patroni's, so that it can outlive it. */
  #server(): number | undefined {
    const file = join(this.#data, 'postmaster.pid')
    if (!existsSync(file)) return undefined
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    return existsSync(`/proc/${pid}`) ? pid : undefined
  }
}
