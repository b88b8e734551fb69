import { configFromEnvironment } from '../../../src/config/config.ts'
import { Relay } from '../../../src/features/ground/events/relay/relay.ts'
import { prepare } from '../../../src/serve.ts'

/** A relay to be killed: prints the step that is named, and stops there. */
const [, , fatalStep = ''] = process.argv

const { platform } = await prepare(configFromEnvironment())
setInterval(() => undefined, 1_000)
await new Relay(platform).turn(async (step) => {
  if (step !== fatalStep) return
  process.stdout.write(`${step}\n`)
  await new Promise(() => undefined)
})
