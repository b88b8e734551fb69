import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type Person, people } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'

/** What Ann should see, kept in the simplest way, to compare with the service. */
class Model {
  readonly #service: Service
  readonly #administrator: Person
  readonly #ann: Person
  readonly #ben: Person
  #visible: readonly string[] = []
  readonly #read = new Set<string>()
  readonly #titles = new Map<string, string>()

  constructor(service: Service, administrator: Person, ann: Person, ben: Person) {
    this.#service = service
    this.#administrator = administrator
    this.#ann = ann
    this.#ben = ben
  }

  async publish(to: 'all' | 'ann' | 'ben'): Promise<void> {
    this.#service.clock.advance({ seconds: 1 })
    const target_user_id = { all: null, ann: this.#ann.id, ben: this.#ben.id }[to]
    const sent = { title: 'T', content: 'C', target_user_id }
    const { body } = await this.#administrator.post('/api/admin/create_notification', sent)
    this.#titles.set(body.id, sent.title)
    if (to !== 'ben') this.#visible = [body.id, ...this.#visible]
  }

  async archive(which: number): Promise<void> {
    await this.#administrator.post('/api/admin/archive_notification', { id: this.#idOf(which) })
    this.#visible = this.#visible.filter((id) => id !== this.#idOf(which))
  }

  async edit(which: number): Promise<void> {
    const id = this.#idOf(which)
    const edited = { id, title: `${this.#titles.get(id)}, edited` }
    await this.#administrator.post('/api/admin/update_notification', edited)
    if (this.#titles.has(id)) this.#titles.set(id, edited.title)
  }

  async read(which: number): Promise<void> {
    await this.#ann.post('/api/read_notification', { id: this.#idOf(which) })
    this.#read.add(this.#idOf(which))
  }

  async readAll(): Promise<void> {
    await this.#ann.post('/api/read_all_notifications')
    for (const id of this.#visible) this.#read.add(id)
  }

  async compare(): Promise<void> {
    for (const read of [true, false]) {
      const { body } = await this.#ann.post('/api/list_notifications', { read, page_size: 100 })
      const expected = this.#visible.filter((id) => this.#read.has(id) === read)
      assert.deepEqual(
        body.items.map(({ id, title }: { id: string; title: string }) => [id, title]),
        expected.map((id) => [id, this.#titles.get(id)]),
      )
      assert.equal(body.total, expected.length)
    }
  }

  #idOf(which: number): string {
    return this.#visible[which] ?? 'nothing'
  }
}

type Step = (model: Model) => Promise<void>

const steps = fc.oneof(
  fc.constantFrom('all', 'ann', 'ben').map(
    (to): Step =>
      (model) =>
        model.publish(to),
  ),
  fc.nat({ max: 5 }).map(
    (which): Step =>
      (model) =>
        model.archive(which),
  ),
  fc.nat({ max: 5 }).map(
    (which): Step =>
      (model) =>
        model.edit(which),
  ),
  fc.nat({ max: 5 }).map(
    (which): Step =>
      (model) =>
        model.read(which),
  ),
  fc.constant<Step>((model) => model.readAll()),
)

describe('list_notifications with a read filter', () => {
  it('rule 4: is right after any sequence of publishing, editing, archiving and reading', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 20 }), async (taken) => {
        await using service = await startService()
        const { administrator, ann, ben } = await people(service)
        const model = new Model(service, administrator, ann, ben)

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
