/** Gatehouse could not be reached, or something else responded. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

const LARGEST_ANSWER_BYTES = 1024 * 1024

/** A response is read up to a limit, and only if it is JSON. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Unavailable(`${response.url || 'the service'} returned ${response.status}`)
  }
  try {
    return JSON.parse(await readText(response))
  } catch (cause) {
    throw new Unavailable('the answer cannot be read', { cause })
  }
}

/** Read to its end, so that the connection serves the next request. */
export async function readText({ body }: Response): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > LARGEST_ANSWER_BYTES) {
      await reader.cancel()
      throw new Unavailable('the answer is too large')
    }
    text += decoder.decode(value, { stream: true })
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
