import type { WriteScope } from './write-scope.ts'

/**
 * What a read depends on, beside rows that may concern any read: the rows of a space, of an
 * organization, or of both. A read of a space that depends on the rights or settings of its
 * organization names both.
 */
export type ReadScope = { readonly spaceId?: string; readonly organizationId?: string }

/** The maximum number of spaces and organizations whose last write is remembered. */
const mostScopes = 10_000

/**
 * When rows last changed, by what the writes concerned. Times are versions, which only increase.
 */
export class Changes {
  #version = 0
  /** The version of the last write that may concern any read. */
  #anyAt = 0
  /** The versions of the last writes that concern one space or one organization only, by its id. */
  readonly #at = new Map<string, number>()

  get version(): number {
    return this.#version
  }

  /** Records a write. */
  note(scope: WriteScope): void {
    this.#version++
    if (scope === 'derived') return
    if (scope === undefined || this.#at.size >= mostScopes) {
      this.#at.clear()
      this.#anyAt = this.#version
      return
    }
    this.#at.set('spaceId' in scope ? scope.spaceId : scope.organizationId, this.#version)
  }

  /**
   * Returns whether no write since `version` concerns a read; undefined: a read that any write
   * concerns.
   */
  isCurrent(version: number, scope: ReadScope | undefined): boolean {
    if (version === this.#version) return true
    if (scope === undefined || this.#anyAt > version) return false
    return this.#before(scope.spaceId, version) && this.#before(scope.organizationId, version)
  }

  #before(id: string | undefined, version: number): boolean {
    return id === undefined || (this.#at.get(id) ?? 0) <= version
  }
}
