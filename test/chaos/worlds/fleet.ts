import { setTimeout as pause } from 'node:timers/promises'
import { command, schemaUrl } from '../../postgres/databases.ts'
import { Installation } from '../../processes/installation.ts'
import { commonFaults, SHARDS } from './common-faults.ts'
import { Letters } from './letters.ts'
import { MANY_NETWORKS, prepareWorld } from './preparing.ts'
import { ReplicatedServers } from './replicated.ts'
import { ServiceProcess } from './service-process.ts'
import { type Fault, type FaultCall, lasting, type World } from './world.ts'

const NAMES = ['one', 'two', 'three']

/** Three processes, which reach a primary and a lagging replica through wires that can be cut. */
export async function fleetWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const servers = await ReplicatedServers.start()
  opening.defer(() => servers.stop())
  const installation = opening.use(new Installation())
  const mail = await Letters.open()
  opening.defer(() => mail.stop())
  await command(servers.primary.url(), SHARDS.map((id) => `create schema "${id}";`).join(''))
  const env = {
    ...storesOf(servers),
    SMTP_URL: mail.url,
    ...MANY_NETWORKS,
  }
  const { config, administrator } = await prepareWorld(installation, env)
  const processes = await Promise.all(NAMES.map((name) => ServiceProcess.started(name, installation, env)))
  const opened = opening.move()
  return {
    engine: 'postgres',
    config,
    processes,
    mail,
    administrator,
    faults: { ...commonFaults({ processes, installation, env }), ...serverFaults(servers) },
    someProcess(dice) {
      const process = processes[dice.below(processes.length)]
      if (!process) throw new Error('no process is running')
      return process
    },
    run: (args) => installation.run(args, env),
    async heal() {
      await Promise.all(processes.map((process) => process.heal()))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function storesOf({ primary, replica, primaryWire, replicaWire }: ReplicatedServers) {
  const urls = [primaryWire.through(primary.url()), replicaWire.through(replica.url())]
  const [url = '', replicaUrl = ''] = urls
  const shards = SHARDS.map((id) => {
    const places = urls.map((each) => schemaUrl(each, id))
    return `${id}:${id.slice(0, -2)}=${places.join('|')}`
  })
  return { DATABASE_URL: url, DATABASE_REPLICA_URLS: replicaUrl, SHARDS: shards.join(',') }
}

function serverFaults(servers: ReplicatedServers): Readonly<Record<string, Fault>> {
  const { primaryWire, replicaWire } = servers
  const forSome = async (call: FaultCall, happen: (milliseconds: number) => Promise<void>) => {
    const milliseconds = lasting(call.dice)
    await happen(milliseconds)
    return `for ${milliseconds} ms`
  }
  const cut = async ({ dice }: FaultCall) => {
    const isPrimary = dice.chance(0.6)
    ;(isPrimary ? primaryWire : replicaWire).cut()
    return isPrimary ? 'to the primary' : 'to the replica'
  }
  const silence = async (call: FaultCall) => {
    const wire = call.dice.chance(0.6) ? primaryWire : replicaWire
    wire.silence()
    const words = await forSome(call, (ms) => pause(ms))
    wire.open()
    return `${wire === primaryWire ? 'to the primary' : 'to the replica'} ${words}`
  }
  const freeze = (call: FaultCall) =>
    forSome(call, (ms) => servers.freeze(call.dice.chance(0.6) ? servers.primary : servers.replica, ms))
  const crash = async ({ dice }: FaultCall) => {
    const isPrimary = dice.chance(0.6)
    await (isPrimary ? servers.crashPrimary(dice) : servers.crashReplica(dice))
    return isPrimary ? 'the primary' : 'the replica'
  }
  const promote = async () => {
    await servers.promote()
    return 'with all that was acknowledged'
  }
  const promoteWithLoss = async (call: FaultCall) => {
    const lossy = call.history.begin({ kind: 'lossy' }, 'nemesis', 'servers')
    const words = await forSome(call, (ms) => servers.promoteWithLoss(() => pause(ms)))
    call.history.end(lossy, 'done', words)
    return `without the last writes, ${words}`
  }
  return {
    'connections are cut': { weight: 3, happen: cut },
    'a wire is silent': { weight: 2, happen: silence },
    'a server is frozen': { weight: 2, happen: freeze },
    'a server crashes': { weight: 1.5, happen: crash },
    'the replica does not replay': {
      weight: 1.5,
      happen: (call) => forSome(call, (ms) => servers.pauseReplay(ms)),
    },
    'the replica is promoted': { weight: 1, happen: promote },
    'the replica is promoted with loss': { weight: 1, happen: promoteWithLoss },
  }
}
