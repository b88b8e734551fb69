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

async function built(lines: readonly string[], reading = HASHES, given?: string) {
  const folder = temporaryFolder()
  const input = given ?? join(temporaryFolder(), 'input.txt')
  if (given === undefined) await writeFile(input, lines.join('\n'))
  const output = join(folder, 'stolen.list')
  await buildFilter([input], output, reading, 0)
  assert.deepEqual(await readdir(folder), ['stolen.list'])
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

  it.each([1, 2, 63, 64, 65, 1000])('works with %i entries', async (count) => {
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

  it.each(['', '\n\n', `${sha1('a')}:1\n`])(
    'leaves the list as it was if the input %j names no password',
    async (text) => {
      const { filter, output } = await built([sha1('listed')])
      await filter[Symbol.asyncDispose]()
      const [input, before] = [join(temporaryFolder(), 'input.txt'), await readFile(output)]
      await writeFile(input, text)

      await assert.rejects(buildFilter([input], output, { isPlain: false, countAtLeast: 2 }, 0), /no password/)

      assert.deepEqual(await readFile(output), before)
    },
  )

  it('refuses numbers that are not spread as hashes are, instead of making a list that cannot be read', async () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => i.toString(16).padStart(40, '0'))

    await assert.rejects(built(lines), { name: 'OperatorError', message: /not spread evenly/ })
  })

  it('never touches the files of another build of the same list, which ends as it would alone', async () => {
    const folder = temporaryFolder()
    const output = join(folder, 'stolen.list')
    const inputOf = async (name: string, lines: readonly string[]) => {
      await writeFile(join(folder, name), lines.join('\n'))
      return join(folder, name)
    }
    const all = Array.from({ length: 2000 }, (_, i) => sha1(`listed ${i}`))
    const [good, bad] = [await inputOf('good', all), await inputOf('bad', [...all, 'heron'])]

    const builds = await Promise.allSettled(
      [good, bad, good, bad].map((each) => buildFilter([each], output, HASHES, 0)),
    )

    assert.deepEqual(
      builds.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    )
    await verified(output)
    assert.deepEqual((await readdir(folder)).sort(), ['bad', 'good', 'stolen.list'])
  })

  it('refuses a folder in the place of the list before it reads', async () => {
    const folder = temporaryFolder()

    await assert.rejects(buildFilter([join(folder, 'missing.txt')], folder, HASHES, 0), {
      message: `${folder} is a folder, not a file`,
    })
  })

  it.each([0, 1024 * 1024 - 8])(
    'refuses a line that is too long wherever it is, here after %i bytes',
    async (before) => {
      const input = join(temporaryFolder(), 'input.txt')
      await writeFile(input, `${'heron\n'.repeat(before / 6)}${'a'.repeat(70_000)}\nheron\n`)

      await assert.rejects(built([], { isPlain: true, countAtLeast: 1 }, input), /is longer than 64 KB/)
    },
  )

  it.each([
    ['utf8', `\uFEFF${'heron'}`],
    ['utf8', 'heron'],
  ] as const)('reads passwords in %s that begin with a mark or do not', async (encoding, text) => {
    const input = join(temporaryFolder(), 'input.txt')
    await writeFile(input, text, encoding)
    const { filter } = await built([], { isPlain: true, countAtLeast: 1 }, input)
    await using _ = filter
    assert.ok(await filter.has(sha1('heron')))
  })

  it('refuses a file in UTF-16, of which no line is the password that it shows', async () => {
    const input = join(temporaryFolder(), 'input.txt')
    await writeFile(input, '\uFEFFheron\n', 'utf16le')

    await assert.rejects(built([], { isPlain: true, countAtLeast: 1 }, input), /is not in UTF-8; convert it first/)
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
