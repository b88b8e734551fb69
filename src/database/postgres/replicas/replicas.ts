import type { ReplicaReport } from '../../store.ts'
import type { PgConnection } from '../pg-connection.ts'
import type { Position } from './lsn.ts'
import { Replica, type ReplicaOptions } from './replica.ts'

export interface FoundReplica {
  readonly replica: Replica
  readonly connection: PgConnection
}

/** All read replicas of one store, which take turns. */
export class Replicas {
  readonly #replicas: readonly Replica[]
  #turn = 0

  constructor(urls: readonly string[], options: Omit<ReplicaOptions, 'name' | 'url'>) {
    this.#replicas = urls.map((url, i) => new Replica({ ...options, url, name: `replica-${i + 1}` }))
  }

  get count(): number {
    return this.#replicas.length
  }

  /** A replica that has replayed `floor`: at once if one is known to, else after a short check. */
  async find(floor: Position, durable: Position): Promise<FoundReplica | undefined> {
    return this.#ready(floor, durable) ?? this.#checked(floor, durable)
  }

  report(durable: Position | undefined): readonly ReplicaReport[] {
    return this.#replicas.map(({ name, state, reached }) => ({
      name,
      state,
      behindBytes: reached && durable && Math.max(0, Number(durable.lsn - reached.lsn)),
    }))
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()))
  }

  #ready(floor: Position, durable: Position): FoundReplica | undefined {
    const first = this.#turn++
    for (let i = 0; i < this.count; i++) {
      const replica = this.#replicas[(first + i) % this.count]
      const connection = replica?.ready(floor, durable)
      if (replica && connection) return { replica, connection }
    }
    return undefined
  }

  #checked(floor: Position, durable: Position): Promise<FoundReplica | undefined> | undefined {
    const checks = this.#replicas.flatMap((replica) => {
      const check = replica.check(floor, durable)
      return check ? [check.then((connection) => connection && { replica, connection })] : []
    })
    return checks.length > 1 ? firstFound(checks) : checks[0]
  }
}

function firstFound(findings: readonly Promise<FoundReplica | undefined>[]) {
  const first = Promise.withResolvers<FoundReplica | undefined>()
  for (const finding of findings) void finding.then((found) => found && first.resolve(found))
  void Promise.all(findings).then(() => first.resolve(undefined))
  return first.promise
}
