/** One benchmark; a row is one thing measured, peers beside ours. */
export interface Measure {
  readonly title: string
  run(): Promise<readonly Row[]>
}

export type Row = Readonly<Record<string, string | number>>

/** The value below which this share of them lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
