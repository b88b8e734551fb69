import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { unlessUnavailable } from '../../database/store.ts'
import { within } from '../../rules/time.ts'
import { Durations } from './durations.ts'

export type Values<Label extends string> = readonly (readonly [Readonly<Record<Label, string>>, number])[]

/** The text of `/metrics`. */
export interface Metrics {
  /** Durations of requests by route, method and status. */
  requestTook(seconds: number, route: string, method: string, status: number): void
  storeTook(seconds: number, store: string): void
  /** Counts things that have no metric of their own: refusals by code, mails by outcome. */
  count(name: string, value: string): void
  /** Shown from the start, at zero, so that the first one counted is seen as an increase. */
  counter(name: string, label: string, values: readonly string[]): void
  /** Read when the page is requested. A value that does not come in time is left out. */
  gauge(name: string, read: () => number | Promise<number>): void
  /** The same, with a value for each of several labels. */
  gauges<Label extends string>(
    name: string,
    labels: readonly Label[],
    read: () => Values<Label> | Promise<Values<Label>>,
  ): void
  /** Read once for all who request it meanwhile. */
  text(): Promise<string>
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STORE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 2.5, 5, 10, 30]

/** One registry for each service; the process's own metrics belong to the first service of a process. */
export function openMetrics(include: 'service' | 'service-and-process'): Metrics {
  const registry = new Registry()
  if (include === 'service-and-process') collectDefaultMetrics({ register: registry })
  const requests = new Durations('gatehouse_request_seconds', 'time to answer a request', REQUEST_SECONDS)
  const stores = new Durations('gatehouse_store_seconds', 'time a store takes', STORE_SECONDS)
  const counters = new Map<string, Counter>()

  return {
    requestTook: (seconds, route, method, status) =>
      requests.observe(`route="${route}",method="${method}",status="${status}"`, seconds),
    storeTook: (seconds, store) => stores.observe(`store="${store}"`, seconds),
    count(name, value) {
      const counter = counters.get(name) ?? newCounter(registry, name, 'kind')
      counters.set(name, counter)
      counter.labels(value).inc()
    },
    counter(name, label, values) {
      const counter = newCounter(registry, name, label)
      counters.set(name, counter)
      for (const value of values) counter.labels(value).inc(0)
    },
    gauge(name, read) {
      const collect = async function (this: Gauge) {
        this.set((await inTime(read)) ?? Number.NaN)
      }
      new Gauge({ name: `gatehouse_${name}`, help: words(name), registers: [registry], collect })
    },
    gauges(name, labelNames, read) {
      const collect = async function (this: Gauge) {
        const values = await inTime(read)
        this.reset()
        for (const [labels, value] of values ?? []) this.set(labels, value)
      }
      new Gauge({ name: `gatehouse_${name}`, help: words(name), labelNames, registers: [registry], collect })
    },
    text: shared(async () => `${await registry.metrics()}\n${requests.text()}\n${stores.text()}`),
  }
}

/** Calls that come while one is under way get the result of that one. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= read().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

const PATIENCE_MILLISECONDS = 3_000

/** A store that is down or silent must not take the other metrics away. */
async function inTime<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  return within(PATIENCE_MILLISECONDS, (async () => read())().catch(unlessUnavailable))
}

function newCounter(registry: Registry, name: string, label: string): Counter {
  return new Counter({
    name: `gatehouse_${name}_total`,
    help: words(name),
    labelNames: [label],
    registers: [registry],
  })
}

function words(name: string): string {
  return name.replaceAll('_', ' ')
}
