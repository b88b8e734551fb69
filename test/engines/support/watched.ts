import type { OutgoingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Outgoing } from '../../../src/http/router.ts'
import type { Answering } from '../../processes/listening.ts'
import { Captured } from '../../service/without-socket.ts'

/**
 * Runs first in each page and reports what its scripts throw, what they say in the console, and what its policy
 * refuses.
 */
const SCRIPT = `
  let isLeft = false
  for (const name of ['beforeunload', 'pagehide']) addEventListener(name, () => { isLeft = true })
  addEventListener('pageshow', () => { isLeft = false })
  const tell = (what) => isLeft || navigator.sendBeacon('/complaints', location.pathname + ': ' + what)
  addEventListener('error', ({ message, target }) => tell(message ?? 'not loaded: ' + target.outerHTML), true)
  // Leaving a page aborts its requests; that is no fault.
  addEventListener('unhandledrejection', ({ reason }) => reason?.name === 'AbortError' || tell(reason))
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    tell(violatedDirective + ' refuses ' + blockedURI))
  for (const level of ['error', 'warn']) {
    const say = console[level]
    console[level] = (...words) => { tell(words.join(' ')); say(...words) }
  }
`

/** Stands in front of the service and keeps what the pages complain about. */
export function watched(complaints: string[]) {
  return (answer: Answering): Answering =>
    async (incoming, outgoing) => {
      const { url, headers } = incoming
      if (url === '/complaints.js') return send(outgoing, { 'content-type': 'text/javascript' }, SCRIPT)
      if (url === '/complaints') {
        complaints.push(await text(incoming))
        return send(outgoing, {}, '')
      }
      if (!headers.accept?.includes('text/html')) return answer(incoming, outgoing)
      delete headers['accept-encoding']
      const captured = new Captured()
      await answer(incoming, captured)
      const response = await captured.response
      const page = await response.text()
      const watchedPage = page.replace('<head>', '<head><script src="/complaints.js"></script>')
      const sent = { ...Object.fromEntries(response.headers), 'set-cookie': response.headers.getSetCookie() }
      send(outgoing, sent, watchedPage, response.status)
    }
}

function send(outgoing: Outgoing, headers: OutgoingHttpHeaders, body: string, status = 200): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}
