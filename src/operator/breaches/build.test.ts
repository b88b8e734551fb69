import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { Filter } from '../../platform/breaches/filter.ts'
import { buildFilter } from './build.ts'

const sha1 = (text: string) => hash('sha1', text, 'hex')
const HASHES = { isPlain: false, countAtLeast: 1 }

async function built(lines: readonly string[], reading = HASHES) {
  const folder = temporaryFolder()
  const input = join(folder, 'input.txt')
  await writeFile(input, lines.join('\n'))
  const output = join(folder, 'stolen.list')
  await buildFilter([input], output, reading, 0)
  assert.deepEqual((await readdir(folder)).sort(), ['input.txt', 'stolen.list'])
  return { filter: await Filter.open(output), output, bytes: (await stat(output)).size }
}

async function verified(path: string): Promise<void> {
  await using filter = await Filter.open(path)
  await filter.verify()
}

describe('building a list of stolen passwords', () => {
  it('keeps each of a hundred thousand in at most 20 bits and takes at most one in 10,000 others for one', async () => {
    const all = Array.from({ length: 100_000 }, (_, i) => sha1(`listed ${i}`))
    const { filter, bytes } = await built([...all, ...all.toReversed()])
    await using _ = filter
    await filter.verify()
    assert.equal(filter.head.entries, all.length)
    assert.ok(bytes * 8 <= 20 * all.length, `${bytes} bytes`)
    for (let i = 0; i < all.length; i += 97) assert.ok(await filter.has(String(all[i])))
    let mistakes = 0
    for (let i = 0; i < 50_000; i++) if (await filter.has(sha1(`free ${i}`))) mistakes++
    // Five are expected; more than twenty come by chance once in ten million runs.
    assert.ok(mistakes <= 20, `${mistakes} mistakes`)
  })

  it.each([0, 1, 2, 63, 64, 65, 1000])('works with %i entries', async (count) => {
    const all = Array.from({ length: count }, (_, i) => sha1(`listed ${i}`))
    const { filter } = await built(all)
    await using _ = filter
    await filter.verify()
    for (const each of all) assert.ok(await filter.has(each))
    assert.equal(await filter.has(sha1('free')), false)
  })

  it('reads counts, both cases, empty lines and Windows line ends, and leaves out what was seen less often', async () => {
    const lines = [`${sha1('a').toUpperCase()}:9\r`, '', `${sha1('b')}:10\r`, sha1('c'), `${sha1('d')}:11`]
    const { filter } = await built(lines, { isPlain: false, countAtLeast: 10 })
    await using _ = filter
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((each) => filter.has(sha1(each))))
    assert.deepEqual(found, [false, true, false, true])
  })

  it('reads passwords as they are, in any script, with their spaces', async () => {
    const lines = [' heron ', 'цапля', '鷺の橋', 'a:b']
    const { filter } = await built(lines, { isPlain: true, countAtLeast: 1 })
    await using _ = filter
    for (const each of lines) assert.ok(await filter.has(sha1(each)), each)
    assert.equal(await filter.has(sha1('heron')), false)
  })

  it('refuses a line that is no hash by its number, and leaves no file', async () => {
    const folder = temporaryFolder()
    const input = join(folder, 'input.txt')
    await writeFile(input, `${sha1('a')}\nheron\n`)
    await assert.rejects(buildFilter([input], join(folder, 'out'), HASHES, 0), /input\.txt, line 2, is not a SHA-1/)
    assert.deepEqual(await readdir(folder), ['input.txt'])
  })

  it('names the folder if the list has no place', async () => {
    const folder = join(temporaryFolder(), 'nothing')

    await assert.rejects(buildFilter([], join(folder, 'stolen.list'), HASHES, 0), {
      message: `${folder} does not exist; make it, or choose another folder`,
    })
  })

  it('finds a changed bit anywhere', async () => {
    const { filter, output } = await built(Array.from({ length: 300 }, (_, i) => sha1(`listed ${i}`)))
    await filter[Symbol.asyncDispose]()
    const whole = await readFile(output)
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole)
      changed[at] = Number(whole[at]) ^ (1 << (at % 8))
      await writeFile(output, changed)
      await assert.rejects(verified(output), { name: 'DamagedFilter' }, `byte ${at}`)
    }
  })
})
