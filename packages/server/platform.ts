/** The part of Node that is used if it exists: its hashes and signatures cost a tenth of Web Crypto's. */
interface NodeCrypto {
  hash(algorithm: string, data: string, encoding: 'base64url'): string
  createPublicKey(input: { key: object; format: 'jwk' }): object
  verify(algorithm: string | null, data: Uint8Array, key: object, signature: Uint8Array): boolean
}

/** Undefined on other platforms, and on a Node before 20.16. */
export function findNodeCrypto(): NodeCrypto | undefined {
  const found = builtIn('node:crypto') as NodeCrypto | undefined
  return typeof found?.hash === 'function' ? found : undefined
}

/** Undefined on platforms where a program does not know its machine. */
export function findHostName(): string | undefined {
  const found = builtIn('node:os') as { hostname?(): string } | undefined
  return found?.hostname?.()
}

function builtIn(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  return process?.getBuiltinModule?.(name)
}
