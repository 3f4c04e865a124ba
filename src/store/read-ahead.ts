import type { Changes, ReadScope } from './changes.ts'
import type { Questions, ReadsAhead, Results } from './engine/driver.ts'
import { ignoreDatabaseError } from './note.ts'
import type { WriteScope } from './write-scope.ts'

/** The most groups, the most reads of one, and the most statements of one read. */
const mostGroups = 2_000
const mostReads = 8
const mostAsked = 3

type Read = {
  key: string
  scope: ReadScope | undefined
  /** The version of the rows before it. */
  version: number
}

type Group = {
  /** What each read asked for when it ran last, the latest read at the end. */
  asked: Map<string, Questions>
  /** Results that were read together, and the version before them. */
  ahead: { results: Results; version: number } | undefined
}

/**
 * Saves trips to a database on another machine: after a change, the reads of a space that ran lately will
 * run again one after the other. After a change of this process, the rows of all are fetched at once,
 * and nothing waits for them. After one of another node, the first read fetches the rows of all in one
 * trip. A read takes its rows only while nothing has changed that concerns it.
 */
export class ReadAhead {
  readonly #driver: ReadsAhead
  readonly #changes: Changes
  readonly #groups = new Map<string, Group>()
  /** The names of the groups whose rows this process has just changed. */
  readonly #changed = new Set<string>()

  constructor(driver: ReadsAhead, changes: Changes) {
    this.#driver = driver
    this.#changes = changes
  }

  run<Value>(about: Read, read: () => Value): Value {
    const { key, scope } = about
    const name = scope?.spaceId ?? scope?.organizationId
    if (name === undefined) return read()
    const group = this.#groupOf(name)
    const { value, asked } = this.#driver.run(this.#knownTo(group, about), read)
    group.asked.delete(key)
    if (asked.length > 0 && asked.length <= mostAsked) group.asked.set(key, asked)
    if (group.asked.size > mostReads) group.asked.delete(group.asked.keys().next().value as string)
    return value
  }

  /** Notes a write of this process. Its transaction ends before the event loop goes on. */
  noteWrite(scope: WriteScope): void {
    if (scope === undefined || scope === 'derived') return
    const name = 'spaceId' in scope ? scope.spaceId : scope.organizationId
    if (!this.#groups.get(name)?.asked.size) return
    if (this.#changed.size === 0) setImmediate(() => this.#fetchChanged())
    this.#changed.add(name)
  }

  #fetchChanged(): void {
    const names = [...this.#changed]
    this.#changed.clear()
    for (const name of names)
      this.#fetch(this.#groupOf(name)).catch(error => ignoreDatabaseError(error))
  }

  async #fetch(group: Group): Promise<void> {
    const { version } = this.#changes
    const results = await this.#driver.askBeside([...group.asked.values()].flat())
    group.ahead = { results, version }
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name)
    if (known) return known
    if (this.#groups.size >= mostGroups) this.#groups.clear()
    const made: Group = { asked: new Map(), ahead: undefined }
    this.#groups.set(name, made)
    return made
  }

  #knownTo(group: Group, { key, scope, version }: Read): Results | undefined {
    const { ahead, asked } = group
    if (ahead && this.#changes.isCurrent(ahead.version, scope)) return ahead.results
    group.ahead = undefined
    if (asked.size < 2 || !asked.has(key)) return undefined
    const results = this.#driver.ask([...asked.values()].flat())
    group.ahead = { results, version }
    return results
  }
}
