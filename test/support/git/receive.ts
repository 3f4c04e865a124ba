import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import { checkObjects } from '../../../src/git/receiving/check-objects.ts'
import { receivePack, withQuarantine } from '../../../src/git/receiving/quarantine.ts'
import { listRefs } from '../../../src/git/refs/refs.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import type { Bench } from './repo.ts'

export async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** How a pack is checked: in memory where that is simple, or by a process in any case. */
export type Way = 'memory' | 'file'
export const ways: readonly Way[] = ['memory', 'file']

type Options = { way?: Way; fileBytes?: number; isPartial?: boolean }

/**
 * Returns a function that passes a pack through all checks into a repository, and returns the new
 * commits with their parents. Nothing may stay in the folder for staging.
 */
export const pushInto =
  ({ folder }: Bench) =>
  async (
    repo: Repository,
    pack: Buffer,
    tip: string,
    { way = 'memory', fileBytes = 1024 ** 2, isPartial = false }: Options = {},
  ): Promise<Map<Oid, readonly Oid[]>> => {
    const staging = join(folder, 'staging')
    await mkdir(staging, { recursive: true })

    try {
      return await withQuarantine(repo, staging, async quarantine => {
        const received = await receivePack(quarantine, chunksOf(pack), 64 * 1024 ** 2)
        if (way === 'file' && received.whole) {
          await quarantine.writePack(received.whole)
          delete received.whole
        }

        const visible = [...(await listRefs(repo, 'refs/heads/')).values()]
        const options = { tips: [asOid(tip)], visible, fileBytes, isPartial }
        const checked = await checkObjects(quarantine, received, options)

        await checked.take()

        return checked.parents
      })
    } finally {
      assert.equal(await readdir(staging), [])
    }
  }
