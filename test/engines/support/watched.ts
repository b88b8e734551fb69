import type { Answering } from '../../processes/listening.ts'

/** First in each page: what its scripts throw, what they say in the console, what its policy refuses, while it is there. */
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
    async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/complaints.js') return new Response(SCRIPT, { headers: { 'content-type': 'text/javascript' } })
      if (pathname === '/complaints') {
        complaints.push(await request.text())
        return new Response(null, { status: 204 })
      }
      request.headers.delete('accept-encoding')
      // Bypasses the connection: its raw headers still ask for compression.
      const response = await answer(request)
      if (!response.headers.get('content-type')?.startsWith('text/html')) return response
      const page = await response.text()
      return new Response(page.replace('<head>', '<head><script src="/complaints.js"></script>'), response)
    }
}
