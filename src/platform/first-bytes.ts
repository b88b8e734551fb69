/** The beginning of a response. The rest is not fetched, however much a server sends. */
export async function firstBytes({ body }: Response, atMost: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length >= atMost) break
  }
  return Buffer.concat(chunks).subarray(0, atMost).toString('utf8')
}
