import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'

const hours = 3_600_000

/**
 * Adds the objects of a pack that `packObjects` wrote to the repository in a folder, which has those
 * that the pack is based on. Repeated calls do no harm. Throws GitError, and the errors of `pack`.
 */
export async function installPack(
  repo: { readonly dir: string },
  pack: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { code, stderr } = await runGit(repo, ['index-pack', '--stdin', '--fix-thin'], {
    input: pack,
    timeoutMs: hours,
  })
  if (code !== 0) throw commandError('add a pack', code, stderr)
}

/**
 * Adds those objects of a damaged pack that can be read, up to the first that cannot, as loose ones. Each
 * has the id of its content, so none of them is damaged.
 */
export async function salvagePack(
  repo: { readonly dir: string },
  pack: AsyncIterable<Uint8Array>,
): Promise<void> {
  await runGit(repo, ['unpack-objects', '-r', '-q'], { input: pack, timeoutMs: hours })
}
