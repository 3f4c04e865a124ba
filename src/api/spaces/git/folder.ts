import type { z } from 'zod'
import type { FolderFile, FolderOutcome } from '../../../actions/git-sync/import-folder.ts'
import { asOid } from '../../../lib/oid.ts'
import type { FolderBody, FolderImport } from './schema.ts'

/** Returns the files of a request by path. */
export const folderFiles = (files: z.output<typeof FolderBody>['files']): Map<string, FolderFile> =>
  new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: text.slice(0, 6), oid: asOid(text.slice(7)) },
    ]),
  )

/** Returns the result of an import of a folder. */
export function presentFolderOutcome(
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
