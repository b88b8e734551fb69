import * as OTPAuth from 'otpauth'
import type { Answer, Person } from '../people.ts'
import type { Service } from '../service.ts'

/** An authenticator app, from a published library. */
export class AuthenticatorApp {
  readonly backupCodes: readonly string[]
  readonly #totp: OTPAuth.TOTP
  readonly #clock: Clock

  constructor({ clock }: { readonly clock: Clock }, enabled: Enabled) {
    const totp = OTPAuth.URI.parse(enabled.totpURI)
    if (!(totp instanceof OTPAuth.TOTP)) throw new Error('this is not an address of TOTP')
    this.#totp = totp
    this.#clock = clock
    this.backupCodes = enabled.backupCodes
  }

  /** A code that is not right within two minutes of now. */
  wrongCode(): string {
    const near = Array.from({ length: 9 }, (_, step) => this.code((step - 4) * 30))
    const wrong = Array.from({ length: 10 }, (_, digit) => String(digit).repeat(6))
    return wrong.find((code) => !near.includes(code)) ?? ''
  }

  code(secondsOff = 0): string {
    return this.#totp.generate({ timestamp: this.#clock.now() + secondsOff * 1000 })
  }
}

interface Clock {
  readonly now: () => number
}

interface Enabled {
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

/** Goes from the QR code to the first right code; the next code needs another half-minute. */
export async function addApp(service: Service, person: Person): Promise<AuthenticatorApp> {
  const { body, status } = await person.post('/api/auth/two-factor/enable', { password: person.password })
  if (status !== 200) throw new Error(`no authenticator app: ${JSON.stringify(body)}`)
  const app = new AuthenticatorApp(service, body)
  const first = await verifyTotp(person, app.code())
  if (first.status !== 200) throw new Error(`the first code was refused: ${JSON.stringify(first.body)}`)
  service.clock.advance({ seconds: 30 })
  return app
}

export function verifyTotp(person: Person, code: string, trustDevice = false): Promise<Answer<Verified>> {
  return person.post('/api/auth/two-factor/verify-totp', { code, trustDevice })
}

export function verifyBackupCode(person: Person, code: string): Promise<Answer<Verified>> {
  return person.post('/api/auth/two-factor/verify-backup-code', { code })
}

interface Verified {
  readonly code?: string
  readonly token?: string | null
  readonly url?: string
  readonly user?: { readonly id: string; readonly twoFactorEnabled: boolean }
}
