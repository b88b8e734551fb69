import { readText } from '../read-text.ts'

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
    return JSON.parse(await readAnswer(response))
  } catch (cause) {
    throw new Unavailable('the response cannot be read', { cause })
  }
}

/** Read to its end, so that the connection serves the next request. */
export async function readAnswer(response: Response): Promise<string> {
  const text = await readText(response, LARGEST_ANSWER_BYTES)
  if (text === undefined) throw new Unavailable('the response is too large')
  return text
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
