import type { Oid } from '../../lib/oid.ts'
import type { ObjectAnswer, ObjectReader } from '../process/cat-file.ts'
import type { Repository } from '../process/processes.ts'
import type { PackObject } from './plain-objects.ts'

/** Reads some objects from memory, and all others through the process of a repository. */
export class MemoryReader implements ObjectReader {
  /** Never idle: no process could read the objects. */
  readonly pending = 1
  readonly #objects: ReadonlyMap<Oid, PackObject>
  readonly #others: Repository

  constructor(objects: ReadonlyMap<Oid, PackObject>, others: Repository) {
    this.#objects = objects
    this.#others = others
  }

  async ask(oid: Oid, maxBytes: number): Promise<ObjectAnswer | undefined> {
    const found = this.#objects.get(oid)
    if (!found) return this.#others.processes.catFile(this.#others.dir).ask(oid, maxBytes)
    const { type, content } = found
    return { oid, type, size: content.length, ...(content.length <= maxBytes && { content }) }
  }

  endIfStuck(): void {}
  close(): void {}
}
