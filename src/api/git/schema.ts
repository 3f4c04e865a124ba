import { z } from 'zod'
import { PageQuery } from '../../http/list.ts'

export const SpacePath = z.object({ spaceId: z.string() })
export const OperationPath = SpacePath.extend({ operationId: z.string() })
export const OperationsQuery = PageQuery

const GitInfo = z.strictObject({
  provider: z.enum(['github', 'gitlab']).optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
})

const Branch = z
  .string()
  .max(255)
  .regex(/^refs\/heads\/./, 'takes a branch as "refs/heads/<branch>"')

const Directory = z
  .string()
  .max(1024)
  .meta({ description: 'The folder of the project in the repository; "" or "/" is the whole repository.' })

const common = {
  url: z.string().min(1).max(2048).meta({
    description:
      'The repository; may contain basic-auth credentials, which are used for this operation alone.',
  }),
  ref: Branch,
  repoCacheID: z.string().min(1).max(256).optional(),
  repoTreeURL: z.string().max(2048).optional(),
  repoCommitURL: z.string().max(2048).optional(),
  repoProjectDirectory: Directory.optional(),
  timestamp: z.iso.datetime({ offset: true }).optional().meta({
    description:
      'When what triggers this happened: operations run in this order, and one older than the last applied is refused unless forced. Now, when not said.',
  }),
  force: z.boolean().optional(),
  gitInfo: GitInfo.optional(),
}

export const ImportBody = z.strictObject({
  ...common,
  standalone: z
    .boolean()
    .optional()
    .meta({ description: 'Makes a revision without moving the primary content.' }),
})

export const ExportBody = z.strictObject({
  ...common,
  commitMessage: z.string().trim().min(1).max(10_000),
})

export const GitSyncState = z
  .object({
    repoName: z.string().optional(),
    installationProvider: z.enum(['github', 'gitlab', 'github-legacy']).optional(),
    integration: z.string().optional(),
    url: z.string().optional(),
    updatedAt: z.string().optional(),
  })
  .meta({ id: 'GitSyncState' })

export const GitSyncOperation = z
  .object({
    object: z.literal('git-sync-operation'),
    id: z.string(),
    direction: z.enum(['import', 'export']),
    state: z.enum(['queued', 'running', 'success', 'failure']),
    stage: z.enum(['repo_fetch', 'config_check', 'content_process', 'finalize']).optional(),
    completedTasks: z.number(),
    dispatchedTasks: z.number(),
    ref: z.string(),
    url: z.string().meta({ description: 'The repository, without credentials.' }),
    timestamp: z.string(),
    standalone: z.boolean().optional(),
    revision: z.string().optional(),
    error: z.string().optional().meta({ description: 'Why it failed, in one sentence to act on.' }),
    conflicts: z.array(z.object({ path: z.string(), type: z.string() })).optional(),
    createdAt: z.string(),
    startedAt: z.string().optional(),
    updatedAt: z.string(),
    completedAt: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'GitSyncOperation' })
