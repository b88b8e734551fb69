import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { needingRoom } from '../../platform/full-disk.ts'
import { systemCodeOf } from '../../platform/usable-folder.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { firstIn } from '../output-folder.ts'

/**
 * Where the secrets that an apply makes go. They are on the disk before the commit, because nobody could read them
 * after it, and the file is gone if nothing was committed.
 */
export class SecretsFile {
  readonly #path: string
  #handle: FileHandle | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Replaces what an attempt before has written. */
  async write(secrets: object): Promise<void> {
    await this.remove()
    await needingRoom(dirname(resolve(this.#path)), async () => {
      this.#handle = await openNew(this.#path)
      // Unlike `write`, it writes everything, or throws.
      await this.#handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
      await this.#handle.sync()
    })
  }

  async remove(): Promise<void> {
    await this.close()
    if (this.#handle) await rm(this.#path)
    this.#handle = undefined
  }

  async close(): Promise<void> {
    await this.#handle?.close()
  }
}

function openNew(path: string): Promise<FileHandle> {
  return firstIn(dirname(resolve(path)), () => open(path, 'wx', 0o600)).catch((cause: unknown) => {
    if (systemCodeOf(cause) !== 'EEXIST') throw cause
    throw new OperatorError(`${path} already exists; choose another file for the secrets`, { cause })
  })
}
