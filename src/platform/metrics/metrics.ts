import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { Durations, type Series } from './durations.ts'

/** What `/metrics` shows. */
export interface Metrics {
  /** How long requests of one route, method and status take. */
  requests(route: string, method: string, status: number): Series
  store(store: string): Series
  /** Counts things that have no metric of their own: refusals by code, mails by outcome. */
  count(name: string, label: string): void
  /** Read when the page is requested. */
  gauge(name: string, read: () => number | Promise<number>): void
  /** The same, with a value for each of several labels. */
  gauges<Label extends string>(
    name: string,
    labels: readonly Label[],
    read: () => readonly (readonly [Readonly<Record<Label, string>>, number])[],
  ): void
  text(): Promise<string>
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const STORE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1]

/** One registry for each service; the process's own metrics belong to the first service of a process. */
export function openMetrics(include: 'service' | 'service-and-process'): Metrics {
  const registry = new Registry()
  if (include === 'service-and-process') collectDefaultMetrics({ register: registry })
  const requests = new Durations({
    name: 'gatehouse_request_seconds',
    help: 'time to answer a request',
    labels: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
  })
  const stores = new Durations({
    name: 'gatehouse_store_seconds',
    help: 'time a store takes',
    labels: ['store'],
    buckets: STORE_SECONDS,
  })
  const counters = new Map<string, Counter<'kind'>>()

  return {
    requests: (route, method, status) => requests.of(route, method, status),
    store: (store) => stores.of(store),
    count(name, label) {
      const counter = counters.get(name) ?? newCounter(registry, name)
      counters.set(name, counter)
      counter.labels(label).inc()
    },
    gauge(name, read) {
      const collect = async function (this: Gauge) {
        this.set(await read())
      }
      new Gauge({ name: `gatehouse_${name}`, help: words(name), registers: [registry], collect })
    },
    gauges(name, labelNames, read) {
      const collect = function (this: Gauge) {
        this.reset()
        for (const [labels, value] of read()) this.set(labels, value)
      }
      new Gauge({ name: `gatehouse_${name}`, help: words(name), labelNames, registers: [registry], collect })
    },
    text: async () => `${await registry.metrics()}${requests.text()}${stores.text()}`,
  }
}

function newCounter(registry: Registry, name: string): Counter<'kind'> {
  return new Counter({
    name: `gatehouse_${name}_total`,
    help: words(name),
    labelNames: ['kind'],
    registers: [registry],
  })
}

function words(name: string): string {
  return name.replaceAll('_', ' ')
}
