import type { Ask } from './generator.ts'
import { generate, type Load } from './load.ts'

type Message = { readonly load: Load } | { readonly ask: Ask }

process.on('message', (message: Message) => {
  const answer = 'load' in message ? generate(message.load) : told(message.ask)
  answer.then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})

export async function told({ url, ...request }: Ask) {
  const response = await fetch(url, { ...request, redirect: 'manual' })
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength
  return { status: response.status, bytes }
}
