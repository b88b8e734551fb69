import type { Ask, Told } from './caller.ts'

// A process of its own, so that reading a long response is not counted as the server's work.
process.on('message', (ask: Ask) => {
  told(ask).then(
    (answer) => process.send?.(answer),
    (error: Error) => process.send?.({ status: 0, bytes: 0, words: error.message }),
  )
})

async function told({ url, method, headers, body }: Ask): Promise<Told> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  })
  let bytes = 0
  let words = ''
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (words.length < 200) words += new TextDecoder().decode(chunk.subarray(0, 200))
  }
  return { status: response.status, bytes, words }
}
