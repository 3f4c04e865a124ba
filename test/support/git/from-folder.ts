import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { haveFollowed } from '../../../src/actions/catch-up/catch-up.ts'
import { newMark, readPosition, writePosition } from '../../../src/actions/catch-up/position.ts'
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

/** Ends that for a node which stops. */
export const forgetFolders = (ctx: Context): unknown => nodes.delete(ctx)

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

/** Resolves when the folders of the nodes have what was answered: tests look into them. */
export const foldersFollow = (): Promise<unknown> => Promise.all([...nodes].map(haveFollowed))

/** The folders in which tests have run git since the last request. */
const touched = new Set<string>()

/** Records that a test runs git in a folder. */
export const touchFolder = (dir: string): unknown => nodes.size > 0 && touched.add(dir)

/** Takes what git has done in these folders into the databases of their nodes. */
export async function takeFromFolders(): Promise<void> {
  for (const dir of touched) {
    touched.delete(dir)
    await takeFromFolder(dir)
  }
}

/**
 * Takes what was committed into a folder without the API into the database of its node, as one
 * machine records a push from a shell. Does nothing for other repositories.
 */
export async function takeFromFolder(dir: string): Promise<void> {
  const ctx = [...nodes].find(({ config }) => dir.startsWith(`${config.dataDir}/spaces/`))
  const key = basename(dir, '.git')
  // A test may hold the lock while it sends a request.
  if (ctx && (await differs(ctx, key, dir))) await ctx.locks.run(key, () => take(ctx, key, dir))
}

/** Returns whether a folder that has caught up has other refs than the database. */
async function differs({ store, processes }: Context, key: string, dir: string): Promise<boolean> {
  const state = findGitState(store, key)
  if (!state || readPosition(dir)?.seq !== state.seq) return false
  const held = await listRefs({ dir, processes }, 'refs/')
  return !isDeepStrictEqual(held, listMirroredRefs(store, key))
}

async function take(ctx: Context, key: string, dir: string): Promise<void> {
  const { store, processes } = ctx
  const repo: Repository = { dir, processes }
  const held = () => listRefs(repo, 'refs/')
  const before = listMirroredRefs(store, key)
  if (!(await differs(ctx, key, dir))) return
  await reconcileAgainIfRaced(asAlone(ctx), { id: key })
  const refs = await held()
  const pack = await sendPack(ctx, key, repo, {
    wants: [...refs.values()],
    haves: [...before.values()],
  })
  const position = store.transact(() => {
    const { epoch } = findGitState(store, key)!
    const mark = newMark()
    for (const ref of before.keys()) if (!refs.has(ref)) putMirroredRef(store, key, ref, null)
    for (const [ref, oid] of refs) putMirroredRef(store, key, ref, oid)
    const seq = advanceGitState(store, { space_id: key, epoch, mark })!
    placePack(ctx, key, pack, { seq, mark })
    return { epoch, seq, mark, packMark: mark }
  })
  writePosition(dir, position)
}
