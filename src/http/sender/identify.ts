import { randomUUID } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import type { Incoming } from '../exchange.ts'
import type { Sender } from './sender.ts'
import { senderFinder } from './sender-address.ts'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** The request's id and its sender; forwarded headers count only from trusted proxies. */
export function identifier(config: Config): (incoming: Incoming) => Sender {
  const findSender = senderFinder(config)
  return (incoming) => {
    const { address, continent } = findSender(incoming)
    const sent = incoming.header('x-request-id')
    const requestId = sent !== undefined && REQUEST_ID.test(sent) ? sent : randomUUID()
    const userAgent = (incoming.header('user-agent') ?? '').slice(0, 512)
    return { requestId, address, userAgent, continent }
  }
}
