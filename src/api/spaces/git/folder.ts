import type { z } from 'zod'
import {
  type FolderFile,
  type FolderOrder,
  type FolderOutcome,
  importFolder,
} from '../../../actions/git-sync/import-folder.ts'
import type { FileChange } from '../../../actions/git-sync/record-changes.ts'
import { viewRevision } from '../../../actions/revisions/view-revision.ts'
import { findingSentences } from '../../../content/findings/count.ts'
import { treeFindings } from '../../../content/findings/pages.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { asOid } from '../../../lib/oid.ts'
import type { FolderBody, FolderImport } from './schema.ts'

type Body = z.output<typeof FolderBody>

/** Imports the files of a request. Returns the result, with what the page tree does not understand. */
export async function takeFolder(
  ctx: Context,
  into: Pick<FolderOrder, 'space' | 'changeRequest' | 'by' | 'origin'>,
  { files, contents, history, ...options }: Body,
): Promise<z.input<typeof FolderImport>> {
  const outcome = await importFolder(ctx, {
    ...options,
    ...into,
    files: folderFiles(files),
    history: history && { ...history, changes: changesOf(history.changes, files) },
    contents: contents.map(text => Buffer.from(text, 'base64')),
  })
  if ('missing' in outcome || options.keep) return presentFolderOutcome(outcome)
  const { content } = await viewRevision(ctx, into.space.id, outcome.revision)

  return presentFolderOutcome(outcome, findingSentences(treeFindings(content)))
}

/** Returns the files of a request by path. */
const folderFiles = (files: Body['files']): Map<string, FolderFile> =>
  new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: text.slice(0, 6), oid: asOid(text.slice(7)) },
    ]),
  )

/** Returns the last changes in a request by path. */
const changesOf = (
  changes: NonNullable<Body['history']>['changes'],
  files: Body['files'],
): Map<string, FileChange | null> =>
  new Map(
    Object.entries(changes).map(([path, text]) => {
      if (!Object.hasOwn(files, path))
        throw invalid(`"history" names ${JSON.stringify(path)}, which is not in "files".`)
      const [, at, author = null] = /^(\d+)(?: (.*))?$/.exec(text ?? '') ?? []
      return [path, at === undefined ? null : { at: Number(at), author }]
    }),
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
