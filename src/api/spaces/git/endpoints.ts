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
    'Starts a job that imports a branch of a remote repository. The answer has no body; poll the address in its header `Location` until `state` is `success` or `failure`. A space that has only its first commit takes over the imported history unchanged; otherwise the branch is merged into the space. With conflicts, or without a common commit, the job fails and nothing is changed, unless `force` prefers the repository or `replace` takes only its files. Requires the role "edit" in the space; if the space is locked or has merge rules, "admin". Users in `allow_bypass` of the merge rules need only "edit".',
  params: SpacePath,
  body: ImportBody,
  reply: nothing,
  locates: true,
  access: primaryWriter('import'),
  handle: async ({ ctx, space, user, body, request }) =>
    started(await queueGitSync(ctx, space, user, { ...body, direction: 'import' }, request)),
})

export const importFolderFiles = endpoint({
  operationId: 'importFolder',
  summary: 'Import the files of a folder into a space',
  description:
    'Creates a commit with the files of a folder on top of the previous import of a folder, and merges it with the changes of the space since then. Without changes, no commit is made. Send only the Git object ids of files that the space already has: if contents are missing, nothing is changed, and `missing` lists them, so that you can repeat the request with them. With conflicts, nothing is changed, unless `force` prefers the folder or `replace` takes only its files. The required role is the same as for `importGitRepository`.',
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
    'Works as `importFolder`, on the branch of the change request; the primary content stays as it is. The first import is based on the last import into the primary content, later ones on the previous import into the change request.',
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
    'Starts a job that exports the space to a branch of a remote repository; read the address in the header `Location` until `state` is `success` or `failure`. The job creates one commit with `commitMessage` on the branch, and then moves the space to it, so that both are equal. Without changes, nothing is pushed. With conflicts, or without a common commit, the job fails and nothing is changed, unless `force` prefers the space or `replace` keeps only its files. Requires the role "edit" in the space; if the space is locked or has merge rules, "review". Changes of the branch that the space lacks are merged into the space, which requires the same role as an import.',
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
    'Returns the repository of the last successful import or export. The answer is a 404 if there was none.',
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
    'Removes the repository of the last import or export from the space: pages no longer link to it. Content, history and the repository stay unchanged. Requires the role "admin" in the space.',
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
  description:
    'Returns all imports and exports with their state and progress, including queued ones. Requires the role "edit" in the space.',
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
    'Returns one import or export, which runs as a job: repeat the request until `state` is `success` or `failure`. `error` says why it failed and what to do. `findings` lists what an imported revision contains that is not understood.',
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
