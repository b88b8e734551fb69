import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { RecentlyUsed } from '../../src/database/recently-used.ts'
import { closeStores, openStores, type Stores } from '../../src/database/stores.ts'
import type { Router } from '../../src/http/router.ts'
import { backgroundJobs } from '../../src/jobs.ts'
import { observe } from '../../src/metric-sources.ts'
import { type Job, wakeOnInserts } from '../../src/platform/background.ts'
import { openBreaches } from '../../src/platform/breaches/breaches.ts'
import { ExpiringMap } from '../../src/platform/caches/expiring-map.ts'
import { VersionedCache } from '../../src/platform/caches/versioned-cache.ts'
import { turnstileChallenge } from '../../src/platform/challenge/challenge.ts'
import { Questions } from '../../src/platform/endpoints/questions.ts'
import { tableKeyValue } from '../../src/platform/key-value/table.ts'
import { openRefusals } from '../../src/platform/log/refusals.ts'
import { openMetrics } from '../../src/platform/metrics/metrics.ts'
import { openNames } from '../../src/platform/names/names.ts'
import { unsealing } from '../../src/platform/passwords/foreign/foreign.ts'
import { pbkdf2Passwords } from '../../src/platform/passwords/passwords.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { aesSecretBox } from '../../src/platform/secrets/secret-box.ts'
import { hmacSigner } from '../../src/platform/secrets/signer.ts'
import { LocalSignals } from '../../src/platform/signals/signals.ts'
import { NO_TRACES } from '../../src/platform/traces/traces.ts'
import { type Credentials, prepareAdministrator, prepareStores } from '../../src/prepare.ts'
import { builtPages } from './built-pages.ts'
import { CapturedMail } from './fakes/captured-mail.ts'
import { MemoryLog } from './fakes/memory-log.ts'
import { SettableClock } from './fakes/settable-clock.ts'
import { openCopies } from './stores/copies.ts'
import { freshStores } from './stores/fresh-stores.ts'
import { ask } from './without-socket.ts'

export interface Service {
  readonly platform: Platform
  readonly config: Config
  readonly clock: SettableClock
  readonly mail: CapturedMail
  readonly log: MemoryLog
  readonly administrator: Credentials
  /** Passes through the whole application, without a socket. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** Asks a second process that shares stores, clock and mail, and nothing else. */
  requestElsewhere(path: string, init?: RequestInit): Promise<Response>
  /** Does the due background work now. */
  runJob(name: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** Replaces parts of the outside world. */
  readonly platform?: Partial<Platform>
  /** Replaces parts of what each process keeps for itself. */
  readonly ofEachProcess?: () => Partial<Platform>
  /** A PostgreSQL server, whatever the run names. */
  readonly server?: string
  /** Opens the stores in another way than a process does. */
  readonly open?: typeof openStores
}

export const THIS_MACHINE = '127.0.0.1'

const PASSWORD_ITERATIONS = 1
// Fifty at once of one account fit; what does not fit has tests of its own.
const HASHES_WAITING = 1_000

/** Taken only from a test that sets them, so that the challenge is never switched on by accident. */
function challengeKeys(config: Config, env: NonNullable<Options['env']>) {
  const isSet = env.CHALLENGE_SECRET !== undefined
  return isSet ? config : { ...config, challengeSiteKey: undefined, challengeSecret: undefined }
}

/** The real application on fresh stores, with a clock to set and mail that is kept. */
export async function startService(options: Options = {}): Promise<Service> {
  const { env = {}, platform: replaced = {}, ofEachProcess = () => ({}), server } = options
  const onServer = server ?? process.env.TEST_DATABASE_URL
  const open = options.open ?? (onServer === undefined ? openCopies : openStores)
  await using opening = new AsyncDisposableStack()
  const dataDir = join(tmpdir(), 'gatehouse-no-files-here')
  const fresh = await freshStores(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'debug', ...env }), server)
  opening.defer(() => fresh.drop())
  const { config } = fresh
  const clock = new SettableClock()
  const stores = await open(config)
  opening.defer(() => closeStores(stores))
  await prepareStores(config, stores, clock.now, PASSWORD_ITERATIONS)
  const mail = new CapturedMail()
  const log = new MemoryLog()
  const challenge = turnstileChallenge(challengeKeys(config, env), log)
  const names = { ...openNames(), texts: async () => [] }
  const outside = { config, ...stores, mail, names, challenge, log, now: clock.now, ...replaced }
  const platform = { ...processWith(outside), ...ofEachProcess() }
  opening.defer(() => platform.questions.close())
  // Its timer would keep the service in memory for a minute.
  opening.defer(() => platform.refusals.flush())
  const administrator = await prepareAdministrator(platform)
  if (!administrator) throw new Error('fresh stores already have an administrator')
  observe(platform)
  const app = createApp(platform, builtPages())
  let elsewhere: Router | undefined
  const all = backgroundJobs(platform)
  wakeOnInserts(platform, all)
  const jobs = new Map<string, Job>(all.map((job) => [job.name, job]))
  const opened = opening.move()

  const service: Service = {
    platform,
    config,
    clock,
    mail,
    log,
    administrator,
    request: (path, init) => ask(app, path, init, THIS_MACHINE),
    async requestElsewhere(path, init) {
      elsewhere ??= createApp({ ...processWith(outside), ...ofEachProcess() }, builtPages())
      return ask(elsewhere, path, init, THIS_MACHINE)
    },
    async runJob(name) {
      const job = jobs.get(name)
      if (!job) throw new Error(`no background job is called ${name}`)
      await job.run()
      await job.settled?.()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
  mail.delivering(() => (jobs.has('mail') ? service.runJob('mail') : Promise.resolve()))
  return service
}

const ofProgram = new VersionedCache()

/** Shares what depends on the program alone: reading it takes as long as half a sign-up. */
class CacheOfService extends VersionedCache {
  override read<T>(name: string, version: string | number, load: () => Promise<T>): Promise<T> {
    return name === 'common-passwords' ? ofProgram.read(name, version, load) : super.read(name, version, load)
  }
}

type Outside = Stores & Pick<Platform, 'config' | 'mail' | 'names' | 'challenge' | 'log' | 'now'> & Partial<Platform>

/** A process of its own: what it keeps in memory is new, whatever it shares with others is given. */
function processWith(outside: Outside): Platform {
  const secretBox = aesSecretBox('5e'.repeat(32))
  const metrics = openMetrics('service')
  return {
    questions: new Questions(outside.config, outside.names, outside.log),
    keyValue: tableKeyValue(outside.meta, outside.now),
    secretBox,
    signer: hmacSigner('a secret for tests that is long enough'),
    passwords: pbkdf2Passwords({
      iterations: PASSWORD_ITERATIONS,
      waitingAtMost: HASHES_WAITING,
      unseal: unsealing(secretBox, outside.log),
    }),
    breaches: openBreaches(outside.config, outside.log),
    versioned: new CacheOfService(),
    memory: new ExpiringMap(),
    actingInOrganizations: new RecentlyUsed<'yes'>(100),
    background: { wake: () => undefined },
    signals: new LocalSignals(),
    metrics,
    ...openRefusals(outside.log, metrics),
    traces: NO_TRACES,
    ending: new AbortController().signal,
    close: () => closeStores(outside),
    ...outside,
  }
}
