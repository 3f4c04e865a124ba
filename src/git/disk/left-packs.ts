import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolders } from './durable.ts'

const left = /^\.tmp-\d+-pack-([0-9a-f]{40})\.(pack|rev|idx)$/
/** Git discovers a pack by its index, so the index comes last. */
const order = ['pack', 'rev', 'idx']

/**
 * Renames packs to their final names after a `git repack` was killed before it did. Git finds a
 * pack by its index whatever the two are called, so another process may already have removed the
 * loose objects it contains: such a pack must never be deleted. A pack without an index was never
 * read and stays as it is. Safe to repeat after being killed itself.
 */
export async function nameLeftPacks(repo: { readonly dir: string }): Promise<void> {
  const folder = join(repo.dir, 'objects/pack')
  const names: string[] = await readdir(folder).catch(() => [])
  const packs = new Set(names.flatMap(name => left.exec(name)?.[1] ?? []))
  const named: string[] = []

  for (const pack of packs) {
    const files = names.flatMap(name => {
      const [, of, kind = ''] = left.exec(name) ?? []
      return of === pack ? { from: name, to: `pack-${pack}.${kind}`, kind } : []
    })
    const has = (kind: string) =>
      files.some(file => file.kind === kind) || names.includes(`pack-${pack}.${kind}`)
    if (!has('idx') || !has('pack')) continue
    files.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
    for (const { from, to } of files) await rename(join(folder, from), join(folder, to))
    named.push(pack)
  }

  if (named.length > 0) await syncFolders([folder])

  // The remaining files of these packs only speed up reading.
  for (const name of names)
    if (named.some(pack => name.startsWith('.tmp-') && name.includes(`-pack-${pack}.`)))
      await rm(join(folder, name), { force: true })
}
