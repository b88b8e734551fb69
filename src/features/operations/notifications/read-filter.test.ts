import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { people } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'

/** What Ann should see, kept in the simplest way, to compare with the service. */
class Model {
  readonly #service: Service
  readonly #persons: Awaited<ReturnType<typeof people>>
  #visible: readonly string[] = []
  readonly #read = new Set<string>()
  readonly #titles = new Map<string, string>()

  constructor(service: Service, persons: Awaited<ReturnType<typeof people>>) {
    this.#service = service
    this.#persons = persons
  }

  async publish(to: 'all' | 'ann' | 'ben'): Promise<void> {
    this.#service.clock.advance({ seconds: 1 })
    const target_user_id = { all: null, ann: this.#persons.ann.id, ben: this.#persons.ben.id }[to]
    const sent = { title: 'T', content: 'C', target_user_id }
    const { body } = await this.#persons.administrator.post('/api/admin/create_notification', sent)
    this.#titles.set(body.id, sent.title)
    if (to !== 'ben') this.#visible = [body.id, ...this.#visible]
  }

  async archive(which: number): Promise<void> {
    await this.#persons.administrator.post('/api/admin/archive_notification', { id: this.#idOf(which) })
    this.#visible = this.#visible.filter((id) => id !== this.#idOf(which))
  }

  async edit(which: number): Promise<void> {
    const id = this.#idOf(which)
    const edited = { id, title: `${this.#titles.get(id)}, edited` }
    await this.#persons.administrator.post('/api/admin/update_notification', edited)
    if (this.#titles.has(id)) this.#titles.set(id, edited.title)
  }

  async read(which: number): Promise<void> {
    await this.#persons.ann.post('/api/read_notification', { id: this.#idOf(which) })
    this.#read.add(this.#idOf(which))
  }

  async readAll(): Promise<void> {
    await this.#persons.ann.post('/api/read_all_notifications')
    for (const id of this.#visible) this.#read.add(id)
  }

  async compare(): Promise<void> {
    for (const read of [true, false]) {
      const { body } = await this.#persons.ann.post('/api/list_notifications', { read, page_size: 100 })
      const expected = this.#visible.filter((id) => this.#read.has(id) === read)
      const shown = body.items.map(({ id, title }: { id: string; title: string }) => [id, title])
      const titled = expected.map((id) => [id, this.#titles.get(id)])
      assert.deepEqual([shown, body.total], [titled, expected.length])
    }
  }

  #idOf(which: number): string {
    return this.#visible[which] ?? 'nothing'
  }
}

type Step = (model: Model) => Promise<void>

const publish = fc.constantFrom('all', 'ann', 'ben').map(
  (to): Step =>
    (model) =>
      model.publish(to),
)
const ofOne = fc.tuple(fc.constantFrom('archive', 'edit', 'read'), fc.nat({ max: 5 })).map(
  ([act, which]): Step =>
    (model) =>
      model[act](which),
)
const readAll = fc.constant<Step>((model) => model.readAll())
const steps = fc.oneof(publish, { weight: 3, arbitrary: ofOne }, readAll)

describe('list_notifications with a read filter', () => {
  it('rule 4: is right after any sequence of publishing, editing, archiving and reading', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 20 }), async (taken) => {
        await using service = await startService()
        const model = new Model(service, await people(service))

        // There is something to edit from the start.
        const first: readonly Step[] = [() => model.publish('all'), () => model.edit(0)]
        for (const step of [...first, ...taken]) {
          await step(model)
          await model.compare()
        }
      }),
      { numRuns: 5 },
    )
  })
})
