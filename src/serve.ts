import type { Server } from 'node:http'
import { type AddressInfo, Server as Listener } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp } from './app.ts'
import { type Config, DEFAULT_SYSTEM_EMAIL } from './config/config.ts'
import { unlessUnavailable } from './database/store.ts'
import { closeStores, openStores } from './database/stores.ts'
import { replaceClosedKeys } from './features/ground/signing/keys.ts'
import { keepAddress } from './features/ground/troubles/address.ts'
import { warnOfTroubles } from './features/ground/troubles/troubles.ts'
import { findAdministrator } from './features/people/users/statements.ts'
import { Router } from './http/router.ts'
import { RunningRequests } from './http/running-requests.ts'
import { newServer } from './http/server.ts'
import { backgroundJobs } from './jobs.ts'
import { observe } from './metric-sources.ts'
import { refuseInterruptedRestore } from './operator/backup/restore.ts'
import { acceptCommands } from './operator/moving/command-socket.ts'
import { refuseNoInstallation } from './operator/no-installation.ts'
import { wakeOnInserts } from './platform/background.ts'
import { hasEmbeddedStore, inTurn, lockDataFolder } from './platform/data-folder.ts'
import { openLog } from './platform/log/log.ts'
import { type OpenedPlatform, openPlatform } from './platform/open.ts'
import { prepareSecrets } from './platform/secrets/secrets.ts'
import { type Credentials, prepareAdministrator, prepareStores, recommendedPasswordIterations } from './prepare.ts'
import { OperatorError } from './rules/operator-error.ts'
import { within } from './rules/time.ts'

/** Stores opened and prepared, secrets read, the administrator created. */
export interface Prepared {
  readonly platform: OpenedPlatform
  /** Set only when this preparation made the administrator. */
  readonly credentials: Credentials | undefined
}

export function prepare(config: Config): Promise<Prepared> {
  return inTurn(config, () => prepareNow(config))
}

/** Used by commands that need an installation: in a wrong place they fail instead of making one. */
export function prepareExisting(config: Config): Promise<Prepared> {
  return inTurn(config, async () => {
    refuseInterruptedRestore(config)
    await refuseNoInstallation(config)
    return prepareNow(config)
  })
}

async function prepareNow(config: Config): Promise<Prepared> {
  refuseInterruptedRestore(config)
  const platform = await openPrepared(config)
  try {
    await refuseNobodysAddress(platform)
    return { platform, credentials: await prepareAdministrator(platform) }
  } catch (error) {
    await platform.close()
    throw error
  }
}

/** No letter would ever reach the administrator, and the address of a new installation is asked for once. */
async function refuseNobodysAddress({ config, meta }: OpenedPlatform): Promise<void> {
  if (config.isLocal || config.systemEmail !== DEFAULT_SYSTEM_EMAIL || (await findAdministrator(meta))) return
  throw new OperatorError('SYSTEM_EMAIL is not set; it will be the administrator’s address, so set it to yours')
}

async function openPrepared(config: Config): Promise<OpenedPlatform> {
  const log = await openLog(config)
  const secrets = await prepareSecrets(config)
  const stores = await openStores(config)
  try {
    const iterations = await prepareStores(config, stores, Date.now, recommendedPasswordIterations, {
      starts: (store, migration) => log.info({ store, migration }, 'migration starts'),
      migrated: (store, migrations) => log.info({ store, migrations }, 'schema migrated'),
    })
    return await openPlatform(config, stores, secrets, iterations)
  } catch (error) {
    await closeStores(stores)
    throw error
  }
}

interface Serving {
  readonly address: AddressInfo
  /**
   * Fails the readiness check, takes no more requests, finishes the running ones and closes the stores,
   * within ten seconds.
   */
  stop(): Promise<void>
}

