/** Rolls a decision back, because somebody outside has to be asked first. */
class Unasked extends Error {
  override readonly name = 'Unasked'
  readonly by: object
  readonly question: unknown

  constructor(by: object, question: unknown) {
    super('a decision has to be made again, with an answer from outside')
    this.by = by
    this.question = question
  }
}

/** One question to somebody outside, which decisions depend on and which is asked at most once, while nothing is locked. */
export class Asked<Question, Answer> {
  readonly #ask: (question: Question) => Promise<Answer>
  #answer: { readonly value: Answer } | undefined

  constructor(ask: (question: Question) => Promise<Answer>) {
    this.#ask = ask
  }

  /** In a decision, once all else is right. The first time, this ends the decision without a trace. */
  answerTo(question: Question): Answer {
    if (!this.#answer) throw new Unasked(this, question)
    return this.#answer.value
  }

  /** Does what has the decision; if that needs the answer, asks, and does it again. */
  async around<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unasked) || error.by !== this) throw error
      this.#answer = { value: await this.#ask(error.question as Question) }
      return work()
    }
  }
}
