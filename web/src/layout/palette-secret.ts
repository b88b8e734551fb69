/** Ours by their prefixes (`src/rules/tokens.ts`), a webhook's, and the beginning of a signed token. */
const secretForm = /(?:^|[^\w-])(gh[2acdlprst]_|gas_|whsec_|eyJ(?=[\w-]+\.))([\w.+/=-]*)/

export interface Secret {
  readonly prefix: string
  /** Undefined on a page without HTTPS, where browsers hash nothing. */
  readonly sha256: string | undefined
}

export const looksSecret = (text: string) => secretForm.test(text)

/** Keeps only the hash. */
export async function secretIn(text: string): Promise<Secret | undefined> {
  const [, prefix, rest] = secretForm.exec(text) ?? []
  if (prefix === undefined || rest === undefined) return undefined
  return { prefix, sha256: isSecureContext ? await sha256Of(prefix + rest) : undefined }
}

async function sha256Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
