import type { Context } from '../context.ts'
import { openQuarantine } from '../git/quarantine.ts'
import { moveRefs } from '../git/refs.ts'
import { createRepository } from '../git/repository.ts'
import { randomId } from '../lib/digest.ts'
import { putMirroredRef } from '../store/refs.ts'
import { appendRevision } from '../store/revisions.ts'
import type { SpaceRow, UserRow } from '../store/rows.ts'
import { insertSpace } from '../store/spaces.ts'
import { authorOf, service, withTrailers } from './people.ts'
import { spaceFolder } from './space-repository.ts'

export type NewSpace = Pick<SpaceRow, 'organization_id' | 'title'> &
  Partial<Pick<SpaceRow, 'collection_id' | 'emoji' | 'icon' | 'language' | 'edit_mode' | 'position'>> & {
    /** Without a first page. */
    empty?: boolean
  }

const primary = 'refs/heads/main'

/** Makes a space: its repository with a first commit (an empty page titled like it, or nothing), then its row. */
export async function createSpace(ctx: Context, { empty, ...row }: NewSpace, by: UserRow): Promise<SpaceRow> {
  const id = randomId()
  const at = ctx.now()
  const repo = await createRepository(ctx.processes, spaceFolder(ctx.config.dataDir, id), {
    defaultBranch: primary,
  })
  const quarantine = openQuarantine(repo)
  const files: [path: string, text: string][] = empty
    ? []
    : [
        ['README.md', `# ${row.title}\n`],
        ['SUMMARY.md', `# Table of contents\n\n* [${row.title.replace(/[\\[\]]/g, '\\$&')}](README.md)\n`],
      ]
  const changes = []
  for (const [path, text] of files) changes.push({ path, oid: await quarantine.writeBlob(Buffer.from(text)) })
  const tree = await quarantine.writeTree(null, changes)
  const message = withTrailers('Create the space', { 'Stemma-Space': id, 'Stemma-Operation': 'create-space' })
  const author = authorOf(by, at)
  const commit = await quarantine.writeCommit({ tree, parents: [], author, committer: service(at), message })
  await quarantine.flush()
  await moveRefs(repo, [{ ref: primary, from: null, to: commit }])

  const time = at.toISOString()
  return ctx.store.transact(() => {
    const space = insertSpace(ctx.store, {
      ...row,
      id,
      created_by: by.id,
      created_at: time,
      updated_at: time,
    })
    putMirroredRef(ctx.store, id, primary, commit)
    const revision = {
      space_id: id,
      oid: commit,
      tree,
      parents: '[]',
      author_name: author.name,
      author_email: author.email,
      message,
      committed_at: author.at,
    }
    appendRevision(
      ctx.store,
      null,
      revision,
      files.map(([path]) => ({ path, status: 'added', from_path: null })),
    )
    return space
  })
}
