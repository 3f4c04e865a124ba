import { changeRequest } from '../../../access/guards/change-request.ts'
import { primaryWriter } from '../../../access/guards/primary.ts'
import { space } from '../../../access/guards/space.ts'
import { recordOnSpace } from '../../../actions/events/record-event.ts'
import { findingsOfRun } from '../../../actions/findings/findings-of-run.ts'
import { queueGitSync } from '../../../actions/git-sync/queue-git-sync.ts'
import { Fault, missing } from '../../../errors.ts'
import { createdAt, endpoint, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import {
  deleteGitSync,
  findGitSync,
  findGitSyncRun,
  listGitSyncRuns,
} from '../../../store/git/git-sync.ts'
import { ChangeRequestPath, SpacePath } from '../../base/paths-schema.ts'
import { takeFolder } from './folder.ts'
import { presentGitSync, presentOperation } from './present.ts'
import {
  ExportBody,
  FolderBody,
  FolderImport,
  GitSyncOperation,
  GitSyncState,
  ImportBody,
  OperationPath,
  OperationsQuery,
} from './schema.ts'

/** Answers with the URL of the started operation in `Location`; the answer has no body. */
const started = ({ location }: { location: string }) => createdAt(location, undefined)

export const importGitRepository = endpoint({
  operationId: 'importGitRepository',
  summary: 'Import a Git repository into a space',
  description:
    'The import runs as a job: the answer comes at once and has no body, and its header `Location` is the address at which `state` says how the job ends. A space with nothing but its first commit takes over the imported history unchanged; otherwise the branch is merged. Conflicts, and histories without a common commit, end the operation without changes, unless "force" prefers the repository or "replace" takes only its files. In a locked space the caller needs the role "admin"; the same applies with merge rules, unless "allow_bypass" lists the caller.',
  params: SpacePath,
  body: ImportBody,
  reply: nothing,
  access: primaryWriter('import'),
  handle: async ({ ctx, space, user, body, request }) =>
    started(await queueGitSync(ctx, space, user, { ...body, direction: 'import' }, request)),
})

export const importFolderFiles = endpoint({
  operationId: 'importFolder',
  summary: 'Import the files of a folder into a space',
  description:
    'Makes the files one commit on top of the previous import of a folder, and merges what was changed in the space since; without changes, it makes no commit. Files that the space has already need only their Git object ids: when others are missing, nothing changes, and "missing" lists them, so that the request can be repeated with their contents. Conflicts change nothing, unless "force" prefers the folder or "replace" takes only its files. The rights are those of an import.',
  params: SpacePath,
  body: FolderBody,
  bodyLimit: 30_000_000,
  reply: FolderImport,
  access: primaryWriter('import'),
  handle: ({ ctx, space, user, body }) => takeFolder(ctx, { space, by: user }, body),
})

export const importFolderIntoChangeRequest = endpoint({
  operationId: 'importFolderIntoChangeRequest',
  summary: 'Import the files of a folder into a change request',
  description:
    'Works like `POST /spaces/{spaceId}/git/folder`, on the branch of the change request: its first import continues the last one into the primary content, and the others continue its own. The primary content stays as it is.',
  params: ChangeRequestPath,
  body: FolderBody,
  bodyLimit: 30_000_000,
  reply: FolderImport,
  access: changeRequest('edit'),
  handle: ({ ctx, space, changeRequest, user, body, request: { origin } }) =>
    takeFolder(ctx, { space, changeRequest, by: user, origin }, body),
})

export const exportToGitRepository = endpoint({
  operationId: 'exportToGitRepository',
  summary: 'Export a space to a Git repository',
  description:
    'Starts a durable job; the header `Location` leads to it. Creates one commit with "commitMessage" on the remote branch and then moves the space to it, so that both are equal; without changes, nothing is pushed. Conflicts, and histories without a common commit, end the operation without changes, unless "force" prefers the space or "replace" keeps only its files. Changes of the remote branch that the space lacks are merged into the space; the caller then needs the rights of an import.',
  params: SpacePath,
  body: ExportBody,
  reply: nothing,
  access: primaryWriter('export'),
  handle: async ({ ctx, space, user, body, request }) =>
    started(await queueGitSync(ctx, space, user, { ...body, direction: 'export' }, request)),
})

export const getSpaceGitInfo = endpoint({
  operationId: 'getSpaceGitInfo',
  summary: 'Get the Git sync state of a space',
  description:
    'The repository of the last import or export that succeeded. A space that was never synchronised is a 404.',
  params: SpacePath,
  reply: GitSyncState,
  access: space('read'),
  handle: ({ ctx, space }) => {
    const row = findGitSync(ctx.store, space.id)
    if (!row)
      throw new Fault(
        'never_synced',
        'The space has no Git sync state: it was never imported or exported.',
      )
    return presentGitSync(row)
  },
})

export const deleteLegacyGitInstallation = endpoint({
  operationId: 'deleteLegacyGitInstallation',
  summary: 'Delete the Git sync state of a space',
  description:
    'Forgets the repository, so that pages no longer link to it. Content, history and the repository stay as they are.',
  params: SpacePath,
  reply: nothing,
  access: space('admin'),
  write: ({ ctx, space, by }) => {
    if (deleteGitSync(ctx.store, space.id) > 0) recordOnSpace(ctx, space, 'git_sync.forgotten', by)
  },
})

export const listGitOperations = listing({
  operationId: 'listGitOperations',
  summary: 'List the Git imports and exports of a space, newest first',
  description: 'With their state and progress, also those that are queued.',
  params: SpacePath,
  query: OperationsQuery,
  item: GitSyncOperation,
  access: space('edit'),
  list: ({ ctx, space }) => ({
    name: `git-operations ${space.id}`,
    rows: (limit, after) => listGitSyncRuns(ctx.store, space.id, limit, after),
    // The texts of conflicts may be long.
    length: row => JSON.stringify(row.error).length,
    show: rows => rows.map(row => presentOperation(row, ctx.publicUrl())),
  }),
})

export const getGitOperation = endpoint({
  operationId: 'getGitOperation',
  summary: 'Get the state, stage and progress of a Git import or export',
  description:
    'An import or export runs as a job: ask until `state` is `success` or `failure`. `error` says why it failed and what to do; `findings` what an imported revision contains that is not understood.',
  params: OperationPath,
  reply: GitSyncOperation,
  access: space('edit'),
  handle: async ({ ctx, space, params, request }) => {
    const row = findGitSyncRun(ctx.store, params.operationId)
    if (!row || row.space_id !== space.id) throw missing('Git operation', params.operationId)
    const found = await findingsOfRun(ctx, row, request.signal)
    return { ...presentOperation(row, ctx.publicUrl()), ...found }
  },
})
