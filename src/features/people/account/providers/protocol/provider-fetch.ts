import type { CustomFetchOptions, ProtectedResourceRequestBody } from 'oauth4webapi'
import { Refusal } from '../../../../../rules/refusal.ts'

/** One time limit for all requests to a provider in one step of a sign-in. */
export const providerLimitMilliseconds = 5_000

const LARGEST_ANSWER_BYTES = 1024 * 1024

/** Reads the whole response within the time limit, or refuses; nothing is left to be read later. */
export async function providerFetch(address: string, options: Options): Promise<Response> {
  const { status, headers, body } = await reach(address, options)
  if (status >= 500) throw unavailable()
  return new Response(body, { status, headers })
}

type Options = CustomFetchOptions<string, ProtectedResourceRequestBody>

async function reach(address: string, { body, ...options }: Options) {
  try {
    // A view can be backed by shared memory, which fetch does not accept, hence the copy.
    const sent = body instanceof Uint8Array ? new Uint8Array(body) : (body ?? null)
    const response = await fetch(address, { ...options, body: sent })
    return { status: response.status, headers: response.headers, body: await readBody(response) }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw unavailable(error)
  }
}

async function readBody(response: Response): Promise<Buffer<ArrayBuffer> | null> {
  if (!response.body) return null
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > LARGEST_ANSWER_BYTES) throw new Refusal('PROVIDER_ERROR', "The provider's response is too large.")
    chunks.push(chunk)
  }
  return chunks.length === 0 ? null : Buffer.concat(chunks)
}

function unavailable(cause?: unknown): Refusal {
  return new Refusal('PROVIDER_UNAVAILABLE', 'The provider is not responding right now.', { cause })
}
