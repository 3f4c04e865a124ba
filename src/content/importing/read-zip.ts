import type { Entry } from 'yauzl'
import { type Findings, Unreadable } from './finding.ts'
import { sortFile } from './sort-file.ts'
import { BadZip, type Budget, type ImportLimits, openZip } from './zip-file.ts'

/**
 * Returns the files of a zip, one after the other, without those that `sortFile` leaves out. Throws
 * Unreadable for what is no zip or damaged, encrypted, too large, or has paths out of its folder.
 */
export async function* readZip(
  zip: Buffer,
  name: string,
  { findings, ...bounds }: { limits: ImportLimits; budget: Budget; findings: Findings },
): AsyncGenerator<{ path: string; bytes: Buffer }> {
  const paths = new Set<string>()
  const isWanted = (entry: Entry): boolean => {
    const why = whyLeft(entry, name, paths)
    if (why === undefined) paths.add(entry.fileName)
    else findings.add(entry.fileName, why)
    return why === undefined
  }

  try {
    const { entries, unpack } = await openZip(zip, name, bounds, isWanted)
    for (const entry of entries) yield { path: entry.fileName, bytes: await unpack(entry) }
  } catch (error) {
    throw error instanceof BadZip ? new Unreadable(`"${name}" ${error.message}`) : error
  }
}

const symbolicLink = 0o120000
const kindOfFile = 0o170000

/** Returns why an entry is left out; undefined for one that is not. Throws Unreadable for an encrypted one. */
function whyLeft(entry: Entry, name: string, paths: ReadonlySet<string>): string | undefined {
  const { fileName: path } = entry
  const sort = sortFile(path)
  if (sort.as === 'nothing') return sort.why
  if (entry.isEncrypted())
    throw new Unreadable(`"${name}" is encrypted. Pack it again without a password.`)
  if (((entry.externalFileAttributes >>> 16) & kindOfFile) === symbolicLink)
    return 'The entry is a symbolic link. It was left out.'
  if (!entry.canDecodeFileData())
    return 'The entry is packed with a method that is not supported. It was left out.'
  return paths.has(path)
    ? 'The zip has several files of this name. The first one counts.'
    : undefined
}
