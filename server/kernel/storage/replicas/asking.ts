/**
 * Puts a question for all who ask at the same time. Each gets an answer to a question that was sent after it asked; one
 * is under way at a time.
 */
export class SharedQuestion<T> {
  readonly #put: () => Promise<T>
  #underWay: Promise<unknown> = Promise.resolve()
  #next: Promise<T> | undefined

  constructor(put: () => Promise<T>) {
    this.#put = put
  }

  ask(): Promise<T> {
    this.#next ??= this.#askNext()
    return this.#next
  }

  async #askNext(): Promise<T> {
    await this.#underWay
    this.#next = undefined
    const answer = this.#put()
    this.#underWay = answer.catch(() => {})
    return answer
  }
}
