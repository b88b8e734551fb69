// The same requests, sent by a generator that others know: prints what it counted as one line of JSON.
import autocannon from 'autocannon'

const { url, connections, seconds, isAwake, requests } = JSON.parse(process.argv[2])
let turn
// As in our generator: waking this core would cost the server processor time.
if (isAwake) stayAwake()
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: requests.map((headers) => ({ method: 'GET', path: new URL(url).pathname, headers })),
})
clearImmediate(turn)
const { requests: sent, latency, non2xx, errors } = result
process.stdout.write(
  JSON.stringify({
    requests: sent.total,
    perSecond: sent.average,
    medianMilliseconds: latency.p50,
    p99Milliseconds: latency.p99,
    failures: non2xx + errors,
  }),
)

function stayAwake() {
  turn = setImmediate(stayAwake)
}
