interface Series {
  /** Counts up to each bound and above the one before it; the last is for durations above all bounds. */
  readonly counts: number[]
  sum: number
}

/**
 * A histogram in the text form of Prometheus. `prom-client` sorts and hashes the labels at each observation, which is a
 * twentieth of a session check; here they come written.
 */
export class Durations {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  /** `labels` is their text, as in `route="/",method="GET"`. */
  observe(labels: string, seconds: number): void {
    const series = this.#series.get(labels) ?? this.#begin(labels)
    let i = 0
    while (seconds > (this.#bounds[i] ?? Number.POSITIVE_INFINITY)) i++
    series.counts[i] = (series.counts[i] ?? 0) + 1
    series.sum += seconds
  }

  #begin(labels: string): Series {
    const series = { counts: Array<number>(this.#bounds.length + 1).fill(0), sum: 0 }
    this.#series.set(labels, series)
    return series
  }

  text(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} histogram`]
    for (const [labels, { counts, sum }] of this.#series) {
      let total = 0
      for (const [i, count] of counts.entries()) {
        total += count
        lines.push(`${this.#name}_bucket{le="${this.#bounds[i] ?? '+Inf'}",${labels}} ${total}`)
      }
      lines.push(`${this.#name}_sum{${labels}} ${sum}`, `${this.#name}_count{${labels}} ${total}`)
    }
    return `${lines.join('\n')}\n`
  }
}
