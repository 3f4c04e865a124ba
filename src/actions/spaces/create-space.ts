import type { Idempotency, Origin } from '../../access/asker.ts'
import { placeToCreate } from '../../access/guards/placement.ts'
import type { ApplyTemplate } from '../../content/edit/changes.ts'
import { filesWithTemplate } from '../../content/edit/template-space.ts'
import { escapeText } from '../../content/markdown/plain-text.ts'
import { newPage } from '../../content/page/edit.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import { createRepository } from '../../git/repositories/repository.ts'
import { digestId, randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { queueSearchIndex } from '../../queue/search.ts'
import { appendRevision } from '../../store/git/revisions.ts'
import { insertServiceCommit } from '../../store/git/service-commits.ts'
import { findCollection } from '../../store/spaces/collections.ts'
import { nextPosition } from '../../store/spaces/siblings.ts'
import { findSpace, insertSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { checkFiles } from '../clearance/check-files.ts'
import { recordOnSpace } from '../events/record-event.ts'
import { type NewRepository, publishNew } from '../journal/publish-new.ts'
import { checkNewSpace } from '../repositories/check-quota.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { markOpened } from '../repositories/opened.ts'
import { guardPushes } from '../repositories/push-policy.ts'
import { spaceFolder } from '../repositories/space-repository.ts'
import { removeRepository, setLeftoverAside } from './remove-repository.ts'

type NewSpace = Pick<SpaceRow, 'organization_id' | 'title'> &
  Partial<Pick<SpaceRow, 'collection_id' | 'emoji' | 'icon' | 'language' | 'edit_mode'>> & {
    /** True: no first page. */
    empty?: boolean
    /** The template of its first files. */
    template?: ApplyTemplate
  }

const primary = 'refs/heads/main'

/**
 * Creates a space: first its repository with a first commit (an empty page with the title of the
 * space, or no page), then its row, last in its collection. Returns the existing space for an
 * idempotency key that already created one. Throws the faults of `placeToCreate`, including for
 * rights that were revoked while the repository was being created, and those of `applyTemplate`.
 */
export async function createSpace(
  ctx: Context,
  wanted: NewSpace,
  by: UserRow,
  idempotency?: Idempotency,
  origin: Origin | null = null,
): Promise<SpaceRow> {
  const id = newSpaceId(idempotency)
  const before = findSpace(ctx.store, id)
  if (before) return before
  return createSpaces(ctx, [{ ...wanted, id }], { by, origin }, ([space]) => space!)
}

/** The user who creates spaces, and the origin of their request. */
type Maker = { by: UserRow; origin: Origin | null }

/**
 * Creates spaces with these ids, all or none, like `createSpace`. `then` runs in the transaction
 * that writes their rows, and gets these.
 */
export async function createSpaces<Result>(
  ctx: Context,
  wanted: readonly (NewSpace & { id: string })[],
  maker: Maker,
  then: (spaces: SpaceRow[]) => Result,
): Promise<Result> {
  const { by, origin } = maker
  const begun: string[] = []
  const prepared: PreparedSpace[] = []
  try {
    for (const each of wanted) {
      checkNewSpace(ctx, each.organization_id, by.id)
      await setLeftoverAside(ctx, each.id)
      begun.push(each.id)
      prepared.push(await prepareSpace(ctx, each, by))
    }
    return await publishNew(ctx, prepared, () =>
      then(
        prepared.map(({ row, at, commit, recordRevision }) => {
          placeToCreate(ctx, row.organization_id, row.collection_id ?? null, by.id)
          ctx.store.afterCommit(recordRevision)
          return writeRows(ctx, row, { by, at, commit, origin })
        }),
      ),
    )
  } catch (error) {
    for (const id of begun) if (!findSpace(ctx.store, id)) await removeRepository(ctx, id)
    throw error
  }
}

type PreparedSpace = NewRepository & {
  row: Omit<NewSpace, 'empty' | 'template'> & { id: string }
  at: Date
  commit: Oid
  /** Adds the first commit to the index of revisions. */
  recordRevision: () => void
}

/** Makes the repository of a space, which has no row yet. */
async function prepareSpace(
  ctx: Context,
  { empty, template, ...row }: NewSpace & { id: string },
  by: UserRow,
): Promise<PreparedSpace> {
  const { id } = row
  const at = ctx.now()
  const author = authorOf(by, at)
  const message = withTrailers('Create the space', {
    'Stemma-Space': id,
    'Stemma-Operation': 'create-space',
  })
  const first = empty ? [] : firstFiles(row.title)
  const files = template ? filesWithTemplate(id, first, template) : first

  markOpened(ctx, id)
  const { repo, commit, tree } = await makeRepository(ctx, id, files, {
    author,
    committer: service(at),
    message,
  })

  await guardPushes(ctx, repo, id)
  const revision = {
    space_id: id,
    oid: commit,
    tree,
    parents: [],
    author_name: author.name,
    author_email: author.email,
    message,
    committed_at: author.at,
  }
  const paths = files.map(([path]) => ({ path, status: 'added', from_path: null }))
  const moves = [{ ref: primary, from: null, to: commit }]
  const recordRevision = () => appendRevision(ctx.store, null, revision, paths)

  return { spaceId: id, repo, moves, row, at, commit, recordRevision }
}

type First = { by: UserRow; at: Date; commit: Oid; origin: Origin | null }

/** Writes the rows of a space whose repository has its first commit. */
function writeRows(
  ctx: Context,
  row: Omit<NewSpace, 'empty' | 'template'> & { id: string },
  { by, at, commit, origin }: First,
): SpaceRow {
  const { id } = row
  const time = at.toISOString()
  const space = addSpace(ctx, { ...row, created_by: by.id, created_at: time, updated_at: time })

  queueSearchIndex(ctx.store, id, at)
  insertServiceCommit(ctx.store, { space_id: id, oid: commit, kind: 'create-space' })
  const details = {
    revision: commit,
    ...(space.collection_id && { parent: space.collection_id }),
  }
  recordOnSpace(ctx, space, 'space.created', { userId: by.id, origin }, details, time)

  return space
}

/**
 * Returns the id of a new space. It is derived from the idempotency key, if there is one: a server
 * that is killed before it stores its answer does not create a second space when the request is
 * repeated.
 */
export const newSpaceId = (idempotency: Idempotency | undefined): string =>
  idempotency
    ? digestId('space', idempotency.userId, idempotency.key, idempotency.requestHash)
    : randomId()

/**
 * Inserts the row of a space, last in its collection or at the top level. Throws 'missing' for an
 * unknown collection.
 */
export function addSpace(ctx: Context, row: Parameters<typeof insertSpace>[1]): SpaceRow {
  const { organization_id, collection_id = null } = row
  if (
    collection_id !== null &&
    findCollection(ctx.store, collection_id)?.organization_id !== organization_id
  )
    throw missing('collection', collection_id)

  // Checked again inside the transaction, because several spaces may be created at the same time.
  if (row.created_by) checkNewSpace(ctx, organization_id, row.created_by)

  const position = nextPosition(ctx.store, organization_id, collection_id)
  return insertSpace(ctx.store, { ...row, position })
}

const firstFiles = (title: string): [path: string, text: string][] => [
  ['README.md', newPage({ title, markdown: '' })],
  ['SUMMARY.md', `# Table of contents\n\n* [${escapeText(title)}](README.md)\n`],
]

type Words = Omit<
  Parameters<ReturnType<typeof openQuarantine>['writeCommit']>[0],
  'tree' | 'parents'
>

async function makeRepository(
  ctx: Context,
  id: string,
  files: readonly [path: string, content: string | Uint8Array][],
  words: Words,
): Promise<{ repo: Repository; commit: Oid; tree: Oid }> {
  const repo = await createRepository(ctx.processes, spaceFolder(ctx.config.dataDir, id), {
    defaultBranch: primary,
  })
  const quarantine = openQuarantine(repo)
  const changes = []
  for (const [path, content] of files)
    changes.push({ path, oid: await quarantine.writeBlob(Buffer.from(content)) })
  const tree = await quarantine.writeTree(null, changes)
  const commit = await quarantine.writeCommit({ ...words, tree, parents: [] })

  await quarantine.flush()
  await checkFiles(ctx, repo, { head: commit, beside: [] })

  return { repo, commit, tree }
}
