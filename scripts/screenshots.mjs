import { ensureInstalled, ensurePages, handOver } from './ensure.mjs'

ensureInstalled()
ensurePages()
const [wanted] = process.argv.slice(2)
const script = wanted === 'documented' ? 'documented' : 'screenshots'
handOver([`test/browser/pictures/${script}.ts`, ...process.argv.slice(2)])
