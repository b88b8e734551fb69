import { it as base } from './it.ts'
import type { Person } from './people.ts'
import { startProduct } from './product.ts'
import type { Options, Service } from './service.ts'

/** The administrator's acts on webhooks. */
class Webhooks {
  readonly #service: Service
  readonly #administrator: Person

  constructor(service: Service, administrator: Person) {
    this.#service = service
    this.#administrator = administrator
  }

  create(url: string, fields: object = {}) {
    return this.#administrator.post('/api/admin/create_webhook', { url, ...fields })
  }

  /** Gets published notifications alone. */
  async add(url: string): Promise<{ readonly id: string; readonly secret: string }> {
    return (await this.create(url, { types: ['notification.published'] })).body
  }

  update(id: string, fields: object) {
    return this.#administrator.post('/api/admin/update_webhook', { id, ...fields })
  }

  delete(id: string) {
    return this.#administrator.post('/api/admin/delete_webhook', { id })
  }

  rotateSecret(id: string) {
    return this.#administrator.post('/api/admin/rotate_webhook_secret', { id })
  }

  async list() {
    return (await this.#administrator.post('/api/admin/list_webhooks')).body
  }

  async deliveries(webhook_id: string) {
    return (await this.#administrator.post('/api/admin/list_webhook_deliveries', { webhook_id })).body
  }

  /** Publishes an event, which is not handed over yet. */
  async publish(title: string, target_user_id?: string): Promise<void> {
    await this.#administrator.post('/api/admin/create_notification', { title, content: 'C', target_user_id })
  }

  /** Publishes this many, which the lanes can then begin with. */
  async publishMany(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.publish(`${i}`)
    await this.handOver()
  }

  handOver(): Promise<void> {
    return this.#service.runJob('events')
  }

  async send(): Promise<void> {
    await this.handOver()
    await this.#service.runJob('webhooks')
  }

  async actions(): Promise<readonly string[]> {
    const { body } = await this.#administrator.post('/api/admin/list_audit_entries', {})
    const actions: string[] = body.items.map(({ action }: { action: string }) => action)
    return actions.filter((action) => action.startsWith('webhook'))
  }
}

interface Fixtures {
  readonly options: Options
  readonly webhooks: Webhooks
  /** An endpoint on this machine, which `behaviour` can change. */
  readonly product: Awaited<ReturnType<typeof startProduct>>
}

/** Has a service that can reach endpoints on this machine. */
export const it = base.extend<Fixtures>({
  options: { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } },
  webhooks: async ({ service, administrator }, use) => use(new Webhooks(service, administrator)),
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  product: async ({}, use) => {
    await using product = await startProduct()
    await use(product)
  },
})

export function titleIn(body: string): string {
  return JSON.parse(body).data.title
}
