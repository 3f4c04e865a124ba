import { Fault, invalid } from '../../errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { baseName, directoryOf } from '../files.ts'
import { foldSlug } from '../text/slug.ts'
import type { ContentTree } from '../tree/build.ts'
import { variablesPath, writeVariables } from '../tree/variables.ts'
import type { InsertFiles, RenameFile, SetVariables } from './changes.ts'
import { noFile } from './delete.ts'
import { blobId, type Draft, fileAt, putBytes, putText, putUnread } from './draft.ts'
import { fileName, folderFor, takenPaths } from './paths.ts'
import { structureOf, textAt } from './read.ts'
import { renameAsset } from './rename.ts'
import type { Asking, Prefetch } from './requests.ts'
import { treeInSteps, treeOf } from './tree.ts'

/**
 * Adds files to the assets folder. A file with the same name and bytes is reused; a taken name gets
 * a number.
 */
export function* insertFiles(draft: Draft, change: InsertFiles): Asking<void> {
  yield* structureOf(draft)
  const taken = takenPaths(draft)
  const folder = folderFor(draft, taken, `${treeOf(draft).config.root}.gitbook/assets/`)

  for (const [i, { name, ref, bytes, unread }] of change.files.entries()) {
    if (bytes?.length === 0) throw invalid(`"files.${i}" is empty.`)
    const oid = unread ? unread.oid : blobId(bytes)
    const path = pathForFile(draft, taken, folder + fileName(name, `files.${i}.name`), oid)
    if (unread) putUnread(draft, path, oid)
    else putBytes(draft, path, bytes)
    taken.set(foldSlug(path), path)
    draft.insertedFiles.push(path)
    if (ref !== undefined) draft.refs.set(ref, { file: path })
  }

  yield* treeInSteps(draft)
}

function pathForFile(
  draft: Draft,
  taken: ReadonlyMap<string, string>,
  wanted: string,
  oid: Oid,
): string {
  const [folder, name] = [directoryOf(wanted), baseName(wanted)]
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']

  for (let n = 0; ; n++) {
    const path = folder + (n === 0 ? name : fileName(`${stem}-${n}${extension}`, 'name'))
    const there = taken.get(foldSlug(path))
    if (there === undefined) return path
    // An older file is reused only under the given name.
    if (there === path && (n === 0 || draft.changed.has(path)) && fileAt(draft, path)?.oid === oid)
      return path
  }
}

/** Returns the file if the links to it follow. */
export function prefetchRename(tree: ContentTree, { file, rewriteLinks }: RenameFile): Prefetch {
  const path = tree.fileById.get(file)?.path
  return { linksTo: path === undefined || rewriteLinks === false ? [] : [path] }
}

/** Renames a file that is not a page within its folder. */
export function* renameFile(draft: Draft, change: RenameFile): Asking<void> {
  yield* structureOf(draft)
  const file = treeOf(draft).fileById.get(change.file)
  if (!file) throw noFile(draft, change.file)
  yield* renameAsset(draft, file.path, change.name, change.rewriteLinks !== false)
}

/** Replaces all variables of the space. */
export function* setVariables(draft: Draft, change: SetVariables): Asking<void> {
  yield* structureOf(draft)
  const path = treeOf(draft).config.root + variablesPath
  const there = fileAt(draft, path)
  if (there && !there.mode.startsWith('100'))
    throw new Fault('path_conflict', `"${path}" is not a regular file: correct that with Git.`)

  const old = there ? yield* textAt(draft, path) : ''
  const text = writeVariables(old, change.variables)
  if (text !== old) putText(draft, path, text)
  yield* treeInSteps(draft)
}
