import type { Ask } from './generator.ts'
import { generate, type Load } from './load.ts'

type Message = { readonly load: Load } | { readonly ask: Ask }

process.on('message', (message: Message) => {
  const answer = 'load' in message ? run(message.load) : told(message.ask)
  answer.then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})

/** The last token of each chain, by the port it is sent to: the next round continues from there. */
const lastTokens = new Map<number, readonly string[]>()

async function run(load: Load) {
  if (!load.chain) return generate(load)
  const tokens = lastTokens.get(load.port) ?? load.chain.tokens
  const result = await generate({ ...load, chain: { ...load.chain, tokens } })
  lastTokens.set(load.port, result.tokens)
  return result
}

export async function told({ url, ...request }: Ask) {
  const response = await fetch(url, { ...request, redirect: 'manual' })
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength
  return { status: response.status, bytes }
}
