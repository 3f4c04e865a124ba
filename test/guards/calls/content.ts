import { putImportRun, putUpload } from '../rows.ts'
import {
  another,
  insertPage,
  must,
  newChangeRequest,
  newSpace,
  noteGitSync,
  type World,
} from '../world.ts'
import { type Calls, fresh, own } from './call.ts'

/** A space without direct edits. */
export async function lockedSpace(world: World): Promise<string> {
  const spaceId = await newSpace(world)
  await must(world.by, 'PATCH', `/spaces/${spaceId}`, { editMode: 'locked' })
  return spaceId
}

/** A space whose change requests need a subject before a merge. */
export async function ruledSpace(world: World): Promise<string> {
  const spaceId = await newSpace(world)
  const mergeRules = { type: 'rules', rules: [{ rule: 'require_change_request_subject' }] }
  await must(world.by, 'PATCH', `/spaces/${spaceId}`, { mergeRules })
  return spaceId
}

/** A change request with a change, in the world's space or the given one. */
async function requestIn(world: World, spaceId = world.ids.spaceId as string) {
  return { spaceId, changeRequestId: await newChangeRequest(world, spaceId) }
}

/** An import that waits, for whose start nothing was queued. */
const newImport = ({ app, by, ids }: World) =>
  putImportRun(app, { organizationId: ids.organizationId!, spaceId: ids.spaceId! }, by.id)

// No server listens there: queued operations fail immediately.
const remote = { url: 'http://127.0.0.1:2/docs.git', ref: 'refs/heads/main' }
/** The id of the content is that of the text "# Folder\n". */
const folder = {
  files: { 'README.md': '100644 658b202c840992c209d2df9d4a598d4fc4f44622' },
  contents: [Buffer.from('# Folder\n').toString('base64')],
  replace: true,
}
const page = () => insertPage(another('Page'))

/** A merged change request, in a space of its own. */
async function mergedRequest(world: World) {
  const ids = await requestIn(world, await newSpace(world))
  const path = `/spaces/${ids.spaceId}/change-requests/${ids.changeRequestId}`
  await must(world.by, 'POST', `${path}/merge`)
  return { ids }
}

/** Calls that change the content of spaces: directly, by change requests and by Git sync. */
export const content: Calls = {
  updateContent: fresh(() => ({ body: page() })),
  'updateContent@locked': fresh(async world => ({
    ids: { spaceId: await lockedSpace(world) },
    body: page(),
  })),
  'updateContent@rules': fresh(async world => ({
    ids: { spaceId: await ruledSpace(world) },
    body: page(),
  })),
  updateChangeRequestContent: fresh(() => ({ body: page() })),
  createChangeRequest: fresh(() => ({ body: { subject: another('Subject') } })),
  updateChangeRequestById: fresh(() => ({ body: { subject: another('Subject') } })),
  mergeChangeRequest: fresh(async world => ({ ids: await requestIn(world) })),
  'mergeChangeRequest@locked': fresh(async world => ({
    ids: await requestIn(world, await lockedSpace(world)),
  })),
  'mergeChangeRequest@rules': fresh(async world => ({
    ids: await requestIn(world, await ruledSpace(world)),
  })),
  updateChangeRequest: fresh(async world => {
    const ids = await requestIn(world)
    await must(world.by, 'POST', `/spaces/${ids.spaceId}/content`, page())
    return { ids }
  }),
  revertChangeRequest: fresh(mergedRequest),
  revertContent: fresh(async world => {
    const { ids } = await mergedRequest(world)
    const list = `/spaces/${ids.spaceId}/revisions`
    const { items } = (await must(world.by, 'GET', list)) as { items: { id: string }[] }
    return { ids, body: { revision: items.at(-1)!.id } }
  }),
  importGitRepository: fresh(async world => ({
    ids: { spaceId: await newSpace(world) },
    body: remote,
  })),
  'importGitRepository@locked': fresh(async world => ({
    ids: { spaceId: await lockedSpace(world) },
    body: remote,
  })),
  'importGitRepository@rules': fresh(async world => ({
    ids: { spaceId: await ruledSpace(world) },
    body: remote,
  })),
  startImportRun: own(({ app, by, ids }, { actor }) => ({
    body: {
      source: { type: 'file', files: [putUpload(app, ids.organizationId!, actor.id || by.id)] },
      target: { space: ids.spaceId },
    },
  })),
  cancelImportRun: fresh(world => ({ ids: { importRunId: newImport(world) } })),
  importFolder: fresh(async world => ({ ids: { spaceId: await newSpace(world) }, body: folder })),
  'importFolder@locked': fresh(async world => ({
    ids: { spaceId: await lockedSpace(world) },
    body: folder,
  })),
  'importFolder@rules': fresh(async world => ({
    ids: { spaceId: await ruledSpace(world) },
    body: folder,
  })),
  importFolderIntoChangeRequest: fresh(async world => ({
    ids: await requestIn(world),
    body: folder,
  })),
  exportToGitRepository: fresh(async world => ({
    ids: { spaceId: await newSpace(world) },
    body: { ...remote, commitMessage: 'Publish' },
  })),
  'exportToGitRepository@locked': fresh(async world => ({
    ids: { spaceId: await lockedSpace(world) },
    body: { ...remote, commitMessage: 'Publish' },
  })),
  deleteLegacyGitInstallation: fresh(async world => {
    const spaceId = await newSpace(world)
    noteGitSync(world.app, spaceId)
    return { ids: { spaceId } }
  }),
}
