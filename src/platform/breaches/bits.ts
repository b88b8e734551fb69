/** Rice code: the upper bits of a number as so many ones and a zero, then its lower bits as they are. */
export class BitWriter {
  readonly #bytes: Buffer
  #bits = 0

  constructor(bytesAtMost: number) {
    this.#bytes = Buffer.alloc(bytesAtMost)
  }

  hasRoom(value: number, lowerBits: number): boolean {
    return this.#bits + Math.floor(value / 2 ** lowerBits) + 1 + lowerBits <= this.#bytes.length * 8
  }

  add(value: number, lowerBits: number): void {
    for (let ones = Math.floor(value / 2 ** lowerBits); ones > 0; ones--) this.#push(1)
    this.#push(0)
    for (let at = lowerBits - 1; at >= 0; at--) this.#push((value >>> at) & 1)
  }

  /** Empties the writer; the bytes are good until the next `add`. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, Math.ceil(this.#bits / 8))
    this.#bits = 0
    return taken
  }

  #push(bit: number): void {
    const at = this.#bits >>> 3
    if ((this.#bits & 7) === 0) this.#bytes[at] = 0
    this.#bytes[at] = (this.#bytes[at] ?? 0) | (bit << (7 - (this.#bits & 7)))
    this.#bits++
  }
}

export class BitReader {
  readonly #bytes: Uint8Array
  #bits = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Undefined past the last number: what fills the last byte is zeros, and too few of them for another. */
  next(lowerBits: number): number | undefined {
    let upper = 0
    while (this.#pull() === 1) upper++
    let lower = 0
    for (let at = 0; at < lowerBits; at++) lower = (lower << 1) | this.#pull()
    return this.#bits > this.#bytes.length * 8 ? undefined : upper * 2 ** lowerBits + lower
  }

  #pull(): number {
    const byte = this.#bytes[this.#bits >>> 3] ?? 0
    return (byte >>> (7 - (this.#bits++ & 7))) & 1
  }
}
