/** `<salt_hex>:<key_hex>`, PBKDF2-HMAC-SHA-1; a bounded queue, so that hashing never crowds out requests. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Without a stored hash it costs the same and is false. */
  verify(password: string, stored: string | undefined): Promise<boolean>
  /** Jobs waiting for a core. */
  readonly waiting: number
}

/** The queue is full: answered as 503. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}
