// Runs on Node 20: the first line out is its version, once it follows what is revoked. Then a line in is an
// `authorization` header, the line out is the user's id or why not.
import { createInterface } from 'node:readline'

const [, , file = '', options = ''] = process.argv
const { createVerifier } = await import(file)
let hasFollowed = false
const verifier = createVerifier({
  ...JSON.parse(options),
  onConnection: /** @param {string} state */ (state) => {
    if (state === 'following' && !hasFollowed) console.log(process.version)
    hasFollowed ||= state === 'following'
  },
})
for await (const line of createInterface(process.stdin)) {
  const { caller, refused } = await verifier.check({ headers: { authorization: JSON.parse(line) } })
  console.log(caller ? caller.userId : refused)
}
verifier.close()
