import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

/** Seals what must be read again: AES-256-GCM under CONFIG_ENCRYPTION_KEY, bound to a purpose. */
export interface SecretBox {
  seal(purpose: string, plain: string): string
  /** Throws if the text was sealed under another key or for another purpose, or was changed. */
  open(purpose: string, sealed: string): string
}

/** Undefined for text sealed under another key. */
export function openIfOurs(secretBox: SecretBox, purpose: string, sealed: string): string | undefined {
  try {
    return secretBox.open(purpose, sealed)
  } catch {
    return undefined
  }
}

export function canOpen(secretBox: SecretBox, purpose: string, sealed: string): boolean {
  return openIfOurs(secretBox, purpose, sealed) !== undefined
}

const FORM = 'a1.'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The key is 32 bytes in hexadecimal digits. */
export function aesSecretBox(keyHex: string): SecretBox {
  // Given as bytes, a key costs 20 µs more at each use.
  const key = createSecretKey(keyHex, 'hex')
  if (key.symmetricKeySize !== 32) throw new Error('the encryption key must have 32 bytes')

  return {
    seal(purpose, plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return FORM + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },

    open(purpose, sealed) {
      if (!sealed.startsWith(FORM)) throw new Error('sealed text of an unknown form')
      const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url')
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag)
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}
