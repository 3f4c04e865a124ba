import { z } from 'zod'
import { findingKinds } from '../../../content/findings/kinds.ts'
import { PageQuery } from '../../../http/list.ts'
import { Hunks } from '../../base/hunks-schema.ts'
import { SpacePath } from '../../base/paths-schema.ts'

export const OperationPath = SpacePath.extend({ operationId: z.string() })
export const OperationsQuery = PageQuery

/** A URL that is stored and shown to readers. */
const shownAddress = (what: string) =>
  z
    .url({ protocol: /^https?$/, error: 'takes a URL that begins with http:// or https://' })
    .max(2048)
    .optional()
    .meta({
      description: `${what} An http or https URL; user name, password, query and fragment are not stored.`,
    })

const GitInfo = z.strictObject({
  provider: z
    .enum(['github', 'gitlab'])
    .optional()
    .meta({ description: 'The host of the repository.' }),
  url: shownAddress('The address of the repository for a browser. Default: `url` of the request.'),
})

const Branch = z
  .string()
  .max(255)
  .regex(/^refs\/heads\/./, 'takes a branch as "refs/heads/<branch>"')
  .meta({ description: 'The branch of the repository, as `refs/heads/<branch>`.' })

const Directory = z.string().max(1024).meta({
  description: 'The folder of the project in the repository; "" or "/" for the whole repository.',
})

const common = {
  url: z.string().min(1).max(2048).meta({
    description:
      'The URL of the repository. It may contain basic-auth credentials, which are used for this operation only.',
  }),
  ref: Branch,
  repoCacheID: z.string().min(1).max(256).optional().meta({
    description: 'The name of the cache of Git objects that the fetch uses. Default: the URL.',
  }),
  repoTreeURL: shownAddress(
    'The address of the files of a revision at the host, up to the id of the commit.',
  ),
  repoCommitURL: shownAddress('The address of a commit at the host, up to its id.'),
  repoProjectDirectory: Directory.optional(),
  timestamp: z.iso.datetime({ offset: true }).optional().meta({
    description:
      'The time of the trigger. Operations run in the order of their triggers; one that is older than the last one is refused without `force`. Default: now.',
  }),
  gitInfo: GitInfo.optional().meta({
    description: 'The host of the repository, shown in `gitSync` of the space.',
  }),
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
    .meta({ description: 'Creates a revision and leaves the primary content unchanged.' }),
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
  standalone: z.boolean().optional().meta({
    description:
      'Leaves the space as it is: it does not take the new commit, and remembers neither the repository nor what it has.',
  }),
  commitMessage: z.string().trim().min(1).max(10_000).optional().meta({
    description: 'The message of the commit on the remote branch. Default: `Export from Stemma`.',
  }),
})

const FolderHistory = z.strictObject({
  commit: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'takes the id of a commit')
    .optional()
    .meta({
      description:
        'The commit that the files are from, in the repository of the folder. A new revision names it in the trailer `Published-Commit` of its message.',
    }),
  changes: z
    .record(
      z.string().min(1).max(1024),
      z
        .string()
        .max(212)
        .regex(
          /^\d{1,11}(?: [^\s\p{Cc}\p{Cf}\p{Cs}\p{Co}][^\p{Cc}\p{Cf}\p{Cs}\p{Co}]*)?$/u,
          'takes the seconds since 1970, a space and the name of the author',
        )
        .nullable(),
    )
    .default({})
    .meta({
      description:
        'The last change of files by path: the seconds from 1970 to the commit, a space, and the name of its author; null if the history that is at hand does not have it. Pages with a change have its date and author, those with null have no date, and the others that of the import. Every path is one of `files`. In a change request, files that the primary content has already keep their dates.',
    }),
})

export const FolderBody = z.strictObject({
  files: z
    .record(
      z.string().min(1).max(1024),
      z
        .string()
        .regex(/^100(?:644|755) [0-9a-f]{40}$/, 'takes the mode and the object id of a file'),
    )
    .meta({
      description:
        'All files of the folder by path: the mode "100644", or "100755" for a program, a space, and the id that Git gives to the content.',
    }),
  contents: z
    .array(z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'takes base64'))
    .default([])
    .meta({
      description: 'The contents of the files that the space lacks, in base64, in any order.',
    }),
  message: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .default('Import a folder')
    .meta({ description: 'The message of the commit.' }),
  history: FolderHistory.optional().meta({
    description: 'Data of the files from the version control of the folder.',
  }),
  keep: z.boolean().optional().meta({
    description:
      'Leaves files that are not in `files` unchanged, so that a large folder can be sent in parts.',
  }),
  force: z.boolean().optional().meta({
    description: 'Prefers the folder where both sides changed the same file.',
  }),
  replace: z.boolean().optional().meta({
    description:
      'Replaces the content of the space: afterwards it has exactly the files of the folder. The previous content stays in the history.',
  }),
})

