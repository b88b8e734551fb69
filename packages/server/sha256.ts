import { findNodeCrypto } from './platform.ts'

const node = findNodeCrypto()

/** The remembered form of a credential. */
export async function digestOf(text: string): Promise<string> {
  if (node) return node.hash('sha256', text, 'base64url')
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return String.fromCharCode(...new Uint8Array(digest))
}
