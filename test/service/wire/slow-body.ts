import type { Answer, Person } from '../people.ts'

/**
 * Sends a request whose body arrives only after the work: by then the service knows who calls and has
 * chosen the shard, since it reads the body last.
 */
export function sentAfter(
  person: Person,
  path: string,
  work: () => Promise<unknown>,
  body: unknown = {},
  more: Readonly<Record<string, string>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
): Promise<Answer<any>> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    await work()
    controller.enqueue(new TextEncoder().encode(JSON.stringify(body)))
    controller.close()
  }
  const stream = new ReadableStream({ pull }, { highWaterMark: 0 })
  const headers = { 'content-type': 'application/json', ...more }
  return person.send(path, { method: 'POST', headers, body: stream, duplex: 'half' })
}
