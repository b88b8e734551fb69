import { generate, type Load } from './load.ts'

/** The last token of each chain, by the port it is sent to: the next round continues from there. */
const lastTokens = new Map<number, readonly string[]>()

// The load generator has a process and a core of its own.
process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})

async function run(load: Load) {
  const tokens = lastTokens.get(load.port) ?? load.chain?.tokens ?? []
  const result = await generate(load.chain ? { ...load, chain: { ...load.chain, tokens } } : load)
  lastTokens.set(load.port, result.tokens)
  return result
}
