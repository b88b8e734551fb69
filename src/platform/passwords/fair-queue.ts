/** The queue is full for this caller, who gets a 503. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

interface Bounds {
  readonly atOnce: number
  /** Over all callers. */
  readonly waiting: number
  /** Over all callers; beyond `waiting`, only for the first piece of a neighbourhood. */
  readonly waitingWithNewcomers: number
  /** One for each level of the path, from the widest. */
  readonly waitingByLevel: readonly number[]
}

/**
 * Work waits in a tree, and each level takes turns: one of this neighbourhood, then one of the next; within a
 * neighbourhood by network; within a network by account. If the queue is full, the caller with the most work
 * loses its newest piece to the caller with less, so a flood crowds out only itself. If nobody has more than one
 * piece, a newcomer waits beyond that: a flood of as many networks as there are places does not shut others out.
 */
export class FairQueue {
  readonly #bounds: Bounds
  readonly #root = new Branch()
  #running = 0
  #hasEnded = false

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  get waiting(): number {
    return this.#root.size
  }

  async run<T>(path: readonly string[], work: () => Promise<T>): Promise<T> {
    await this.#turn(path)
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  /** Refuses all that wait, and everything from now on; what runs goes on. */
  end(): void {
    this.#hasEnded = true
    while (this.#root.size > 0) this.#root.dropNewest().refuse(full())
  }

  refuseIfFull(path: readonly string[]): void {
    if (this.#hasEnded) throw full()
    if (this.#running < this.#bounds.atOnce) return
    const sizes = path.map((_, level) => this.#root.sizeAt(path.slice(0, level + 1)))
    const { waiting, waitingWithNewcomers, waitingByLevel } = this.#bounds
    if (sizes.some((size, level) => size >= (waitingByLevel[level] ?? waiting))) throw full()
    if (this.waiting < waiting || this.#canCrowdOut(sizes[0] ?? 0)) return
    if (sizes[0] !== 0 || this.waiting >= waitingWithNewcomers) throw full()
  }

  #canCrowdOut(size: number): boolean {
    return size + 1 < this.#root.largest()
  }

  async #turn(path: readonly string[]): Promise<void> {
    if (!this.#hasEnded && this.#running < this.#bounds.atOnce) {
      this.#running++
      return
    }
    this.refuseIfFull(path)
    const isFull = this.waiting >= this.#bounds.waiting
    if (isFull && this.#canCrowdOut(this.#root.sizeAt(path.slice(0, 1)))) this.#root.dropNewest().refuse(full())
    await new Promise<void>((start, refuse) => this.#root.add(path, { start, refuse }))
  }

  /** The place goes straight to the next one in the queue, so nobody can jump it. */
  #passOn(): void {
    if (this.#root.size > 0) this.#root.next().start()
    else this.#running--
  }
}

function full(): QueueFull {
  return new QueueFull('too many passwords to hash at once')
}

interface Turn {
  start(): void
  refuse(error: QueueFull): void
}

/** A branch has either turns or branches; a map keeps the order in which its branches come next. */
class Branch {
  size = 0
  readonly #turns: Turn[] = []
  readonly #branches = new Map<string, Branch>()

  add([key, ...rest]: readonly string[], turn: Turn): void {
    this.size++
    if (key === undefined) {
      this.#turns.push(turn)
      return
    }
    const branch = this.#branches.get(key) ?? new Branch()
    this.#branches.set(key, branch)
    branch.add(rest, turn)
  }

  sizeAt([key, ...rest]: readonly string[]): number {
    if (key === undefined) return this.size
    return this.#branches.get(key)?.sizeAt(rest) ?? 0
  }

  largest(): number {
    return Math.max(...[...this.#branches.values()].map(({ size }) => size))
  }

  next(): Turn {
    this.size--
    const own = this.#turns.shift()
    if (own) return own
    const [key, branch] = firstOf(this.#branches)
    this.#branches.delete(key)
    const turn = branch.next()
    if (branch.size > 0) this.#branches.set(key, branch)
    return turn
  }

  dropNewest(): Turn {
    this.size--
    const own = this.#turns.pop()
    if (own) return own
    const size = this.largest()
    const [key, branch] = firstOf([...this.#branches].filter(([, one]) => one.size === size))
    const turn = branch.dropNewest()
    if (branch.size === 0) this.#branches.delete(key)
    return turn
  }
}

function firstOf<T>(values: Iterable<T>): T {
  for (const value of values) return value
  throw new Error('nothing waits here')
}