export const FolderImport = z
  .object({
    object: z.literal('folder-import'),
    revision: z.string().optional().meta({
      description: 'The revision that contains the files; left out if contents are missing.',
    }),
    missing: z.array(z.string()).meta({
      description:
        'The Git object ids of the contents that the space lacks. If the list is not empty, nothing was changed.',
    }),
    filesAdded: z.number().optional().meta({
      description:
        'The number of files added to the space. Left out with `filesChanged` and `filesRemoved` when nothing was counted.',
    }),
    filesChanged: z.number().optional(),
    filesRemoved: z.number().optional(),
    findings: z.array(z.string()).optional().meta({
      description:
        'What the page tree does not understand or does not show, in a sentence for each kind of finding, such as drafts, and pages that are not in the table of contents. `…/content/findings` lists all findings.',
    }),
  })
  .meta({
    id: 'FolderImport',
    description: 'The result of the import of a folder.',
    sentences: {
      filesChanged: 'The number of files changed in the space.',
      filesRemoved: 'The number of files removed from the space.',
    },
  })

export const GitSyncState = z
  .object({
    installationId: z.string().meta({ description: 'The id of the space.' }),
    installationStatus: z.literal('active'),
    repoName: z.string().optional(),
    installationProvider: z.enum(['github', 'gitlab', 'github-legacy']).optional(),
    integration: z.string().optional(),
    url: z.string().optional(),
    updatedAt: z.string().optional(),
  })
  .meta({
    id: 'GitSyncState',
    description: 'The remote repository with which a space was last synchronized.',
    sentences: {
      repoName: 'The name of the repository, as its host shows it.',
      installationProvider: 'The host of the repository; left out for other hosts.',
      integration: 'The name of the integration that synchronizes; left out without one.',
      url: 'The address of the repository for a browser.',
      updatedAt: 'The time of the last import or export that succeeded.',
    },
  })

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
        'The number of files that a successful operation added: to the space for an import, to the repository for an export. Left out with `filesChanged` and `filesRemoved` when nothing was counted, as for a standalone import.',
    }),
    filesChanged: z.number().optional(),
    filesRemoved: z.number().optional(),
    findings: z.array(z.string()).optional().meta({
      description:
        'What the revision of a successful import contains that is not understood or leads nowhere, in a sentence for each kind of finding, like those of a push. Only in the answer for one operation, and left out if the revision is too large to be read in time.',
    }),
    findingCounts: z.partialRecord(z.enum(findingKinds), z.number()).optional().meta({
      description: 'The number of these findings of each kind. `…/content/findings` lists them.',
    }),
    error: z
      .string()
      .optional()
      .meta({ description: 'Why it failed and what to do, in one sentence.' }),
    conflicts: z
      .array(z.object({ path: z.string(), type: z.string(), hunks: Hunks.optional() }))
      .optional(),
    createdAt: z.string(),
    startedAt: z.string().optional(),
    updatedAt: z.string(),
    completedAt: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({
    id: 'GitSyncOperation',
    description: 'One import from, or export to, a remote repository: a durable job.',
    sentences: {
      direction: '`import` brings commits into the space, `export` sends them to the repository.',
      state: '`queued` and `running` change; `success` and `failure` are final.',
      stage:
        'The current stage, or the stage in which it failed; left out while the operation is queued.',
      completedTasks: 'How many of the `dispatchedTasks` are done.',
      dispatchedTasks: 'The number of tasks that are known so far. It can grow.',
      ref: 'The branch of the remote repository.',
      timestamp: 'The time of the trigger. Operations run in the order of their triggers.',
      standalone: 'true for an import or export that does not move the primary content.',
      revision: 'The revision that was imported or exported; left out before success.',
      filesChanged: 'The number of files that it changed.',
      filesRemoved: 'The number of files that it removed.',
      conflicts: 'The files with conflicting changes on both sides.',
      'conflicts.path': 'The path of the file.',
      'conflicts.type': 'For example content, modify/delete, add/add, rename/rename, binary.',
      startedAt: 'The time at which it began to run.',
      completedAt: 'The time at which it ended.',
    },
  })
