/** Seals what must be read again: AES-256-GCM under CONFIG_ENCRYPTION_KEY, bound to a purpose. */
export interface SecretBox {
  seal(purpose: string, plain: string): string
  /** Throws where the text was sealed under another key or for another purpose, or was changed. */
  open(purpose: string, sealed: string): string
}
