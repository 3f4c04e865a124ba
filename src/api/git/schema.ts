import { z } from 'zod'
import { PageQuery } from '../../http/list.ts'

export const SpacePath = z.object({ spaceId: z.string() })
export const OperationPath = SpacePath.extend({ operationId: z.string() })
export const OperationsQuery = PageQuery

/** A URL that is stored and shown to readers. */
const Shown = z
  .url({ protocol: /^https?$/, error: 'takes a URL that begins with http:// or https://' })
  .max(2048)
  .meta({ description: 'http or https. User, password, query and fragment are not stored.' })

const GitInfo = z.strictObject({
  provider: z.enum(['github', 'gitlab']).optional(),
  url: Shown.optional(),
})

const Branch = z
  .string()
  .max(255)
  .regex(/^refs\/heads\/./, 'takes a branch as "refs/heads/<branch>"')

const Directory = z
  .string()
  .max(1024)
  .meta({ description: 'The folder of the project in the repository; "" or "/" for the whole repository.' })

const common = {
  url: z.string().min(1).max(2048).meta({
    description:
      'The URL of the repository. It may contain basic-auth credentials, which are used for this operation only.',
  }),
  ref: Branch,
  repoCacheID: z.string().min(1).max(256).optional(),
  repoTreeURL: Shown.optional(),
  repoCommitURL: Shown.optional(),
  repoProjectDirectory: Directory.optional(),
  timestamp: z.iso.datetime({ offset: true }).optional().meta({
    description:
      'When the trigger of this operation happened. Operations run in this order, and one older than the last applied one is refused unless forced. Default: now.',
  }),
  gitInfo: GitInfo.optional(),
}

export const ImportBody = z.strictObject({
  ...common,
  force: z.boolean().optional().meta({
    description:
      'Prefers the repository where both sides changed the same file. Without a common history, the space gets the files of both; where both have a file, including `SUMMARY.md` and `.gitbook.yaml`, the version of the repository wins. Also accepts a `timestamp` older than the last one.',
  }),
  replace: z.boolean().optional().meta({
    description:
      'Replaces the content of the space: afterwards it has exactly the files of the repository. The previous content stays in the history.',
  }),
  standalone: z
    .boolean()
    .optional()
    .meta({ description: 'Creates a revision without moving the primary content.' }),
})

export const ExportBody = z.strictObject({
  ...common,
  force: z.boolean().optional().meta({
    description:
      'Prefers the space where both sides changed the same file. Without a common history, the branch gets the files of both; where both have a file, the version of the space wins. Also accepts a `timestamp` older than the last one.',
  }),
  replace: z.boolean().optional().meta({
    description:
      'Replaces the content of the branch, or of its folder `repoProjectDirectory`: afterwards it has exactly the files of the space. The previous content stays in the history.',
  }),
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
    url: z.string().meta({ description: 'The URL of the repository, without credentials.' }),
    timestamp: z.string(),
    standalone: z.boolean().optional(),
    revision: z.string().optional(),
    filesAdded: z.number().optional().meta({
      description:
        'The number of files that a successful operation added: to the space for an import, to the repository for an export. Left out with `filesChanged` and `filesRemoved` when nothing was counted, as for `standalone`.',
    }),
    filesChanged: z.number().optional(),
    filesRemoved: z.number().optional(),
    error: z.string().optional().meta({ description: 'Why it failed and what to do, in one sentence.' }),
    conflicts: z.array(z.object({ path: z.string(), type: z.string() })).optional(),
    createdAt: z.string(),
    startedAt: z.string().optional(),
    updatedAt: z.string(),
    completedAt: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'GitSyncOperation' })
