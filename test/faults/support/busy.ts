import { EventEmitter, once } from 'node:events'
import type { Balancer } from '../../processes/balancer.ts'
import { Person } from '../../service/people.ts'

export interface Busy {
  /** Resolves when every user has completed that many more rounds. */
  roundsOfAll(count: number): Promise<void>
  stop(): Promise<Done>
}

interface Done {
  /** The number of responses by status. */
  readonly answers: Readonly<Record<number, number>>
  /** Responses other than 200. */
  readonly refusals: readonly string[]
  /** Acknowledged feedback that is not there. */
  readonly lost: readonly string[]
}

/** People who write and read, one act after the other, through the balancer. */
export async function keepBusy(balancer: Pick<Balancer, 'request'>, names: readonly string[]): Promise<Busy> {
  const rounds = new Map<string, number>()
  const ticks = new EventEmitter()
  const answers: Record<number, number> = {}
  const refusals: string[] = []
  let isOn = true

  async function live(name: string): Promise<readonly string[]> {
    const person = new Person(balancer, `${name}@example.com`, 'a raft of seven logs')
    await person.signUp()
    const written: string[] = []
    while (isOn) {
      const sent = await person.post('/api/submit_feedback', { type: 'load', content: name })
      if (sent.status === 200) written.push(sent.body.id)
      const read = await person.post('/api/list_notifications')
      const session = await person.get('/api/auth/get-session')
      for (const { status, body } of [sent, read, session]) {
        answers[status] = (answers[status] ?? 0) + 1
        if (status !== 200) refusals.push(`${status} ${JSON.stringify(body)}`)
      }
      rounds.set(name, (rounds.get(name) ?? 0) + 1)
      ticks.emit('round')
    }
    const kept = await feedbacksOf(person)
    return written.filter((id) => !kept.has(id))
  }

  async function feedbacksOf(person: Person): Promise<ReadonlySet<string>> {
    const { status, body } = await person.post('/api/export_account')
    if (status !== 200) throw new Error(`the export was refused: ${status} ${JSON.stringify(body)}`)
    return new Set(body.feedbacks.map(({ id }: { id: string }) => id))
  }

  const lives = names.map(live)
  return {
    async roundsOfAll(count) {
      const goals = names.map((name) => [name, (rounds.get(name) ?? 0) + count] as const)
      // One that fails would never get there.
      while (goals.some(([name, goal]) => (rounds.get(name) ?? 0) < goal))
        await Promise.race([once(ticks, 'round'), Promise.all(lives)])
    },
    async stop() {
      isOn = false
      return { answers, refusals, lost: (await Promise.all(lives)).flat() }
    },
  }
}
