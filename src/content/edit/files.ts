import { Fault, invalid } from '../../errors.ts'
import type { Steps } from '../../lib/slices.ts'
import { foldSlug } from '../text/slug.ts'
import { variablesPath, writeVariables } from '../tree/variables.ts'
import type { InsertFiles, RenameFile, SetVariables } from './changes.ts'
import { noFile } from './delete.ts'
import { bytesAt, type Draft, fileAt, putBytes, putText, textAt } from './draft.ts'
import { fileName, folderFor, takenPaths } from './paths.ts'
import { renameAsset } from './rename.ts'
import { treeInSteps, treeOf } from './tree.ts'

/** Adds files to the assets folder. A file with the same name and bytes is reused; a taken name gets a number. */
export function* insertFiles(draft: Draft, change: InsertFiles): Steps<void> {
  const taken = takenPaths(draft)
  const folder = folderFor(draft, taken, `${treeOf(draft).config.root}.gitbook/assets/`)
  for (const [i, { name, ref, bytes }] of change.files.entries()) {
    if (bytes.length === 0) throw invalid(`"files.${i}" is empty.`)
    const path = pathForFile(draft, taken, folder, fileName(name, `files.${i}.name`), bytes)
    putBytes(draft, path, bytes)
    taken.set(foldSlug(path), path)
    draft.insertedFiles.push(path)
    if (ref !== undefined) draft.refs.set(ref, { file: path })
  }
  yield* treeInSteps(draft)
}

function pathForFile(
  draft: Draft,
  taken: ReadonlyMap<string, string>,
  folder: string,
  name: string,
  bytes: Uint8Array,
): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let n = 0; ; n++) {
    const path = folder + (n === 0 ? name : fileName(`${stem}-${n}${extension}`, 'name'))
    const there = taken.get(foldSlug(path))
    if (there === undefined) return path
    if (there !== path || !fileAt(draft, path)) continue
    const old = bytesAt(draft, path)
    if (old && Buffer.compare(old, bytes) === 0) return path
  }
}

/** Renames a file that is not a page within its folder. */
export function* renameFile(draft: Draft, change: RenameFile): Steps<void> {
  const file = treeOf(draft).fileById.get(change.file)
  if (!file) throw noFile(draft, change.file)
  yield* renameAsset(draft, file.path, change.name, change.rewriteLinks !== false)
}

/** Replaces all variables of the space. */
export function* setVariables(draft: Draft, change: SetVariables): Steps<void> {
  const path = treeOf(draft).config.root + variablesPath
  const there = fileAt(draft, path)
  if (there && !there.mode.startsWith('100'))
    throw new Fault('conflict', `"${path}" is not a regular file: correct that with Git.`)
  const old = there ? textAt(draft, path) : ''
  const text = writeVariables(old, change.variables)
  if (text !== old) putText(draft, path, text)
  yield* treeInSteps(draft)
}
