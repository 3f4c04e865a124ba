import { basename } from 'node:path'
import { writePosition } from '../../../src/actions/catch-up/position.ts'
import { reconcileAgainIfRaced } from '../../../src/actions/heads/reconcile-space.ts'
import { placePack, sendPack } from '../../../src/actions/journal/send-pack.ts'
import type { Context } from '../../../src/context.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { listRefs } from '../../../src/git/refs/refs.ts'
import { advanceGitState, findGitState } from '../../../src/store/cluster/git-state.ts'
import { listMirroredRefs, putMirroredRef } from '../../../src/store/git/refs.ts'
import type { Store } from '../../../src/store/store.ts'

/** The contexts of the servers of this process whose database holds the repositories. */
const nodes = new Set<Context>()

/** Makes what tests commit into the folders of a node reach its database. */
export function watchFolders(ctx: Context): void {
  if (ctx.store.isShared) nodes.add(ctx)
}

/** Returns a context that takes a folder for the truth, as one machine does. */
const asAlone = (ctx: Context): Context => ({
  ...ctx,
  store: new Proxy(ctx.store, {
    get(store, name) {
      if (name === 'isShared') return false
      const value = store[name as keyof Store]
      return typeof value === 'function' ? value.bind(store) : value
    },
  }),
})

/**
 * Takes what was committed into a folder without the API into the database of its node, as one
 * machine records a push from a shell. Does nothing for other repositories.
 */
export async function takeFromFolder(repo: Repository): Promise<void> {
  const ctx = [...nodes].find(({ config }) => repo.dir.startsWith(`${config.dataDir}/spaces/`))
  const key = basename(repo.dir, '.git')
  if (!ctx || !findGitState(ctx.store, key)) return
  const { store } = ctx
  await ctx.locks.run(key, async () => {
    const before = listMirroredRefs(store, key)
    await reconcileAgainIfRaced(asAlone(ctx), { id: key })
    const refs = await listRefs(repo, 'refs/')
    const pack = await sendPack(ctx, key, repo, {
      wants: [...refs.values()],
      haves: [...before.values()],
    })
    const position = store.transact(() => {
      const { epoch } = findGitState(store, key)!
      for (const [ref, oid] of refs) putMirroredRef(store, key, ref, oid)
      const seq = advanceGitState(store, { space_id: key, epoch })!
      placePack(ctx, key, pack, seq)
      return { epoch, seq }
    })
    writePosition(repo.dir, position)
  })
}
