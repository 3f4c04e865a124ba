import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolders } from './durable.ts'

const left = /^\.tmp-\d+-pack-([0-9a-f]{40})\.(pack|rev|idx)$/
/** The index makes a pack known, so it comes last. */
const order = ['pack', 'rev', 'idx']

/**
 * Gives packs their lasting names where a `git repack` was killed before it did. Git reads a pack by its index whatever the
 * two are called, so another process may have removed the loose objects that are in it: such a pack is never to be thrown
 * away. One without an index was never read by anybody, and stays as it is. May be called again after it was killed itself.
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
  // What else there was of these packs only makes reading them faster.
  for (const name of names)
    if (named.some(pack => name.startsWith('.tmp-') && name.includes(`-pack-${pack}.`)))
      await rm(join(folder, name), { force: true })
}
