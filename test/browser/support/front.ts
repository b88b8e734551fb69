import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { chromium } from '@playwright/test'
import { createApp } from '../../../src/app.ts'
import { builtPages } from '../../service/built-pages.ts'
import type { Service } from '../../service/service.ts'
import { findChromium } from './chromium.ts'
import { nextDelayMilliseconds } from './delays.ts'

const HOST = 'localhost:5173'
export const ORIGIN = `http://${HOST}`

/** A pause before each act lets the page react first, for example to a session that has just ended. */
const slowMo = Number(process.env.TEST_PAUSE_MILLISECONDS ?? 0)

export type Front = Awaited<ReturnType<typeof openFront>>

/**
 * One Chromium in which the base address leads to the service that was served last, so that cookies, redirects and
 * providers see the address that a person would see.
 */
export async function openFront() {
  let listener: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    setTimeout(() => listener(request, response), nextDelayMilliseconds(path))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const { executablePath, env } = await findChromium()
  const rule = `--host-resolver-rules=MAP ${HOST} 127.0.0.1:${address.port}`
  const browser = await chromium.launch({
    executablePath,
    slowMo,
    env: { ...process.env, ...env },
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', rule],
  })
  return {
    browser,
    serve({ platform }: Pick<Service, 'platform'>) {
      listener = createApp(platform, builtPages()).handle
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      server.close()
    },
  }
}
