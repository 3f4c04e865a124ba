import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise } from 'yauzl'
import { Unreadable } from './finding.ts'

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

/** Thrown for a zip that is none, or is damaged, with a sentence without its name. */
export class BadZip extends Error {}

/** An open zip: the entries that are wanted, in their order, and what unpacks one. */
type ZipFile = { entries: readonly Entry[]; unpack: (entry: Entry) => Promise<Buffer> }

/**
 * Opens a zip. The sizes that it declares for the entries that are wanted are checked before anything
 * is unpacked, and an entry that has another size is damaged. Throws Unreadable for too many or too
 * large ones, BadZip for what is no zip or damaged.
 */
export async function openZip(
  zip: Buffer,
  name: string,
  { limits, budget }: { limits: ImportLimits; budget: Budget },
  isWanted: (entry: Entry) => boolean = () => true,
): Promise<ZipFile> {
  const file = await fromBufferPromise(zip).catch(error => {
    throw new BadZip(`is not a zip file, or it is damaged: ${String(error.message)}.`)
  })
  if (file.entryCount > limits.entries)
    throw new Unreadable(
      `"${name}" has ${file.entryCount} entries, more than ${limits.entries}. Import it in several parts.`,
    )

  const entries: Entry[] = []
  try {
    for await (const entry of file.eachEntry()) {
      if (entry.fileName.endsWith('/') || !isWanted(entry)) continue
      spend(budget, limits, `${name}/${entry.fileName}`, entry.uncompressedSize)
      entries.push(entry)
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : damaged(error as Error)
  }

  const unpack = async (entry: Entry): Promise<Buffer> => {
    try {
      const parts: Buffer[] = []
      for await (const part of await file.openReadStreamPromise(entry)) parts.push(part as Buffer)
      const bytes = Buffer.concat(parts)
      if (crc32(bytes) !== entry.crc32) throw new Error(`"${entry.fileName}" has other bytes`)
      return bytes
    } catch (error) {
      throw damaged(error as Error)
    }
  }

  return { entries, unpack }
}

function damaged({ message }: Error): BadZip {
  const leads =
    /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)$/s.exec(message)
  if (leads)
    return new BadZip(
      `has a file with the path "${leads[1]!.slice(0, 200)}", which leads out of the folder. Pack it again.`,
    )
  return new BadZip(`is damaged: ${message.slice(0, 300)}.`)
}
