import type { ApplicationRefusalTable } from '../../../database/schema/products/applications.ts'
import type { Meta } from '../../../database/store.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { neighbourhoodOf } from '../../../rules/networks.ts'
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import * as store from './store.ts'

const JOB = 'application-refusals'
const AT_ONCE = 500
/** Strangers can cause refusals with a public client ID, so each application has no more in a minute. */
const MOST_A_MINUTE = 20
/** Limited for each network, so that one network cannot hide an application's real refusals. */
const MOST_OF_A_NETWORK = 5

interface Noted {
  /** The refusals that are not written yet. */
  readonly waiting: ApplicationRefusalTable[]
  /** One write at a time. */
  writing: Promise<void> | undefined
  minute: Minute
}

interface Minute {
  readonly startedAt: number
  /** Refusals by application. */
  readonly noted: Map<string, Set<string>>
}

/** The refusals that this process has noted, by the store they belong to. */
const notedOf = new WeakMap<Meta, Noted>()

/** The OAuth error and description sent to the client. */
interface Refused {
  readonly error: string
  readonly error_description: string
}

/** Notes for the administrator what an application was refused. It is written soon, within the limits above. */
export function noteRefusal({ meta, background, now }: Platform, exchange: Exchange, refused: Refused): void {
  const { application, path: endpoint, sender } = exchange
  if (application === undefined || PART_OF_A_FLOW.has(refused.error)) return
  const at = now()
  const noted: Noted = notedOf.get(meta) ?? { waiting: [], writing: undefined, minute: startingAt(at) }
  notedOf.set(meta, noted)
  if (Math.abs(at - noted.minute.startedAt) >= MINUTE_MILLISECONDS) noted.minute = startingAt(at)
  const { error, error_description: description } = refused
  const network = `${neighbourhoodOf(sender.address)} `
  if (!hasRoom(noted.minute, application, network, `${network}${endpoint} ${error} ${description}`)) return
  noted.waiting.push({
    ...{ id: newId(), application_id: application, created_at: at },
    ...{ error, description, endpoint, ip: sender.address },
  })
  if (noted.waiting.length === 1) background.wake(JOB)
}

/** These errors report what the user has not done or has decided, and nothing about the client's configuration. */
const PART_OF_A_FLOW: ReadonlySet<string> = new Set([
  'access_denied',
  'authorization_pending',
  'consent_required',
  'expired_token',
  'interaction_required',
  'login_required',
  'slow_down',
])

function startingAt(startedAt: number): Minute {
  return { startedAt, noted: new Map() }
}

function hasRoom({ noted }: Minute, application: string, network: string, what: string): boolean {
  const before = noted.get(application) ?? new Set()
  if (before.size >= MOST_A_MINUTE || before.has(what)) return false
  if ([...before].filter((one) => one.startsWith(network)).length >= MOST_OF_A_NETWORK) return false
  noted.set(application, before.add(what))
  return true
}

/** Returns once everything noted before is written, even if another caller writes it. */
async function writeRefusals({ meta }: Pick<Platform, 'meta'>): Promise<void> {
  const noted = notedOf.get(meta)
  while (noted && noted.waiting.length > 0) {
    noted.writing ??= writeSome(meta, noted.waiting).finally(() => {
      noted.writing = undefined
    })
    await noted.writing
  }
}

async function writeSome(meta: Meta, waiting: ApplicationRefusalTable[]): Promise<void> {
  const some = waiting.slice(0, AT_ONCE)
  await store.insertRefusals(meta, some)
  waiting.splice(0, some.length)
}

/** Lists the refusals of the last day, newest first. */
export async function listRefusals(platform: Platform, applicationId: string) {
  await writeRefusals(platform)
  const { meta, now } = platform
  const rows = await store.refusalsSince(meta, applicationId, now() - DAY_MILLISECONDS)
  const items = rows.map(({ created_at: at, error, description: error_description, endpoint, ip }) => {
    return { at, error, error_description, endpoint, ip }
  })
  return { items, total: items.length }
}

export function refusalJobs(platform: Platform): readonly Job[] {
  const { meta, now } = platform
  return [
    { name: JOB, everySeconds: 60, gatherMilliseconds: 1_000, run: () => writeRefusals(platform) },
    {
      name: 'application-refusals-sweep',
      everySeconds: 3_600,
      run: () => store.deleteRefusalsBefore(meta, now() - DAY_MILLISECONDS),
    },
  ]
}
