import { findNodeCrypto } from './platform.ts'

const PRIMES = primes(64)
const INITIAL = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fractionOf(prime ** (1 / 2)))
const ROUNDS = Uint32Array.from(PRIMES, (prime) => fractionOf(prime ** (1 / 3)))

/** What is remembered instead of a credential. Web Crypto has no synchronous hash. */
export const digestOf: (text: string) => string = pick()

function pick(): (text: string) => string {
  const node = findNodeCrypto()
  return node ? (text) => node.hash('sha256', text, 'base64url') : sha256
}

/** FIPS 180-4, for platforms that are not Node. */
function sha256(text: string): string {
  const words = padded(new TextEncoder().encode(text))
  const state = INITIAL.slice()
  const schedule = new Uint32Array(64)
  for (let at = 0; at < words.length; at += 16) addBlock(state, schedule, words.subarray(at, at + 16))
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

function padded(bytes: Uint8Array): Uint32Array {
  const blocks = Math.ceil((bytes.length + 9) / 64)
  const view = new DataView(new ArrayBuffer(blocks * 64))
  bytes.forEach((byte, at) => {
    view.setUint8(at, byte)
  })
  view.setUint8(bytes.length, 0x80)
  view.setUint32(blocks * 64 - 4, bytes.length * 8)
  return Uint32Array.from({ length: blocks * 16 }, (_, at) => view.getUint32(at * 4))
}

function addBlock(state: Uint32Array, schedule: Uint32Array, block: Uint32Array): void {
  schedule.set(block)
  for (let t = 16; t < 64; t++) {
    const early = word(schedule, t - 15)
    const late = word(schedule, t - 2)
    const mixed = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const spread = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    schedule[t] = word(schedule, t - 16) + mixed + word(schedule, t - 7) + spread
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t++) {
    const choice = (e & f) ^ (~e & g)
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + word(ROUNDS, t) + word(schedule, t)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((value, at) => {
    state[at] = word(state, at) + value
  })
}

function word(words: Uint32Array, at: number): number {
  return words[at] ?? 0
}

function turn(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits))
}

function fractionOf(root: number): number {
  return (root % 1) * 0x1_0000_0000
}

function primes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  return found
}
