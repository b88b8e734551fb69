import { reasonOf } from '../../rules/finding.ts'
import { version } from '../../rules/version.ts'
import { backgroundWork, type Work } from './background-work.ts'
import type { Copy, From } from './copy.ts'
import { copyStores } from './copying.ts'
import { type Figures, migrateSteps } from './migrating.ts'
import { type Made, makePeople, visitPeople } from './people.ts'
import { type Life, type Program, serving, thisProgram } from './programs.ts'
import { switchOff } from './switching-off.ts'

export interface Rehearsal {
  /** Versions. */
  readonly from: string
  readonly to: string
  readonly migrations: readonly Figures[]
  readonly background: readonly Work[]
  /** What one program could not read of what the other had written. */
  readonly unread: readonly string[]
  readonly way_back: WayBack
  readonly problems: readonly string[]
}

interface WayBack {
  /** Whether the old program, started again, goes on with what the new one wrote. */
  readonly possible: boolean
  /** The last step after which it started again. */
  readonly until: string | null
  readonly words: string
}

interface First {
  readonly people: readonly Made[]
  /** Serves beside the new program. */
  readonly beside: Life | undefined
}

const OLD = 'the old program'
const NEW = 'the new program'

interface Wanted extends From {
  readonly old: Program
}

/**
 * The old program serves a copy, then this one, then the old one again, or both at once where stores can be served so.
 * The copy is gone when it returns or throws.
 */
export async function rehearse(wanted: Wanted): Promise<Rehearsal> {
  await using copy = await copyStores(wanted)
  await switchOff(copy)
  return await new Rehearsing(wanted, copy).run()
}

class Rehearsing {
  readonly #wanted: Wanted
  readonly #copy: Copy
  readonly #unread: string[] = []
  readonly #problems: string[] = []
  readonly #figures: Figures[] = []

  constructor(wanted: Wanted, copy: Copy) {
    this.#wanted = wanted
    this.#copy = copy
  }

  async run(): Promise<Rehearsal> {
    const { old, say } = this.#wanted
    say(`the old program (${old.version}) serves the copy`)
    await using lives = new AsyncDisposableStack()
    const first = await this.#firstLife(lives)
    say(`the new program (${version}) migrates it`)
    const { isMigrated, wayBack, until } = await this.#migrate(first)
    const background = isMigrated ? await this.#backgroundWork() : []
    const byNew = isMigrated ? await this.#newLife(first) : undefined
    await lives.disposeAsync()
    return {
      ...{ from: old.version, to: version, migrations: this.#figures, background, unread: this.#unread },
      way_back: await this.#wayBack(byNew, wayBack, until),
      problems: this.#problems,
    }
  }

  /** Undefined if the old program does not serve. If it can serve beside the new one, it does until the lives end. */
  #firstLife(lives: AsyncDisposableStack): Promise<First | undefined> {
    const { old, ended } = this.#wanted
    return this.#trying(OLD, async () => {
      await using own = new AsyncDisposableStack()
      const life = own.use(await serving(old, this.#copy, ended))
      const people = await this.#makePeople(OLD, life)
      if (!this.#copy.isQuiet) return { people, beside: undefined }
      lives.use(own.move())
      return { people, beside: life }
    })
  }

  /** The new program reads what the old one wrote and writes more; side by side, each reads what the other writes. */
  #newLife(first: First | undefined): Promise<readonly Made[] | undefined> {
    const { ended, say } = this.#wanted
    say('the new program serves it')
    return this.#trying(NEW, async () => {
      await using life = await serving(thisProgram(), this.#copy, ended)
      const visited = await this.#visitPeople(NEW, life, first?.people ?? [])
      const people = [...visited, ...(await this.#makePeople(NEW, life))]
      const { beside } = first ?? {}
      if (!beside) return people
      say('the old program serves beside it')
      const again = await this.#visitPeople(OLD, beside, people)
      return await this.#visitPeople(NEW, life, [...again, ...(await this.#makePeople(OLD, beside))])
    })
  }

  async #makePeople(name: string, life: Life): Promise<readonly Made[]> {
    const made = await makePeople(life.url, this.#wanted.ended)
    for (const words of made.refused) this.#problems.push(`${name}: ${words}`)
    await this.#noteIfGone(name, life)
    return made.people
  }

  /** Visits the people whom the other program has made or visited. */
  async #visitPeople(name: typeof OLD | typeof NEW, life: Life, made: readonly Made[]): Promise<readonly Made[]> {
    const { people, unread } = await visitPeople(life.url, made, this.#wanted.ended)
    for (const words of unread) {
      this.#unread.push(`${name}: ${words}`)
      this.#problems.push(`${name} does not read what ${name === OLD ? NEW : OLD} wrote: ${words}`)
    }
    await this.#noteIfGone(name, life)
    return people
  }

  async #noteIfGone(name: string, life: Life): Promise<void> {
    const words = await life.lastWords()
    if (words !== undefined) this.#problems.push(`${name} has ended by itself; its last words: ${words}`)
  }

