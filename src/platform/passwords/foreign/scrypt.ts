import { scrypt, timingSafeEqual } from 'node:crypto'
import { MOST_MEMORY_BYTES, MOST_WORK_BYTES } from './bounds.ts'

interface ScryptCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

export function isAffordable({ N, r, p }: ScryptCost): boolean {
  const memory = 128 * N * r
  const isPossible = N > 1 && r > 0 && p > 0
  return isPossible && memory <= MOST_MEMORY_BYTES && memory * p <= MOST_WORK_BYTES
}

export async function isScryptOf(
  password: string,
  salt: Buffer,
  cost: ScryptCost,
  key: Buffer,
): Promise<boolean> {
  return timingSafeEqual(await scryptOf(password, salt, cost, key.length), key)
}

export function scryptOf(password: string, salt: Buffer, cost: ScryptCost, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 2 * MOST_MEMORY_BYTES }
    scrypt(password, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
