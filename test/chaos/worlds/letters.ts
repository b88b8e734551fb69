import { setTimeout as pause } from 'node:timers/promises'
import { startSmtpServer, type TestSmtpServer } from '../../processes/smtp-server.ts'

const ARRIVES_WITHIN_MILLISECONDS = 4_000
const LOOK_MILLISECONDS = 20

/** Everyone's inbox. */
export class Letters {
  readonly #server: TestSmtpServer

  private constructor(server: TestSmtpServer) {
    this.#server = server
  }

  static async open(): Promise<Letters> {
    return new Letters(await startSmtpServer())
  }

  get url(): string {
    return this.#server.url
  }

  count(address: string): number {
    return this.#codesFor(address).length
  }

  /** The code of a letter that came after that many; undefined if none comes in time. */
  async codeFor(address: string, after: number): Promise<string | undefined> {
    const until = performance.now() + ARRIVES_WITHIN_MILLISECONDS
    while (performance.now() < until) {
      const codes = this.#codesFor(address)
      if (codes.length > after) return codes.at(-1)
      await pause(LOOK_MILLISECONDS)
    }
    return undefined
  }

  #codesFor(address: string): readonly string[] {
    const to = this.#server.messages.filter((message) => message.includes(`To: ${address}`))
    return to.flatMap((message) => /^\s*(\d{6})\s*$/m.exec(message)?.[1] ?? [])
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }
}
