import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { refuseOtherThanFile } from './file.ts'

const patienceMilliseconds = 60_000
const sqliteBusy = 5
const sqliteNotADatabase = 26

/**
 * One worker at a time over all processes. The lock is SQLite's on an empty file, so it belongs to the
 * operating system: however its holder dies, the lock is free at once.
 */
export async function withLock<T>(io: Io, file: string, work: () => Promise<T>): Promise<T> {
  refuseOtherThanFile(file)
  closeSync(openSync(file, 'a', 0o600))
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    await take(io, lock, file)
    return await work()
  } finally {
    lock.close()
  }
}

async function take(io: Io, lock: DatabaseSync, file: string): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds
  while (!tryTake(lock, file)) {
    if (performance.now() > deadline)
      throw new Failure('refused', `another gatehouse has been holding ${file} for a minute; end it and try again`)
    await io.sleep(10 + Math.random() * 40)
  }
}

function tryTake(lock: DatabaseSync, file: string): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    const errcode = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (errcode === sqliteBusy) return false
    if (errcode !== sqliteNotADatabase) throw error
    throw new Failure('refused', `${file} is not a lock of this program; remove it`, { cause: error })
  }
}
