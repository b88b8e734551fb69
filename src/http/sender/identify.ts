import { randomUUID } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import type { Unidentified } from '../exchange.ts'
import type { Sender } from './sender.ts'
import { senderFinder } from './sender-address.ts'

const REQUEST_ID = /^[\w.-]{1,64}$/

/** The request's id and its sender; forwarded headers count only from trusted proxies. */
export function identifier(config: Config): (unidentified: Unidentified) => Sender {
  const findSender = senderFinder(config)
  return (unidentified) => {
    const { address, continent } = findSender(unidentified)
    const sent = unidentified.header('x-request-id')
    const requestId = sent !== undefined && REQUEST_ID.test(sent) ? sent : randomUUID()
    const userAgent = (unidentified.header('user-agent') ?? '').slice(0, 512)
    return { requestId, address, userAgent, continent }
  }
}
