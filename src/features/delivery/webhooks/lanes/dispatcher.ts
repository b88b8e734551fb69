import { v4 as newId } from 'uuid'
import type { Job } from '../../../../platform/background.ts'
import { Transport } from '../../../../platform/endpoints/transport.ts'
import { RepeatedFailure } from '../../../../platform/log/repeated-failure.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { addressesOutside } from '../../../../platform/public-addresses.ts'
import { ORDER_MOVED } from '../../../ground/events/order.ts'
import { WEBHOOKS_JOB } from '../webhooks.ts'
import { Lane } from './lane.ts'
import * as store from './store.ts'

const GATHER_MILLISECONDS = 10

/** Runs a lane for each endpoint that has work and that no other process works on. */
export class Dispatcher {
  readonly #platform: Platform
  readonly #owner = newId()
  readonly #transport: Transport
  readonly #failures = new Map<string, RepeatedFailure>()
  readonly #lanes = new Map<string, { readonly lane: Lane; readonly ended: Promise<void> }>()

  constructor(
    platform: Platform,
    transport: Transport = new Transport(addressesOutside(platform.config.webhookNetworks), platform.names),
  ) {
    this.#platform = platform
    this.#transport = transport
  }

  /** Starts lanes for the work that is due, and does not wait for them. */
  async turn(): Promise<void> {
    const { meta, now } = this.#platform
    const [workable] = await meta.snapshot([store.workableWebhooks(meta, this.#owner, now())], 'primary')
    for (const { id } of workable) {
      const known = this.#lanes.get(id)
      if (known) known.lane.wake()
      else this.#start(id)
    }
  }

  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all([...this.#lanes.values()].map(({ ended }) => ended))
  }

  async close(): Promise<void> {
    await this.idle()
    this.#transport.close()
  }

  #start(id: string): void {
    const lane = new Lane(this.#platform, this.#transport, id, this.#owner)
    const ended = lane
      .run()
      .then(
        () => this.#ended(id),
        (error: unknown) => this.#failed(id, error),
      )
      .finally(() => this.#lanes.delete(id))
    this.#lanes.set(id, { lane, ended })
  }

  #failed(id: string, error: unknown): void {
    const failure = this.#failures.get(id) ?? this.#failureOf(id)
    this.#failures.set(id, failure)
    failure.failed(error, 'error')
  }

  #failureOf(id: string): RepeatedFailure {
    return new RepeatedFailure(this.#platform.log.child({ webhook: id }), {
      failed: 'the deliveries of a webhook are delayed',
      ended: 'the deliveries of a webhook are no longer delayed',
    })
  }

  #ended(id: string): void {
    this.#failures.get(id)?.ended()
  }
}

export function webhooksJob(platform: Platform): Job {
  const dispatcher = new Dispatcher(platform)
  platform.signals.onSignal(ORDER_MOVED, () => platform.background.wake(WEBHOOKS_JOB))
  return {
    name: WEBHOOKS_JOB,
    everySeconds: 1,
    gatherMilliseconds: GATHER_MILLISECONDS,
    run: () => dispatcher.turn(),
    settled: () => dispatcher.idle(),
  }
}