  async #trying<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#wanted.ended.throwIfAborted()
      this.#problems.push(`${name} ${reasonOf(error)}`)
      return undefined
    }
  }

  async #migrate(first: First | undefined) {
    const { ended } = this.#wanted
    const { isQuiet } = this.#copy
    const beside = first?.beside
    let until: string | null = null
    let wayBack = first ? undefined : `${OLD} does not serve its own data`
    const startAgain = async ({ store, name }: Figures) => {
      if (wayBack !== undefined) return beside ? 'written' : 'as it was'
      const refused = await this.#refusedAgain()
      if (refused === undefined) until = name
      else wayBack = `after ${name} of ${store} ${OLD} ${refused}`
      return 'written'
    }
    try {
      await migrateSteps({
        ...{ copy: this.#copy, ended },
        alone: (step) => (beside && isQuiet ? beside.still(isQuiet, step) : step()),
        taken: ({ figures, losses }) => {
          ended.throwIfAborted()
          this.#figures.push(figures)
          this.#problems.push(...losses)
          return startAgain(figures)
        },
      })
    } catch (error) {
      ended.throwIfAborted()
      this.#problems.push(reasonOf(error))
      return { isMigrated: false, wayBack: wayBack ?? 'the migration did not end', until }
    }
    return { isMigrated: true, wayBack, until }
  }

  async #refusedAgain(): Promise<string | undefined> {
    try {
      await using _ = await serving(this.#wanted.old, this.#copy, this.#wanted.ended)
      return undefined
    } catch (error) {
      this.#wanted.ended.throwIfAborted()
      return reasonOf(error)
    }
  }

  async #backgroundWork(): Promise<readonly Work[]> {
    this.#wanted.say('it works in the background')
    try {
      return await backgroundWork(this.#copy.config, this.#wanted.ended)
    } catch (error) {
      this.#wanted.ended.throwIfAborted()
      this.#problems.push(`${NEW} cannot prepare the migrated stores: ${reasonOf(error)}`)
      return []
    }
  }

  async #wayBack(
    people: readonly Made[] | undefined,
    refused: string | undefined,
    until: string | null,
  ): Promise<WayBack> {
    const { old, ended } = this.#wanted
    const restore = 'the way back is to restore the backup'
    if (refused !== undefined) return { possible: false, until, words: `${refused}; ${restore}` }
    if (people === undefined) return { possible: false, until, words: `${NEW} did not serve; ${restore}` }
    try {
      await using life = await serving(old, this.#copy, ended)
      const { unread } = await visitPeople(life.url, people, ended)
      for (const words of unread) this.#unread.push(`${OLD}: ${words}`)
      return unread.length === 0
        ? { possible: true, until, words: `${OLD} starts again and goes on with what ${NEW} wrote` }
        : { possible: false, until, words: `${OLD} starts again, but: ${unread[0]}; ${restore}` }
    } catch (error) {
      ended.throwIfAborted()
      return { possible: false, until, words: `${OLD} ${reasonOf(error)}; ${restore}` }
    }
  }
}
