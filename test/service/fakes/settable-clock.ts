/** A clock that tests set. */
export class SettableClock {
  #milliseconds = Date.UTC(2026, 10, 21, 12)

  readonly now = (): number => this.#milliseconds

  advance({ days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 }: Partial<Record<Unit, number>>): void {
    this.#milliseconds += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds
  }
}

type Unit = 'days' | 'hours' | 'minutes' | 'seconds' | 'milliseconds'
