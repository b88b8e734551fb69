import { createServer } from 'node:http'

// The floor: Node's own server and one constant JSON answer.
const body = JSON.stringify({ session: { id: 'x' }, user: { id: 'x' } })

createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
