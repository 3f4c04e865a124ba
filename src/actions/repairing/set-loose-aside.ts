import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../../context.ts'
import { deleteRepository } from '../../store/cluster/git-state.ts'
import {
  findRepository,
  listLooseRows,
  listPacks,
  listRefs,
  readPack,
} from '../../store/engine/moving/git-rows.ts'
import { openSource } from '../../store/engine/moving/moving-database.ts'
import type { Connection } from '../../store/engine/postgres/connection.ts'
import { deleteMirroredRefs } from '../../store/git/refs.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { buildFromRows } from '../moving/build-from-rows.ts'
import { organizationOf } from '../repositories/repository-of.ts'
import { lostFolder } from '../repositories/set-aside.ts'

/** A repository whose rows belonged to nothing, and the folder with what they had. */
export type SetAside = { key: string; folder: string }

/**
 * Moves repositories that no space or organization owns from the database into the folder `lost`, where they
 * are kept for 30 days: their owners may be what was lost. One whose packs are damaged becomes a
 * folder with these packs and a list of its refs. Nodes may be running.
 */
export async function setLooseAside(ctx: Context): Promise<SetAside[]> {
  const source = await openSource(ctx.config.database!.url)
  try {
    const loose = (await listLooseRows(source)).filter(({ hasOwner }) => !hasOwner)
    const done: SetAside[] = []
    for (const key of new Set(loose.map(each => each.key))) {
      const folder = await keep(ctx, source, key)
      const isDeleted = ctx.store.transact(() => {
        if (hasOwner(ctx, key)) return false
        deleteRepository(ctx.store, key)
        deleteMirroredRefs(ctx.store, key)
        return true
      })
      if (isDeleted) done.push({ key, folder })
    }
    return done
  } finally {
    await source.close()
  }
}

function hasOwner({ store }: Context, key: string): boolean {
  const organization = organizationOf(key)
  return organization === undefined
    ? findSpace(store, key) !== undefined
    : findOrganization(store, organization) !== undefined
}

/** Writes what the rows of a repository have to a folder, and returns its path. */
async function keep(ctx: Context, source: Connection, key: string): Promise<string> {
  // Rows may have any key.
  const name = `${key.replace(/[^\w-]/g, '_').slice(0, 100)}.git-${ctx.now().getTime()}`
  const folder = join(ctx.config.dataDir, lostFolder, name)
  const held = await findRepository(source, key)
  if (held) {
    try {
      await buildFromRows(source, ctx.processes, { ...held, key, dir: folder })
      return folder
    } catch (error) {
      ctx.log.warn({ repository: key, err: String(error) }, 'a lost repository is damaged')
    }
  }
  const files = `${folder}.damaged`
  await mkdir(files, { recursive: true, mode: 0o700 })
  const refs = [...(await listRefs(source, key))].map(([ref, oid]) => `${oid} ${ref}\n`)
  await writeFile(join(files, 'refs'), refs.join(''), { mode: 0o600 })
  for (const seq of await listPacks(source, key))
    await pipeline(
      readPack(source, key, seq),
      createWriteStream(join(files, `${seq}.pack`), { mode: 0o600 }),
    )
  return files
}
