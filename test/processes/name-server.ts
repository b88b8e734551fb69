import { createSocket } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import { isIPv6 } from 'node:net'

const IN_USE = 0x8180
const NO_SUCH_NAME = 3
const HEADER_BYTES = 12
const IPV6 = 28
const TYPES: ReadonlyMap<number, (address: string) => boolean> = new Map([
  [1, (address) => !isIPv6(address)],
  [IPV6, isIPv6],
])

export interface NameServer {
  /** The form that a resolver accepts. */
  readonly address: string
  /** The names it was asked for, in this order, each once. */
  readonly asked: ReadonlySet<string>
  /** Resolves when it has been asked for all these names. */
  hears(...names: readonly string[]): Promise<void>
  /** Resolves when it has been asked for this many names. */
  hearsSoMany(count: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A name server of RFC 1035 on this machine: a name without addresses does not exist, and about names that it is not given
 * it is silent. Of the names in `halfKnown` it says nothing about IPv6.
 */
export async function startNameServer(
  known: Readonly<Record<string, readonly string[]>> = {},
  halfKnown: readonly string[] = [],
): Promise<NameServer> {
  const asked = new Set<string>()
  const questions = new EventEmitter()
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = questionOf(message)
    asked.add(name)
    questions.emit('asked')
    const addresses = known[name]
    if (addresses === undefined || (type === IPV6 && halfKnown.includes(name))) return
    socket.send(answerTo(message.subarray(0, end), type, addresses), port, address)
  })
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async hears(...names) {
      while (!names.every((name) => asked.has(name))) await once(questions, 'asked')
    },
    async hearsSoMany(count) {
      while (asked.size < count) await once(questions, 'asked')
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function questionOf(message: Buffer) {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(question: Buffer, type: number, addresses: readonly string[]): Buffer {
  const fitting = addresses.filter((address) => TYPES.get(type)?.(address))
  const head = Buffer.from(question)
  head.writeUInt16BE(IN_USE | (addresses.length === 0 ? NO_SUCH_NAME : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(fitting.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...fitting.map((address) => recordOf(type, address))])
}

/** It refers to the name in the question. */
function recordOf(type: number, address: string): Buffer {
  const data = isIPv6(address) ? bytesOfIPv6(address) : Buffer.from(address.split('.').map(Number))
  const record = Buffer.alloc(HEADER_BYTES)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(60, 6)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([record, data])
}

function bytesOfIPv6(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const [first, last] = [before, after].map((part) => part.split(':').filter((group) => group !== ''))
  const groups = [...(first ?? []), ...Array(8).fill('0'), ...(last ?? [])]
  const whole = [...groups.slice(0, 8 - (last?.length ?? 0)), ...(last ?? [])]
  return Buffer.concat(whole.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}
