import { pbkdf2, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { recommendedPasswordIterations } from '../../src/prepare.ts'

// The rate of the hash function alone on the same core: one derivation per request, one at a time.
const derive = promisify(pbkdf2)
let turn: Promise<unknown> = Promise.resolve()

createServer(async (request, response) => {
  if (request.method === 'POST') {
    turn = turn.then(() => derive('a password', randomBytes(8), recommendedPasswordIterations, 20, 'sha1'))
    await turn
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 })
  response.end('{}')
}).listen(Number(process.env.PORT), '127.0.0.1')
