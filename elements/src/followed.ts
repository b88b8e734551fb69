import { type Failed, failedOf } from './failed.ts'

/** What some pages show of a user: read once one of them does, and again when it has changed. */
export class Followed<Value> {
  value: Value | undefined
  error: Failed | undefined
  /** Undefined while nobody is signed in. */
  readonly #ask: () => Promise<Value> | undefined
  readonly #tell: () => void
  #isFollowed = false
  #turn = 0

  constructor(ask: () => Promise<Value> | undefined, tell: () => void) {
    this.#ask = ask
    this.#tell = tell
  }

  follow(): void {
    if (this.#isFollowed) return
    this.#isFollowed = true
    void this.read()
  }

  /** What was read for one user is dropped before there is another. */
  become(isOut: boolean): void {
    if (!isOut) return void this.read()
    this.#turn += 1
    this.value = undefined
    this.error = undefined
  }

  async read(): Promise<void> {
    if (!this.#isFollowed) return
    this.#turn += 1
    const turn = this.#turn
    const { value, error } = await this.#answer()
    if (turn !== this.#turn) return
    this.value = value
    this.error = error
    this.#tell()
  }

  async #answer(): Promise<{ readonly value: Value | undefined; readonly error: Failed | undefined }> {
    try {
      return { value: await this.#ask(), error: undefined }
    } catch (error) {
      return { value: this.value, error: failedOf(error) }
    }
  }
}
