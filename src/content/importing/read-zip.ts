import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise } from 'yauzl'
import { type Findings, Unreadable } from './finding.ts'
import { sortFile } from './sort-file.ts'

/** The limits of one import, in numbers and bytes. */
export type ImportLimits = {
  /** The most entries of a zip, with those that are left out. */
  entries: number
  /** The most bytes of all files together, unpacked. */
  bytes: number
  /** The most bytes of one file. */
  fileBytes: number
}

/** What is left of `ImportLimits.bytes` for the other files of the import. */
export type Budget = { left: number }

const inMegabytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MB`

/** Takes the size of a file off the budget. Throws Unreadable for too large a file. */
export function spend(budget: Budget, limits: ImportLimits, path: string, size: number): void {
  if (size > limits.fileBytes)
    throw new Unreadable(
      `"${path}" is larger than ${inMegabytes(limits.fileBytes)}. Leave it out, or push it with Git.`,
    )
  budget.left -= size
  if (budget.left < 0)
    throw new Unreadable(
      `The files are larger than ${inMegabytes(limits.bytes)} together, unpacked. Import them in several parts, or push them with Git.`,
    )
}

/**
 * Returns the files of a zip, one after the other, without those that `sortFile` leaves out. The sizes
 * that the zip declares are checked before anything is unpacked, and a file that has another size
 * ends the reading. Throws Unreadable for what is no zip or damaged, encrypted, too large, or has paths
 * out of its folder.
 */
export async function* readZip(
  zip: Buffer,
  name: string,
  { limits, budget, findings }: { limits: ImportLimits; budget: Budget; findings: Findings },
): AsyncGenerator<{ path: string; bytes: Buffer }> {
  const file = await fromBufferPromise(zip).catch(error => {
    throw new Unreadable(`"${name}" is not a zip file, or it is damaged: ${String(error.message)}.`)
  })
  if (file.entryCount > limits.entries)
    throw new Unreadable(
      `"${name}" has ${file.entryCount} entries, more than ${limits.entries}. Import it in several parts.`,
    )
  const paths = new Set<string>()
  const wanted: Entry[] = []

  try {
    for await (const entry of file.eachEntry()) {
      const path = entry.fileName
      if (path.endsWith('/')) continue
      const why = whyLeft(entry, name, paths)
      if (why !== undefined) {
        findings.add(path, why)
        continue
      }
      spend(budget, limits, path, entry.uncompressedSize)
      paths.add(path)
      wanted.push(entry)
    }

    for (const entry of wanted) {
      const stream = await file.openReadStreamPromise(entry)
      const parts: Buffer[] = []
      for await (const part of stream) parts.push(part as Buffer)
      const bytes = Buffer.concat(parts)
      if (crc32(bytes) !== entry.crc32) throw new Error(`"${entry.fileName}" has other bytes`)
      yield { path: entry.fileName, bytes }
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : damaged(name, error as Error)
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

function damaged(name: string, { message }: Error): Unreadable {
  const leads =
    /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)$/s.exec(message)
  if (leads)
    return new Unreadable(
      `"${name}" has a file with the path "${leads[1]!.slice(0, 200)}", which leads out of the folder. Pack it again.`,
    )
  return new Unreadable(`"${name}" is damaged: ${message.slice(0, 300)}.`)
}
