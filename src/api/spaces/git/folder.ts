import type { z } from 'zod'
import {
  type FolderFile,
  type FolderOrder,
  type FolderOutcome,
  importFolder,
} from '../../../actions/git-sync/import-folder.ts'
import { viewRevision } from '../../../actions/revisions/view-revision.ts'
import { findingsOf } from '../../../content/tree/findings.ts'
import type { Context } from '../../../context.ts'
import { asOid } from '../../../lib/oid.ts'
import type { FolderBody, FolderImport } from './schema.ts'

/** Imports the files of a request. Returns the result, with what readers are not shown. */
export async function takeFolder(
  ctx: Context,
  into: Pick<FolderOrder, 'space' | 'changeRequest' | 'by' | 'origin'>,
  { files, contents, ...options }: z.output<typeof FolderBody>,
): Promise<z.input<typeof FolderImport>> {
  const outcome = await importFolder(ctx, {
    ...options,
    ...into,
    files: folderFiles(files),
    contents: contents.map(text => Buffer.from(text, 'base64')),
  })
  if ('missing' in outcome || options.keep) return presentFolderOutcome(outcome)
  const { content } = await viewRevision(ctx, into.space.id, outcome.revision)

  return presentFolderOutcome(outcome, findingsOf(content))
}

/** Returns the files of a request by path. */
const folderFiles = (files: z.output<typeof FolderBody>['files']): Map<string, FolderFile> =>
  new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: text.slice(0, 6), oid: asOid(text.slice(7)) },
    ]),
  )

/** Returns the result of an import of a folder. */
function presentFolderOutcome(
  outcome: FolderOutcome,
  findings?: string[],
): z.input<typeof FolderImport> {
  if ('missing' in outcome) return { object: 'folder-import', missing: outcome.missing }
  const { revision, counts } = outcome
  return {
    object: 'folder-import',
    revision,
    missing: [],
    ...(counts && {
      filesAdded: counts.added,
      filesChanged: counts.changed,
      filesRemoved: counts.removed,
    }),
    ...(findings && { findings }),
  }
}