/** `prepared` is called before anything else can fail: a new password can be shown only then. */
export async function serve(config: Config, prepared: (first?: Credentials) => void): Promise<Serving> {
  await using opened = new AsyncDisposableStack()
  const release = await lockDataFolder(config)
  opened.defer(release)
  const { platform, credentials } = await prepare(config)
  opened.defer(() => platform.close())
  prepared(credentials)
  const running = new RunningRequests()
  const server = openServer(platform, running)
  const address = await listen(server, config.host, config.port)
  opened.defer(() => {
    platform.end()
    return stopTaking(server)
  })
  observe(platform)
  await keepAddress(platform).catch(unlessUnavailable)
  await replaceClosedKeys(platform)
  await warnOfTroubles(platform)
  const figures = await serveFigures(platform)
  opened.defer(() => Promise.all(figures.map((one) => stopTaking(one))).then(() => undefined))
  const jobs = backgroundJobs(platform)
  platform.background.start(jobs)
  wakeOnInserts(platform, jobs)
  const stopTakingOrders = hasEmbeddedStore(config) ? await acceptCommands(platform) : async () => undefined
  // Nothing can fail any more: from here on only `stop` ends all this.
  opened.move()
  const stop = async () => {
    platform.end()
    await wait(config.drainSeconds * 1000)
    const hashing = setTimeout(() => platform.passwords.end(), HASHES_MILLISECONDS)
    const idle = config.drainSeconds > 0 ? IDLE_AT_END_MILLISECONDS : 0
    await Promise.all([stopTakingOrders(), stopTaking(server, idle), ...figures.map((one) => stopTaking(one))])
    clearTimeout(hashing)
    platform.passwords.end()
    // Requests whose connection was closed still use the stores.
    await within(LAST_MILLISECONDS, running.ended())
    platform.refusals.flush()
    await platform.close()
    await release()
  }
  return { address, stop }
}

const FINISH_MILLISECONDS = 4_000
const IDLE_AT_END_MILLISECONDS = 1_000
/** A request that is incomplete by then was abandoned by its client. */
const WHOLE_AT_END_MILLISECONDS = 1_000
/** Sign-ins that still wait for a core then are refused, while they can be sent to another process. */
const HASHES_MILLISECONDS = 2_000
const LAST_MILLISECONDS = 1_000
function openServer(platform: OpenedPlatform, running: RunningRequests): Server {
  const { handle } = createApp(platform)
  return newServer(platform, (incoming, outgoing) => {
    const answering = handle(incoming, outgoing)
    running.add(answering)
    return answering
  })
}

/** METRICS_PORT: `/metrics` and nothing else, for every caller that can reach that port. */
async function serveFigures(platform: OpenedPlatform): Promise<readonly Server[]> {
  const { config, metrics } = platform
  if (config.metricsPort === undefined) return []
  const router = new Router()
  router.on('GET', '/metrics', async (_, outgoing) => {
    const text = await metrics.text()
    outgoing.writeHead(200, { 'content-type': 'text/plain; charset=UTF-8', 'content-length': Buffer.byteLength(text) })
    outgoing.end(text)
  })
  const server = newServer(platform, router.handle)
  await listen(server, config.host, config.metricsPort)
  return [server]
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server.address() as AddressInfo))
  })
}

/**
 * The next response on a kept connection tells the proxy that it ends: closing an idle one would fail a request that is
 * just being sent. Busy ones get their response first.
 */
function stopTaking(server: Server, idleMilliseconds = 0): Promise<void> {
  server.headersTimeout = WHOLE_AT_END_MILLISECONDS
  server.requestTimeout = WHOLE_AT_END_MILLISECONDS
  return new Promise((resolve) => {
    const idle = setTimeout(() => server.closeIdleConnections(), idleMilliseconds)
    const late = setTimeout(() => server.closeAllConnections(), FINISH_MILLISECONDS)
    // Closes only the listener: `close` on a server also closes its idle connections.
    Listener.prototype.close.call(server, () => {
      clearTimeout(idle)
      clearTimeout(late)
      server.close()
      resolve()
    })
  })
}
