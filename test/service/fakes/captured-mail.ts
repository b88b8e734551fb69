import type { Mail, MailMessage, MailRoute } from '../../../src/platform/mail/mail.ts'
import { MailNotSent } from '../../../src/platform/mail/mail.ts'

/** A provider that keeps what it is given; reading it first delivers what is queued. */
export class CapturedMail implements Mail {
  readonly providers = ['smtp', 'api', 'outbox'] as const
  readonly smtpUrl = 'smtp://mail.example.com'
  readonly #messages: { readonly route: MailRoute; readonly message: MailMessage }[] = []
  #refusal: string | undefined
  #deliver: () => Promise<void> = async () => undefined

  delivering(deliver: () => Promise<void>): void {
    this.#deliver = deliver
  }

  /** Every message is refused in these words from here on; undefined makes it work again. */
  refuse(words: string | undefined): void {
    this.#refusal = words
  }

  async send(route: MailRoute, message: MailMessage): Promise<void> {
    if (this.#refusal !== undefined) throw new MailNotSent(this.#refusal)
    this.#messages.push({ route, message })
  }

  async all(): Promise<readonly MailMessage[]> {
    await this.#deliver()
    return this.#messages.map(({ message }) => message)
  }

  async sentTo(address: string): Promise<readonly MailMessage[]> {
    return (await this.all()).filter(({ to }) => to === address)
  }

  /** The six digits of the newest mail to this address that has a code; notices come beside it. */
  async codeFor(address: string): Promise<string> {
    const texts = (await this.sentTo(address)).map(({ text }) => text)
    const code = texts.flatMap((text) => /^ +(\d{6})$/m.exec(text)?.[1] ?? []).at(-1)
    if (code === undefined) throw new Error(`no code was sent to ${address}`)
    return code
  }

  /** The secret in the link of the newest mail to this address that has one. */
  async linkFor(address: string): Promise<string> {
    const texts = (await this.sentTo(address)).map(({ text }) => text)
    const link = texts.flatMap((text) => /#\S*\blink=(ghl_[\w-]+)/.exec(text)?.[1] ?? []).at(-1)
    if (link === undefined) throw new Error(`no link was sent to ${address}`)
    return link
  }
}
