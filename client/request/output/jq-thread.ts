import { parentPort } from 'node:worker_threads'
import { raw } from 'jq-wasm'

parentPort?.on('message', ({ json, expression, flags }) => {
  raw(json, expression, flags).then(
    (output) => parentPort?.postMessage({ output }),
    (error: Error) => parentPort?.postMessage({ trouble: error.message }),
  )
})
