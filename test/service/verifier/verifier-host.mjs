// Runs on Node 20: a line in is an `authorization` header, the line out is the user's id or why not.
import { createInterface } from 'node:readline'

const [, , file = '', options = ''] = process.argv
const { createVerifier } = await import(file)
const verifier = createVerifier({
  ...JSON.parse(options),
  onConnection: /** @param {string} state */ (state) => state === 'following' && console.log(process.version),
})
for await (const line of createInterface(process.stdin)) {
  const { caller, refused } = await verifier.check({ headers: { authorization: JSON.parse(line) } })
  console.log(caller ? caller.userId : refused)
}
verifier.close()
