/** What an import did not take over, or could not follow: the path of a file, and a sentence about it. */
export type ImportFinding = { path: string; message: string }

/** The most findings that are listed one by one. */
const mostFindings = 200

/** Collects the findings of an import. */
export class Findings {
  readonly #listed: ImportFinding[] = []
  #more = 0

  add(path: string, message: string): void {
    if (this.#listed.length < mostFindings)
      this.#listed.push({ path: path.slice(0, 500), message: message.slice(0, 500) })
    else this.#more++
  }

  /** Returns the findings; the last of them counts those that are not listed. */
  list(): ImportFinding[] {
    if (this.#more === 0) return this.#listed
    return [...this.#listed, { path: '', message: `There are ${this.#more} more findings.` }]
  }
}

/** Thrown for files that cannot be imported at all, with a sentence for the person who sent them. */
export class Unreadable extends Error {}
