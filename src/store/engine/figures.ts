/** What the use of a database on another machine has cost since the start. */
export class Figures {
  /** The number of answers that reads and transactions waited for. */
  trips = 0
  /** The number of answers for which the program waited and did nothing else. */
  blocks = 0
  /** How long it did so, in milliseconds. */
  waitedMs = 0
  /** The number of transactions that ran again, by the statement that failed. */
  readonly repeats = new Map<string, number>()
  #longestMs = 0

  /** Counts an answer for which the program waited and did nothing else. */
  addBlock(ms: number): void {
    this.blocks++
    this.waitedMs += ms
    this.#longestMs = Math.max(this.#longestMs, ms)
  }

  /** Counts a transaction that runs again because such a statement failed. */
  addRepeat(statement: string): void {
    this.repeats.set(statement, (this.repeats.get(statement) ?? 0) + 1)
  }

  /** Returns the longest wait since the last call, in milliseconds. */
  takeLongestMs(): number {
    const ms = this.#longestMs
    this.#longestMs = 0
    return ms
  }
}
