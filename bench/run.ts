import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Measure } from './measure.ts'

/** Every `*.bench.ts` here, or those named, one after the other: a table to read, JSON to compare. */
const here = fileURLToPath(new URL('.', import.meta.url))
const wanted = process.argv.slice(2)
const names = readdirSync(here)
  .flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? [])
  .filter((name) => wanted.length === 0 || wanted.includes(name))

const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new Error(`no benchmark is called ${unknown.join(', ')}`)

mkdirSync(`${here}results`, { recursive: true })
for (const name of names) {
  const { measure }: { measure: Measure } = await import(`./${name}.bench.ts`)
  console.log(`\n${measure.title}`)
  const rows = await measure.run()
  console.table(rows)
  const machine = { node: process.version, system: `${platform()} ${arch()}`, cpus: cpus().length }
  const result = { name, title: measure.title, at: new Date().toISOString(), machine, rows }
  writeFileSync(`${here}results/${name}.json`, `${JSON.stringify(result, null, 2)}\n`)
}
