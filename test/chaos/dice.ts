import { createHash } from 'node:crypto'

/** Chance by seed: the same seed gives the same throws. */
export class Dice {
  readonly #seed: string
  #state: number

  constructor(seed: string) {
    this.#seed = seed
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE()
  }

  /** Other dice, whose throws do not depend on how often these were thrown. */
  named(name: string): Dice {
    return new Dice(`${this.#seed}/${name}`)
  }

  /** A number from 0 up to, not including, 1 (mulberry32). */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  below(limit: number): number {
    return Math.floor(this.share() * limit)
  }

  chance(share: number): boolean {
    return this.share() < share
  }

  oneOf<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)]
  }

  /** One name, each as often as its weight says. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][]
    let left = this.share() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    throw new Error('nothing to choose from')
  }
}
