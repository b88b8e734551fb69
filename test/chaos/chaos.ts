import { setTimeout as pause } from 'node:timers/promises'
import { administrate } from './actors/administrators.ts'
import { Browser } from './actors/browser.ts'
import { Person, type Stage } from './actors/people.ts'
import type { Shared } from './acts/act.ts'
import { check } from './checker/check.ts'
import { Facts, type Violation, violation } from './checker/facts.ts'
import { checkRestored } from './checker/restored.ts'
import { Gate } from './gate.ts'
import { History } from './history.ts'
import { leftovers } from './leftovers.ts'
import { miscounts } from './miscounts.ts'
import { hauntedBy } from './nemesis.ts'
import { readEverything, readRestored } from './quiet.ts'
import { embeddedWorld } from './worlds/embedded.ts'
import { fleetWorld } from './worlds/fleet.ts'
import { upgradeWorld } from './worlds/upgrade.ts'
import type { Kind, World } from './worlds/world.ts'

const NAMES = ['ann', 'ben', 'cara', 'dora']
const BROWSERS = ['1', '2']
const ADMINISTRATORS = ['editor', 'second']
/** The time between quiet rounds. */
const ROUND_MILLISECONDS = 18_000
/** Rows of all living users and the latest erased ones are read in a quiet round. */
const ERASED_READ = 6

interface Outcome {
  readonly kind: Kind
  readonly seed: string
  readonly history: History
  readonly violations: readonly Violation[]
  readonly faults: Readonly<Record<string, number>>
  /** Collected from the logs of all processes. */
  readonly errors: readonly string[]
}

/** Acts, faults and quiet rounds until the time is over and enough was done; then everything is checked. */
export async function runChaos(kind: Kind, seed: string, milliseconds: number, leastActs = 0): Promise<Outcome> {
  await using world = await worldOf(kind)
  const history = new History()
  const shared: Shared = { notifications: new Map(), codes: [], lives: new Map(), ids: new Map() }
  const token = await administratorsSession(world, history)
  const until = performance.now() + milliseconds
  let isOver = false
  const gate = new Gate(NAMES.length * BROWSERS.length + ADMINISTRATORS.length)
  const nemesisGate = new Gate(1)
  const stage: Stage = { world, history, shared, seed, gate, isOver: () => isOver }

  const people = NAMES.map((name) => new Person(name, stage))
  const lives = people.flatMap((person) => BROWSERS.map((browser) => person.live(browser)))
  const administrators = ADMINISTRATORS.map((lane, i) => administrate(stage, lane, token, i === 0))
  const ofBackups: Violation[] = []
  const nemesis = hauntedBy(stage, nemesisGate, async (restored, backup) => {
    const read = new History()
    await readRestored({ processes: [restored], history: read, shared, administrator: token })
    ofBackups.push(...checkRestored(history.entries, backup, read.entries))
    return actsDone(read)
  })
  const lanes = [nemesis, ...lives, ...administrators]
  const failed = Promise.all(lanes).then(() => undefined)
  try {
    for (let round = 1; !isOver; round++) {
      const left = until - performance.now()
      await Promise.race([pause(left > 0 ? Math.min(left, ROUND_MILLISECONDS) : ROUND_MILLISECONDS), failed])
      await Promise.race([Promise.all([nemesisGate.close(), gate.close()]), failed])
      await world.heal()
      forgetLongGone(shared)
      const { processes } = world
      await readEverything({ processes, history, shared, administrator: token }, round)
      isOver = performance.now() >= until && actsDone(history) >= leastActs
      gate.open()
      nemesisGate.open()
    }
  } finally {
    // Even after a failure, no actor may continue in a world that has ended.
    isOver = true
    gate.open()
    nemesisGate.open()
    await Promise.allSettled(lanes)
  }
  const faults = await nemesis
  const violations = [...check(history.entries), ...ofBackups, ...(await lasting(world, stage))]
  const errors = world.processes.flatMap((process) => process.errors)
  return { kind, seed, history, violations, faults, errors }
}

function worldOf(kind: Kind): Promise<World> {
  if (kind === 'sqlite') return embeddedWorld()
  return kind === 'postgres' ? fleetWorld() : upgradeWorld(kind)
}

function actsDone({ entries }: History): number {
  return entries.filter(({ outcome }) => outcome === 'done').length
}

function forgetLongGone({ lives }: Shared): void {
  const gone = [...lives.values()].filter(({ isOver }) => isOver)
  for (const { user } of gone.slice(0, -ERASED_READ)) lives.delete(user)
}

/** Facts that only the stores themselves show. */
async function lasting(world: World, { history, shared }: Stage): Promise<readonly Violation[]> {
  const erased = new Facts(history.entries).done('erase').map(({ deed }) => deed.user)
  const ids = [...shared.ids].filter(([user]) => erased.includes(user))
  const found = [...(await leftovers(world, history, new Map(ids))), ...(await miscounts(world))]
  const { code, stdout } = await verified(world)
  return code === 0 ? found : [...found, violation('the stores agree', [], stdout)]
}

const VERIFIED_WITHIN_MILLISECONDS = 180_000

/** A store that is slow to answer says nothing about what is in it. */
async function verified(world: World) {
  const until = performance.now() + VERIFIED_WITHIN_MILLISECONDS
  for (;;) {
    const finished = await world.run(['shards', 'verify'])
    const isStoreAway = finished.code !== 0 && /store \S+ is not available/.test(finished.stderr)
    if (!isStoreAway || performance.now() > until) return finished
  }
}

async function administratorsSession({ administrator, processes }: World, history: History): Promise<string> {
  const [at] = processes
  if (!at) throw new Error('no process is running')
  const reply = await new Browser(history, 'administrator').ask(at, '/api/auth/sign-in/email', {
    body: administrator,
  })
  if (reply.status !== 200) throw new Error(`the administrator cannot sign in: ${reply.status}`)
  return reply.body.token
}
